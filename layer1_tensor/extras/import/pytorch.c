/* pytorch.c - see pytorch.h. */
#include "pytorch.h"

#include "pickle.h"
#include "size.h"
#include "zip.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_PICKLE ((size_t)1 << 26) /* 100,000 tensors and more */

static const struct {
    const char *name;
    SafeType type;
} storages[] = {
    {"torch FloatStorage", SAFE_F32},     {"torch HalfStorage", SAFE_F16},
    {"torch BFloat16Storage", SAFE_BF16}, {"torch DoubleStorage", SAFE_F64},
    {"torch LongStorage", SAFE_I64},      {"torch IntStorage", SAFE_I32},
    {"torch ShortStorage", SAFE_I16},     {"torch CharStorage", SAFE_I8},
    {"torch ByteStorage", SAFE_U8},       {"torch BoolStorage", SAFE_BOOL},
};

typedef struct Archive {
    Zip zip;
    Text prefix; /* "archive/" */
    Fault *fault;
} Archive;

/* ------------------------------------------------------------------ one tensor */

static bool pytorch_refuse(const Archive *a, Text name, const char *what) {
    return fault_set(a->fault, "the tensor '%.*s' %s", (int)min_size(80, name.size), name.data,
                     what);
}

static const PickleValue *pytorch_item(const PickleValue *value, size_t i, PickleKind kind) {
    return i < value->count && value->items[i]->kind == kind ? value->items[i] : NULL;
}

static const ZipEntry *entry_of(const Archive *a, const char *folder, Text name) {
    char path[400];
    int size = snprintf(path, sizeof path, "%.*s%s%.*s", (int)min_size(200, a->prefix.size),
                        a->prefix.data, folder, (int)min_size(150, name.size), name.data);
    return zip_find(&a->zip, (Text){path, (size_t)size});
}

/* ("storage", FloatStorage, "7", "cpu", 64)
 *
 *   count   written: its numbers */
static bool find_storage(const Archive *a, const PickleValue *storage, SafeTensor *t,
                         size_t *count) {
    const PickleValue *type = pytorch_item(storage, 1, PICKLE_NAME),
                      *key = pytorch_item(storage, 2, PICKLE_TEXT),
                      *numbers = pytorch_item(storage, 4, PICKLE_INT);
    size_t known = sizeof storages / sizeof *storages, kind = 0;
    while (type && kind < known && !text_equal(type->text, text_of(storages[kind].name)))
        kind++;
    if (!type || !key || !numbers || storage->count != 5 || kind == known)
        return pytorch_refuse(a, t->name, "has a storage of unknown type");
    const ZipEntry *entry = entry_of(a, "data/", key->text);
    if (!entry)
        return pytorch_refuse(a, t->name, "has a storage that is missing in the archive");
    t->type = storages[kind].type, t->data = entry->data;
    *count = entry->size / safe_type_bytes(t->type);
    return (entry->size % safe_type_bytes(t->type) == 0 && numbers->number >= 0 &&
            (uint64_t)numbers->number == *count) ||
           pytorch_refuse(a, t->name,
                          "has a storage whose size differs from the pickle: the "
                          "file is cut short or damaged, fetch it again");
}

/* Row-major: a stride is the product of the dimensions after it; one of extent 1 may have
 * any. */
static bool pytorch_read_shape(const Archive *a, SafeTensor *t, const PickleValue *shape,
                               const PickleValue *strides, size_t room) {
    size_t count = 1, wanted = 1;
    if (shape->count > SAFE_MAX_DIMS || shape->count != strides->count)
        return pytorch_refuse(a, t->name, "has no shape of 0 to 8 numbers");
    t->ndim = (int)shape->count;
    for (size_t i = 0; i < shape->count; i++) {
        const PickleValue *extent = pytorch_item(shape, i, PICKLE_INT);
        if (!extent || extent->number < 0)
            return pytorch_refuse(a, t->name, "has a shape that is not a list of integers");
        t->shape[i] = (size_t)extent->number;
        if (t->shape[i] && count > room / t->shape[i])
            return pytorch_refuse(a, t->name, "is larger than its storage");
        count *= t->shape[i];
    }
    for (size_t i = shape->count; i > 0 && count; i--) {
        const PickleValue *stride = pytorch_item(strides, i - 1, PICKLE_INT);
        if (!stride || (t->shape[i - 1] > 1 && (uint64_t)stride->number != wanted))
            return pytorch_refuse(a, t->name,
                                  "is not contiguous: save it after "
                                  ".contiguous()");
        wanted *= t->shape[i - 1];
    }
    t->bytes = count * safe_type_bytes(t->type);
    return true;
}

/* _rebuild_tensor_v2(storage, offset, shape, strides, requires_grad, hooks); a parameter wraps
 * one. */
