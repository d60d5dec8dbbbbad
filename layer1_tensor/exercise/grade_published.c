/* The graders of layer 1: the container that models are published in. */
#include "grader.h"
#include "tensor.h"
#include "safetensors.h"

#include <stdbool.h>

enum { TENSORS = 4, ROOM = 200000 };

/* The contents of a file that is yet to be written. */
static struct {
    size_t count, data;
    struct {
        int type, ndim;
        size_t shape[8], begin, end;
        char shape_text[120]; /* as the header has it; "": from the numbers above */
        /* shape and offsets as the header has them; NULL: from the fields above */
        const char *entry;
    } of[TENSORS];
} plan;

static unsigned char file[ROOM];
static size_t filled;

/* With `empty` some extents are 0: such a tensor takes no bytes, whatever the others are. */
static void draw_plan(bool empty) {
    memset(&plan, 0, sizeof plan);
    plan.count = 2 + fresh_below(TENSORS - 1);
    for (size_t i = 0; i < plan.count; i++) {
        size_t bytes;
        plan.of[i].type = (int)fresh_below(SAFE_TYPES);
        plan.of[i].ndim = (int)fresh_below(fresh_below(3) ? 4 : 9);
        bytes = safe_type_bytes((SafeType)plan.of[i].type);
        for (int d = 0; d < plan.of[i].ndim; d++)
            bytes *= plan.of[i].shape[d] =
                empty && !fresh_below(9) ? 0 : 1 + fresh_below(d < 4 ? 4 : 2);
        plan.of[i].begin = plan.data, plan.of[i].end = plan.data += bytes;
    }
}

static void shape_of(size_t i, char out[120]) {
    char *at = out;
    strcpy(out, plan.of[i].shape_text);
    for (int d = 0; !*plan.of[i].shape_text && d < plan.of[i].ndim; d++)
        at += sprintf(at, "%s%zu", d ? "," : "", plan.of[i].shape[d]);
}

/* The header lists the entries in another order than their data. */
static void write_plan(void) {
    char *header = (char *)file + 8, *at = header, shape[120];
    size_t first = fresh_below(plan.count);
    for (size_t k = 0; k < plan.count; k++) {
        size_t i = (first + k) % plan.count;
        shape_of(i, shape);
        at += sprintf(at, "%c\"t%zu\":{\"dtype\":\"%s\"", k ? ',' : '{', i,
                      safe_type_name((SafeType)plan.of[i].type));
        if (plan.of[i].entry)
            at += sprintf(at, "%s}", plan.of[i].entry);
        else
            at += sprintf(at, ",\"shape\":[%s],\"data_offsets\":[%zu,%zu]}", shape,
                          plan.of[i].begin, plan.of[i].end);
    }
    *at++ = '}';
    size_t size = (size_t)(at - header);
    for (int i = 0; i < 8; i++) file[i] = (unsigned char)((uint64_t)size >> (8 * i));
    memset(at, 7, plan.data);
    filled = 8 + size + plan.data;
}

static bool parsed(Safetensors *s, Fault *fault) {
    static unsigned char copy[ROOM];
    write_plan();
    memcpy(copy, file, filled);
    *fault = (Fault){""};
    return safetensors_parse(s, copy, filled, fault);
}

/* Tensors without bytes have the next one's offset: the name tells them apart. */
static const SafeTensor *named(const Safetensors *s, size_t i) {
    char name[24];
    sprintf(name, "t%zu", i);
    for (size_t k = 0; k < s->n_tensors; k++)
        if (text_equal(s->tensors[k].name, text_of(name))) return &s->tensors[k];
    NEED(!"a tensor of this name");
    return NULL;
}

static void check_right(void) {
    Safetensors s;
    Fault fault;
    draw_plan(true);
    bool ok = parsed(&s, &fault);
    HINT(ok,
         "a right file of %zu tensors is refused (%s): a tensor takes the product of its "
         "extents times the bytes of one number, and one without extents is one number",
         plan.count, fault.text);
    const unsigned char *data = s.tensors[0].data;
    for (size_t i = 0; i < plan.count; i++) {
        const SafeTensor *t = named(&s, i);
        COUNT(t->ndim, plan.of[i].ndim, "dimensions of tensor %zu, as many as its shape has",
              i);
        for (int d = 0; d < t->ndim; d++)
            COUNT(t->shape[d], plan.of[i].shape[d], "extent %d of tensor %zu", d, i);
        COUNT(t->data - data, plan.of[i].begin,
              "tensor %zu begins at the first of its data_offsets: bytes after the first one",
              i);
        COUNT(t->bytes, plan.of[i].end - plan.of[i].begin, "bytes of tensor %zu", i);
    }
    safetensors_free(&s);
}

