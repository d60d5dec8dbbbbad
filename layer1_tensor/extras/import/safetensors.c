/* safetensors.c - see safetensors.h. */
#include "safetensors.h"
#include "gguf/gguf_bytes.h"
#include "half.h"

#include <stdlib.h>
#include <string.h>

/* The limit of the format's reference reader. */
#define MAX_HEADER 100000000

static const struct {
    const char *name;
    size_t bytes;
} types[SAFE_TYPES] = {
    [SAFE_BOOL] = {"BOOL", 1},       [SAFE_U8] = {"U8", 1},           [SAFE_I8] = {"I8", 1},
    [SAFE_F8_E4M3] = {"F8_E4M3", 1}, [SAFE_F8_E5M2] = {"F8_E5M2", 1}, [SAFE_I16] = {"I16", 2},
    [SAFE_U16] = {"U16", 2},         [SAFE_F16] = {"F16", 2},         [SAFE_BF16] = {"BF16", 2},
    [SAFE_I32] = {"I32", 4},         [SAFE_U32] = {"U32", 4},         [SAFE_F32] = {"F32", 4},
    [SAFE_I64] = {"I64", 8},         [SAFE_U64] = {"U64", 8},         [SAFE_F64] = {"F64", 8},
};

const char *safe_type_name(SafeType type) { return types[type].name; }
size_t safe_type_bytes(SafeType type) { return types[type].bytes; }

/* ------------------------------------------------------------------ one entry */

static int shown(Text name) { return name.size < 80 ? (int)name.size : 80; }

static bool refuse(const SafeTensor *t, const char *what, Fault *fault) {
    return fault_set(fault, "the tensor '%.*s' %s: the file is damaged, fetch it again",
                     shown(t->name), t->name.data, what);
}

/* An integer below 2^53, which JSON represents exactly. */
static bool read_whole(const JsonValue *value, uint64_t *whole) {
    *whole = 0;
    if (!value || value->kind != JSON_NUMBER || value->text.size > 16) return false;
    for (size_t i = 0; i < value->text.size; i++) {
        char digit = value->text.data[i];
        if (digit < '0' || digit > '9') return false;
        *whole = *whole * 10 + (uint64_t)(digit - '0');
    }
    return true;
}

static bool read_type(SafeTensor *t, const JsonValue *name, Fault *fault) {
    if (!name || name->kind != JSON_STRING)
        return refuse(t, "has no dtype, which names the type of its numbers", fault);
    Text text = name->text;
    for (int type = 0; type < SAFE_TYPES; type++)
        if (text_equal(text, text_of(types[type].name))) return t->type = (SafeType)type, true;
    return fault_set(fault,
                     "the tensor '%.*s' has the unknown type %.*s: wanted "
                     "BOOL, F8_E4M3, F8_E5M2, F16, BF16, F32, F64 and integers of 8 to 64 bits",
                     shown(t->name), t->name.data, shown(text), text.data);
}

/* The bytes of a shape; checked before each multiplication, so that the product never
 * overflows. */
static bool read_shape(SafeTensor *t, const JsonValue *shape, size_t room, Fault *fault) {
    uint64_t count = types[t->type].bytes, extent;
    bool empty = false;
    if (!shape || shape->kind != JSON_ARRAY || shape->count > SAFE_MAX_DIMS)
        return refuse(t, "has no shape of 0 to 8 numbers", fault);
    t->ndim = (int)shape->count;
    for (int i = 0; i < t->ndim; i++) {
        if (!read_whole(&shape->items[i], &extent))
            return refuse(t, "has a shape that is not a list of integers", fault);
        t->shape[i] = (size_t)extent;
        empty |= t->shape[i] == 0;
    }
    for (int i = 0; i < t->ndim; i++) {
        if (!empty && count > room / t->shape[i])
            return refuse(t, "is larger than the file", fault);
        count *= t->shape[i];
    }
    t->bytes = (size_t)count;
    return true;
}

static bool read_place(SafeTensor *t, const JsonValue *place, const unsigned char *data,
                       size_t room, Fault *fault) {
    uint64_t begin = 0, end = 0;
    bool pair = place && place->kind == JSON_ARRAY && place->count == 2 &&
                read_whole(&place->items[0], &begin) && read_whole(&place->items[1], &end);
    if (!pair || begin > end || end > room)
        return refuse(t, "has no data_offsets inside the file", fault);
    if (end - begin != t->bytes)
        return refuse(t, "has a size that does not fit its shape and type", fault);
    t->data = data + begin;
    return true;
}

static bool read_tensor(SafeTensor *t, Text name, const JsonValue *entry,
                        const unsigned char *data, size_t room, Fault *fault) {
    *t = (SafeTensor){.name = name};
    return read_type(t, json_get(entry, "dtype"), fault) &&
           read_shape(t, json_get(entry, "shape"), room, fault) &&
           read_place(t, json_get(entry, "data_offsets"), data, room, fault);
}

/* ------------------------------------------------------------------ the whole header */