static bool pytorch_read_tensor(const Archive *a, Text name, const PickleValue *value,
                                SafeTensor *t) {
    size_t numbers = 0;
    *t = (SafeTensor){.name = name};
    if (value->kind == PICKLE_CALL &&
        text_equal(value->text, text_of("torch._utils _rebuild_parameter")) && value->count)
        value = value->items[0];
    if (value->kind != PICKLE_CALL ||
        !text_equal(value->text, text_of("torch._utils _rebuild_tensor_v2")))
        return fault_set(a->fault,
                         "the entry '%.*s' is not a tensor: wanted a file of weights only",
                         (int)min_size(80, name.size), name.data);
    const PickleValue *storage = pytorch_item(value, 0, PICKLE_STORAGE),
                      *offset = pytorch_item(value, 1, PICKLE_INT),
                      *shape = pytorch_item(value, 2, PICKLE_TUPLE),
                      *strides = pytorch_item(value, 3, PICKLE_TUPLE);
    if (!storage || !offset || !shape || !strides)
        return pytorch_refuse(a, name, "wants a storage, an offset and a shape");
    if (!find_storage(a, storage, t, &numbers)) return false;
    if (offset->number < 0 || (uint64_t)offset->number > numbers)
        return pytorch_refuse(a, name, "begins outside its storage");
    t->data += (size_t)offset->number * safe_type_bytes(t->type);
    return pytorch_read_shape(a, t, shape, strides, numbers - (size_t)offset->number);
}

/* ------------------------------------------------------------------ the whole file */

static int pytorch_by_name(const void *a, const void *b) {
    return text_order((*(const SafeTensor *const *)a)->name,
                      (*(const SafeTensor *const *)b)->name);
}

static bool pytorch_check_names(const Archive *a, const Pytorch *p) {
    const SafeTensor **order = malloc((p->n_tensors + 1) * sizeof *order);
    bool ok = order || fault_set(a->fault, "no memory for %zu tensors", p->n_tensors);
    for (size_t i = 0; ok && i < p->n_tensors; i++) order[i] = &p->tensors[i];
    if (ok) qsort(order, p->n_tensors, sizeof *order, pytorch_by_name);
    for (size_t i = 1; ok && i < p->n_tensors; i++)
        if (text_equal(order[i - 1]->name, order[i]->name))
            ok = pytorch_refuse(a, order[i]->name, "appears twice in the file");
    free(order);
    return ok;
}

static bool pytorch_read_tensors(Pytorch *p, const Archive *a, const PickleValue *root) {
    if (root->kind != PICKLE_DICT)
        return fault_set(a->fault, "the file is not a dictionary: wanted tensors by name");
    p->tensors = region_alloc(&p->region, (root->count / 2 + 1) * sizeof *p->tensors);
    if (!p->tensors) return fault_set(a->fault, "no memory for %zu tensors", root->count / 2);
    for (size_t i = 0; i < root->count; i += 2) {
        const PickleValue *name = pytorch_item(root, i, PICKLE_TEXT);
        if (!name)
            return fault_set(a->fault, "entry %zu of the file has a name that is not a string",
                             i / 2);
        if (!pytorch_read_tensor(a, name->text, root->items[i + 1],
                                 &p->tensors[p->n_tensors++]))
            return false;
    }
    return pytorch_check_names(a, p);
}

/* The folder of the pickle contains everything else, too. */
static const ZipEntry *find_pickle(Archive *a) {
    const Text pickle = text_of("/data.pkl");
    for (size_t i = 0; i < a->zip.count; i++) {
        Text name = a->zip.entries[i].name;
        size_t folder = name.size - pickle.size;
        if (!text_ends(name, pickle) || folder == 0) continue;
        a->prefix = (Text){name.data, folder + 1};
        if (!memchr(name.data, '/', folder)) return &a->zip.entries[i];
    }
    return NULL;
}

static bool read_archive(Pytorch *p, Archive *a) {
    const ZipEntry *pickle = find_pickle(a);
    if (!pickle)
        return fault_set(a->fault, "the archive has no data.pkl: wanted a file of torch.save");
    const ZipEntry *order = entry_of(a, "byteorder", (Text){"", 0});
    if (order && !text_equal((Text){(const char *)order->data, order->size}, text_of("little")))
        return fault_set(a->fault, "its numbers are big-endian: wanted a little-endian "
                                   "file");
    if (pickle->size > MAX_PICKLE)
        return fault_set(a->fault, "its pickle has %zu bytes: wanted at most %zu", pickle->size,
                         MAX_PICKLE);
    p->region.limit = 160 * pickle->size + (1 << 16); /* a value for every byte, and tensors */
    const PickleValue *root =
        pickle_read((Text){(const char *)pickle->data, pickle->size}, &p->region, a->fault);
    return root && pytorch_read_tensors(p, a, root);
}

static bool is_old(const unsigned char *bytes, size_t size) {
    return size > 4 && bytes[0] == 0x80 && bytes[2] == 0x8a && bytes[3] == 10;
}

bool pytorch_is(const void *bytes, size_t size) {
    return (size > 4 && memcmp(bytes, "PK\3\4", 4) == 0) || is_old(bytes, size);
}

bool pytorch_parse(Pytorch *pytorch, const void *bytes, size_t size, Fault *fault) {
    Archive a = {.fault = fault};
    *pytorch = (Pytorch){0};
    if (is_old(bytes, size))
        return fault_set(fault, "the file is of PyTorch before 1.6, which wrote no archives: "
                                "load and save it with a newer one");
    if (!zip_open(&a.zip, bytes, size, fault)) return false;
    bool ok = read_archive(pytorch, &a);
    zip_close(&a.zip);
    if (!ok) pytorch_free(pytorch);
    return ok;
}

void pytorch_free(Pytorch *pytorch) {
    region_free(&pytorch->region);
    *pytorch = (Pytorch){0};
}