/* One thing in a plan is wrong. */
static void refused(const char *why) {
    Safetensors s;
    Fault fault;
    bool ok = parsed(&s, &fault);
    HINT(!ok, "%s: it is read, and should be refused", why);
    HINT(fault.text[0], "%s: it is refused without a word: refuse(), fault_set()", why);
}

/* An entry with less, or more, than a shape and two offsets: two tensors of one byte. */
static void check_entries(void) {
    static const char *const wrong[][2] = {
        {"no shape", ",\"data_offsets\":[0,1]"},
        {"a shape that is a number", ",\"shape\":1,\"data_offsets\":[0,1]"},
        {"a shape that is an object", ",\"shape\":{\"a\":1},\"data_offsets\":[0,1]"},
        {"a shape with a text in it", ",\"shape\":[\"1\"],\"data_offsets\":[0,1]"},
        {"no data_offsets", ",\"shape\":[1]"},
        {"data_offsets that are a number", ",\"shape\":[1],\"data_offsets\":0"},
        {"data_offsets that are an object",
         ",\"shape\":[1],\"data_offsets\":{\"a\":0,\"b\":1}"},
        {"data_offsets of one number", ",\"shape\":[1],\"data_offsets\":[0]"},
        {"data_offsets of three numbers", ",\"shape\":[1],\"data_offsets\":[0,1,2]"},
        {"data_offsets that are not whole", ",\"shape\":[1],\"data_offsets\":[0.0,1.0]"},
        {"data_offsets that go backwards", ",\"shape\":[1],\"data_offsets\":[1,0]"},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        memset(&plan, 0, sizeof plan);
        plan.count = plan.data = 2;
        for (size_t k = 0; k < 2; k++) plan.of[k].type = SAFE_U8, plan.of[k].end = 1 + k;
        plan.of[1].begin = 1, plan.of[0].entry = wrong[i][1];
        refused(wrong[i][0]);
    }
}

static void check_wrong(void) {
    size_t last = (draw_plan(false), plan.count - 1);
    strcpy(plan.of[0].shape_text, "4294967296,4294967296");
    plan.of[0].type = SAFE_U8, plan.of[0].begin = plan.of[0].end = 0;
    for (size_t i = 1, at = 0; i <= last; i++) {
        size_t bytes = plan.of[i].end - plan.of[i].begin;
        plan.of[i].begin = at, plan.of[i].end = plan.data = at += bytes;
    }
    refused("a shape whose product overflows 64 bits (divide the room before you multiply)");
    draw_plan(false);
    plan.of[last = plan.count - 1].end += 8, plan.data += 8;
    refused("data_offsets for other bytes than shape and type say");
    draw_plan(false);
    plan.data += 3;
    refused("bytes after the last tensor");
    draw_plan(false);
    size_t moved = plan.of[0].end;
    for (size_t i = 1; i < plan.count; i++) plan.of[i].begin -= moved, plan.of[i].end -= moved;
    refused("two tensors in the same bytes (an overlap), and as many left over");
    draw_plan(false);
    for (size_t i = 1; i < plan.count; i++) plan.of[i].begin += 2, plan.of[i].end += 2;
    plan.data += 2;
    refused("a gap between two tensors");
    draw_plan(false);
    for (size_t i = 0; i < plan.count; i++) plan.of[i].begin += 2, plan.of[i].end += 2;
    plan.data += 2;
    refused("a gap before the first tensor");
    draw_plan(false);
    strcpy(plan.of[0].shape_text, "1.5");
    refused("a shape with a number that is not whole");
    draw_plan(false);
    plan.of[0].ndim = 0, strcpy(plan.of[0].shape_text, "1,1,1,1,1,1,1,1,1");
    plan.of[0].type = SAFE_U8;
    refused("a shape of nine numbers, for which there is no room");
}

GRADE(published) {
    for (int round = 0; round < 60; round++) check_right();
    for (int round = 0; round < 20; round++) check_wrong();
    check_entries();
}

GRADES({"1.15", published})