static int by_place(const void *a, const void *b) {
    const SafeTensor *x = a, *y = b;
    if (x->data != y->data) return x->data < y->data ? -1 : 1;
    return x->bytes < y->bytes ? -1 : x->bytes > y->bytes;
}

/* Without gaps, from the first byte to the last. */
static bool check_cover(const Safetensors *s, const unsigned char *data, size_t room,
                        Fault *fault) {
    const unsigned char *at = data;
    for (size_t i = 0; i < s->n_tensors; i++) {
        if (s->tensors[i].data != at)
            return refuse(&s->tensors[i], "does not begin where the one before it ends", fault);
        at += s->tensors[i].bytes;
    }
    if (at == data + room) return true;
    return fault_set(fault,
                     "the tensors take %zu bytes, and the file has %zu after its header: it is "
                     "cut short or damaged, fetch it again",
                     (size_t)(at - data), room);
}

static bool check_names(const JsonValue *root, Fault *fault) {
    return !root->repeated.data ||
           fault_set(fault, "the name '%.*s' appears twice in the header: the file is damaged",
                     shown(root->repeated), root->repeated.data);
}

static bool read_metadata(Safetensors *s, const JsonValue *value, Fault *fault) {
    bool ok = value->kind == JSON_OBJECT;
    for (size_t i = 0; ok && i < value->count; i++) ok = value->items[i].kind == JSON_STRING;
    s->metadata = value;
    return ok ||
           fault_set(fault, "__metadata__ is not an object of strings: the file is damaged");
}

static bool read_entries(Safetensors *s, const JsonValue *root, const unsigned char *data,
                         size_t room, Fault *fault) {
    s->tensors = calloc(root->count + 1, sizeof *s->tensors);
    if (!s->tensors) return fault_set(fault, "no memory for %zu tensors", root->count);
    for (size_t i = 0; i < root->count; i++) {
        bool note = text_equal(root->keys[i], text_of("__metadata__"));
        if (note ? !read_metadata(s, &root->items[i], fault)
                 : !read_tensor(&s->tensors[s->n_tensors++], root->keys[i], &root->items[i],
                                data, room, fault))
            return false;
    }
    qsort(s->tensors, s->n_tensors, sizeof *s->tensors, by_place);
    return check_cover(s, data, room, fault);
}

static bool read_all(Safetensors *s, const unsigned char *bytes, size_t size, Fault *fault) {
    uint64_t header = size < 8 ? 0 : gguf_load(bytes, 8);
    if (size < 10 || bytes[8] != '{' || header < 2)
        return fault_set(fault, "this is not a safetensors file: its header does not begin "
                                "with '{'");
    if (header > MAX_HEADER || header > size - 8)
        return fault_set(
            fault,
            "the header has %llu bytes, and the file %zu in all, of a header %d at "
            "most: it is cut short or damaged, fetch it again",
            (unsigned long long)header, size, MAX_HEADER);
    s->header = json_read((Text){(const char *)bytes + 8, (size_t)header}, fault);
    if (!s->header) return fault_prefix(fault, "the header");
    const JsonValue *root = json_root(s->header);
    return check_names(root, fault) &&
           read_entries(s, root, bytes + 8 + header, size - 8 - (size_t)header, fault);
}

bool safetensors_parse(Safetensors *safetensors, const void *bytes, size_t size, Fault *fault) {
    *safetensors = (Safetensors){0};
    bool ok = read_all(safetensors, bytes, size, fault);
    if (!ok) safetensors_free(safetensors);
    return ok;
}

void safetensors_free(Safetensors *safetensors) {
    free(safetensors->tensors);
    json_free(safetensors->header);
    *safetensors = (Safetensors){0};
}

/* ------------------------------------------------------------------ numbers */

static float number_of(SafeType type, uint64_t bits) {
    uint32_t single = (uint32_t)bits;
    double wide;
    float value;
    switch (type) {
    case SAFE_BOOL:
    case SAFE_U8:
    case SAFE_U16:
    case SAFE_U32:
    case SAFE_U64: return (float)bits;
    case SAFE_I8: return (float)(int8_t)bits;
    case SAFE_I16: return (float)(int16_t)bits;
    case SAFE_I32: return (float)(int32_t)bits;
    case SAFE_I64: return (float)(int64_t)bits;
    case SAFE_F8_E4M3: return f8_e4m3_to_f32((uint8_t)bits);
    case SAFE_F8_E5M2: return f8_e5m2_to_f32((uint8_t)bits);
    case SAFE_F16: return f16_to_f32((uint16_t)bits);
    case SAFE_BF16: return bf16_to_f32((uint16_t)bits);
    case SAFE_F64: return memcpy(&wide, &bits, sizeof wide), (float)wide;
    case SAFE_F32:
    case SAFE_TYPES: break;
    }
    memcpy(&value, &single, sizeof value);
    return value;
}

void safe_numbers(const SafeTensor *tensor, size_t first, float *out, size_t count) {
    size_t size = types[tensor->type].bytes;
    const unsigned char *at = tensor->data + first * size;
    for (size_t i = 0; i < count; i++, at += size)
        out[i] = number_of(tensor->type, gguf_load(at, (int)size));
}
