/* gguf_write.c - see gguf.h.  Pairs, tensor headers and data are three buffers, joined at the
 * end; a failed allocation is reported then. */
#include "gguf_bytes.h"
#include "grow.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct Buffer {
    unsigned char *bytes;
    size_t size, capacity;
} Buffer;

struct GgufWriter {
    Buffer pairs, infos, data;
    uint64_t n_pairs, n_tensors;
    size_t announced; /* bytes of data to come */
    bool out_of_memory;
};

GgufWriter *gguf_writer_open(Fault *fault) {
    GgufWriter *writer = calloc(1, sizeof *writer);
    if (!writer) fault_set(fault, "no memory to write a GGUF file");
    return writer;
}

void gguf_writer_close(GgufWriter *writer) {
    if (!writer) return;
    free(writer->pairs.bytes);
    free(writer->infos.bytes);
    free(writer->data.bytes);
    free(writer);
}

static void gguf_write_put(GgufWriter *writer, Buffer *buffer, const void *bytes, size_t size) {
    if (writer->out_of_memory) return;
    writer->out_of_memory = !GROW(buffer->bytes, buffer->capacity, buffer->size + size);
    if (writer->out_of_memory) return;
    if (size) memcpy(buffer->bytes + buffer->size, bytes, size);
    buffer->size += size;
}

static void put_le(GgufWriter *writer, Buffer *buffer, uint64_t value, int size) {
    unsigned char bytes[8];
    for (int i = 0; i < size; i++) bytes[i] = (unsigned char)(value >> (8 * i));
    gguf_write_put(writer, buffer, bytes, (size_t)size);
}

static void gguf_write_put_text(GgufWriter *writer, Buffer *buffer, Text text) {
    put_le(writer, buffer, text.size, 8);
    gguf_write_put(writer, buffer, text.data, text.size);
}

static void put_padding(GgufWriter *writer, Buffer *buffer, size_t written) {
    static const unsigned char zeros[GGUF_ALIGNMENT];
    gguf_write_put(writer, buffer, zeros, round_up(written, GGUF_ALIGNMENT) - written);
}

static int int_size(GgufType type) {
    REQUIRE(type != GGUF_F32 && type != GGUF_F64 && gguf_type_size[type],
            "%s is not an integer type", gguf_type_name(type));
    return gguf_type_size[type];
}

static void put_float_value(GgufWriter *writer, GgufType type, double value) {
    REQUIRE(type == GGUF_F32 || type == GGUF_F64, "%s is not a float type",
            gguf_type_name(type));
    float single = (float)value;
    if (type == GGUF_F32)
        gguf_write_put(writer, &writer->pairs, &single, sizeof single);
    else
        gguf_write_put(writer, &writer->pairs, &value, sizeof value);
}

static void put_key(GgufWriter *writer, Text key, GgufType type) {
    gguf_write_put_text(writer, &writer->pairs, key);
    put_le(writer, &writer->pairs, type, 4);
    writer->n_pairs++;
}

static void put_array_head(GgufWriter *writer, Text key, GgufType item, uint64_t count) {
    put_key(writer, key, GGUF_ARRAY);
    put_le(writer, &writer->pairs, item, 4);
    put_le(writer, &writer->pairs, count, 8);
}

void gguf_put_int(GgufWriter *writer, const char *key, GgufType type, int64_t value) {
    put_key(writer, text_of(key), type);
    put_le(writer, &writer->pairs, (uint64_t)value, int_size(type));
}

void gguf_put_float(GgufWriter *writer, const char *key, GgufType type, double value) {
    put_key(writer, text_of(key), type);
    put_float_value(writer, type, value);
}

void gguf_put_string(GgufWriter *writer, const char *key, Text value) {
    put_key(writer, text_of(key), GGUF_STRING);
    gguf_write_put_text(writer, &writer->pairs, value);
}

void gguf_put_ints(GgufWriter *writer, const char *key, GgufType item, const int64_t *values,
                   size_t count) {
    put_array_head(writer, text_of(key), item, count);
    for (size_t i = 0; i < count; i++)
        put_le(writer, &writer->pairs, (uint64_t)values[i], int_size(item));
}

void gguf_put_floats(GgufWriter *writer, const char *key, GgufType item, const double *values,
                     size_t count) {
    put_array_head(writer, text_of(key), item, count);
    for (size_t i = 0; i < count; i++) put_float_value(writer, item, values[i]);
}

