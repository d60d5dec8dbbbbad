/* gguf_entries.c - the two lists of a GGUF header: an entry for each pair, and one for each
 * tensor.  See gguf_reader.h. */
#include "gguf_reader.h"

static void refuse_array(Reader *reader, Text key) {
    refuse(reader, "the key '%.*s' is an array of arrays: convert the file without it",
           shown(key), key.data);
}

static void refuse_type(Reader *reader, Text key, unsigned type) {
    refuse(reader,
           "the key '%.*s' has value type %u, wanted 0 to %d: the file is damaged, or "
           "newer than this program",
           shown(key), key.data, type, GGUF_TYPES - 1);
}

static void refuse_dimensions(Reader *reader, Text name, uint64_t ndim) {
    refuse(reader,
           "the tensor '%.*s' has %llu dimensions, wanted 1 to %d: convert the file again",
           shown(name), name.data, (unsigned long long)ndim, TENSOR_MAX_DIMS);
}

static void refuse_format(Reader *reader, Text name, unsigned dtype) {
    refuse(reader,
           "the tensor '%.*s' has the unknown number format %u: convert the file to "
           "another format, such as Q8_0",
           shown(name), name.data, dtype);
}

static void refuse_rows(Reader *reader, Text name, uint64_t row, const DtypeInfo *info) {
    refuse(
        reader,
        "the tensor '%.*s' has rows of %llu, and %s has blocks of %u: convert the file again",
        shown(name), name.data, (unsigned long long)row, info->name, (unsigned)info->block);
}

/* Skip an array's items, or the one value, checking each. */
static void take_items(Reader *reader, GgufPair *pair) {
    pair->data = reader->at;
    if (pair->item == GGUF_STRING) {
        for (uint64_t i = 0; i < pair->count && reader->ok; i++)
            gguf_take_string(reader, "a string runs past the end");
        return;
    }
    uint64_t size = gguf_type_size[pair->item];
    if (pair->count > left(reader) / size)
        fail(reader, "an array runs past the end");
    else
        take_bytes(reader, pair->count * size, "an array runs past the end");
}

void gguf_take_pair(Reader *reader, GgufPair *pair) {
    pair->key = gguf_take_string(reader, "a key runs past the end");
    pair->type = pair->item = (GgufType)take_int(reader, 4, "a value type is missing");
    pair->count = 1;
    if (!reader->ok) return;
    if (pair->key.size == 0) fail(reader, "an empty key");
    if (pair->type == GGUF_ARRAY) {
        pair->item = (GgufType)take_int(reader, 4, "an array's type is missing");
        pair->count = take_int(reader, 8, "an array's length is missing");
    }
    if ((unsigned)pair->item >= GGUF_TYPES)
        refuse_type(reader, pair->key, (unsigned)pair->item);
    if (pair->item == GGUF_ARRAY) refuse_array(reader, pair->key);
    if (reader->ok) take_items(reader, pair);
}

/* The file's sizes, fastest dimension first, as a shape. */
static void take_shape(Reader *reader, GgufTensor *tensor, const uint64_t *dims) {
    const DtypeInfo *info = dtype_info(tensor->dtype);
    uint64_t bytes = 0;
    if (!reader->ok) return;
    if (!info)
        refuse_format(reader, tensor->name, (unsigned)tensor->dtype);
    else if (!gguf_shape_bytes(dims, tensor->ndim, info, SIZE_MAX, &bytes))
        fail(reader, "a tensor of impossible size");
    else if (dims[0] % info->block != 0)
        refuse_rows(reader, tensor->name, dims[0], info);
    tensor->bytes = (size_t)bytes;
    for (int i = 0; i < TENSOR_MAX_DIMS; i++)
        tensor->shape[i] = i < tensor->ndim ? (size_t)dims[tensor->ndim - 1 - i] : 1;
}

uint64_t gguf_take_tensor(Reader *reader, GgufTensor *tensor) {
    uint64_t dims[TENSOR_MAX_DIMS];
    tensor->name = gguf_take_string(reader, "a tensor name runs past the end");
    uint64_t ndim = take_int(reader, 4, "a tensor's dimensions are missing");
    if (reader->ok && (ndim < 1 || ndim > TENSOR_MAX_DIMS))
        refuse_dimensions(reader, tensor->name, ndim);
    if (!reader->ok) return 0;
    tensor->ndim = (int)ndim;
    for (int i = 0; i < tensor->ndim; i++) dims[i] = take_int(reader, 8, "a shape is cut");
    tensor->dtype = (uint32_t)take_int(reader, 4, "a tensor's format is missing");
    uint64_t offset = take_int(reader, 8, "a tensor's offset is missing");
    take_shape(reader, tensor, dims);
    return offset;
}