void gguf_put_strings(GgufWriter *writer, const char *key, const Text *values, size_t count) {
    put_array_head(writer, text_of(key), GGUF_STRING, count);
    for (size_t i = 0; i < count; i++) gguf_write_put_text(writer, &writer->pairs, values[i]);
}

void gguf_put_pair(GgufWriter *writer, const GgufPair *pair) {
    if (pair->type == GGUF_ARRAY)
        put_array_head(writer, pair->key, pair->item, pair->count);
    else
        put_key(writer, pair->key, pair->type);
    gguf_write_put(writer, &writer->pairs, pair->data, gguf_value_bytes(pair));
}

static void put_info(GgufWriter *writer, const char *name, const Tensor *tensor,
                     size_t offset) {
    gguf_write_put_text(writer, &writer->infos, text_of(name));
    put_le(writer, &writer->infos, (uint64_t)tensor->ndim, 4);
    for (int i = tensor->ndim - 1; i >= 0; i--)
        put_le(writer, &writer->infos, tensor->shape[i], 8);
    put_le(writer, &writer->infos, tensor->dtype, 4);
    put_le(writer, &writer->infos, offset, 8);
    writer->n_tensors++;
}

void gguf_put_tensor(GgufWriter *writer, const char *name, const Tensor *tensor) {
    REQUIRE(tensor_is_contiguous(tensor), "tensor '%s' is not contiguous", name);
    REQUIRE(!writer->announced, "tensor '%s' comes behind announced ones", name);
    put_info(writer, name, tensor, writer->data.size);
    gguf_write_put(writer, &writer->data, tensor->data, tensor_bytes(tensor));
    put_padding(writer, &writer->data, writer->data.size);
}

void gguf_announce_tensor(GgufWriter *writer, const char *name, Dtype dtype, int ndim,
                          const size_t *shape) {
    Tensor tensor = tensor_view(dtype, ndim, shape, NULL);
    REQUIRE(!writer->data.size, "tensor '%s' is announced behind others", name);
    put_info(writer, name, &tensor, writer->announced);
    writer->announced += round_up(tensor_bytes(&tensor), GGUF_ALIGNMENT);
}

/* Everything before the data. */
static void put_head(GgufWriter *writer, Buffer *file) {
    gguf_write_put(writer, file, "GGUF", 4);
    put_le(writer, file, 3, 4);
    put_le(writer, file, writer->n_tensors, 8);
    put_le(writer, file, writer->n_pairs, 8);
    gguf_write_put(writer, file, writer->pairs.bytes, writer->pairs.size);
    gguf_write_put(writer, file, writer->infos.bytes, writer->infos.size);
    put_padding(writer, file, file->size);
}

static bool gguf_write_no_memory(Fault *fault) {
    return fault_set(fault, "memory ran out while a GGUF file was put together");
}

bool gguf_write_memory(GgufWriter *writer, unsigned char **bytes, size_t *size, Fault *fault) {
    Buffer file = {0};
    put_head(writer, &file);
    gguf_write_put(writer, &file, writer->data.bytes, writer->data.size);
    if (writer->out_of_memory) return free(file.bytes), gguf_write_no_memory(fault);
    *bytes = file.bytes;
    *size = file.size;
    return true;
}

bool gguf_write_file(GgufWriter *writer, const char *path, Fault *fault) {
    unsigned char *bytes = NULL;
    size_t size = 0;
    if (!gguf_write_memory(writer, &bytes, &size, fault)) return false;
    bool ok = file_write(path, bytes, size, fault);
    free(bytes);
    return ok;
}

bool gguf_begin_file(GgufWriter *writer, const char *path, FileOut *out, Fault *fault) {
    Buffer head = {0};
    put_head(writer, &head);
    bool ok = !writer->out_of_memory || gguf_write_no_memory(fault);
    ok = ok && file_writable(path, fault) && file_begin(out, path, fault);
    if (ok && (fwrite(head.bytes, 1, head.size, out->stream) != head.size ||
               fflush(out->stream) != 0 ||
               ftruncate(fileno(out->stream), (off_t)(head.size + writer->announced)) != 0)) {
        ok = fault_set(fault, "%s cannot be written: %s", path, strerror(errno));
        file_drop(out);
    }
    free(head.bytes);
    return ok;
}
