/* gguf_read.c - parse a GGUF file, or refuse it and say why.  See gguf.h.
 *
 * A Reader (gguf_reader.h) walks the buffer; each take_* checks that what it takes is there,
 * and after the first failure takes nothing more.  Counts from the file never size an
 * allocation on their own: each counted thing needs some bytes in the file, so the file's size
 * bounds the count. */
#include "gguf_reader.h"

#include <stdlib.h>
#include <string.h>

uint64_t gguf_load(const unsigned char *p, int size) {
    uint64_t value = 0;
    for (int i = 0; i < size; i++) value |= (uint64_t)p[i] << (8 * i);
    return value;
}

Text gguf_take_string(Reader *reader, const char *what) {
    uint64_t size = take_int(reader, 8, what);
    const unsigned char *bytes = take_bytes(reader, size, what);
    return bytes ? (Text){(const char *)bytes, (size_t)size} : (Text){"", 0};
}

/* Check before each multiplication, so that the product never overflows. */
bool gguf_shape_bytes(const uint64_t *dims, int ndim, const DtypeInfo *info, uint64_t max,
                      uint64_t *bytes) {
    uint64_t count = 1, limit = (uint64_t)1 << 46;
    if (max < limit) limit = max;
    for (int i = 0; i < ndim; i++) {
        if (dims[i] == 0 || dims[i] > limit / count) return false;
        count *= dims[i];
    }
    *bytes = count / info->block * info->bytes;
    return *bytes <= max;
}

static int compare_names(const void *a, const void *b) {
    return text_order(*(const Text *)a, *(const Text *)b);
}

bool gguf_twice(Text *names, size_t count, Text *twice) {
    qsort(names, count, sizeof *names, compare_names);
    for (size_t i = 1; i < count; i++)
        if (text_equal(*twice = names[i], names[i - 1])) return true;
    return false;
}

static bool check_unique(Reader *reader, Text *names, size_t count, const char *kind) {
    Text twice;
    return !gguf_twice(names, count, &twice) ||
           refuse(reader, "the %s '%.*s' appears twice: the file is damaged", kind,
                  shown(twice), twice.data);
}

static void check_names(Gguf *gguf, Reader *reader) {
    size_t max = max_size(gguf->n_pairs, gguf->n_tensors);
    Text *names = malloc((max + 1) * sizeof *names);
    if (!names) {
        refuse(reader, "no memory for %zu names", max);
        return;
    }
    for (size_t i = 0; i < gguf->n_pairs; i++) names[i] = gguf->pairs[i].key;
    bool ok = check_unique(reader, names, gguf->n_pairs, "key");
    for (size_t i = 0; i < gguf->n_tensors; i++) names[i] = gguf->tensors[i].name;
    if (ok) check_unique(reader, names, gguf->n_tensors, "tensor");
    free(names);
}

static void refuse_magic(Reader *reader, const unsigned char *magic) {
    const char *kind = file_kind(reader->start, (size_t)(reader->end - reader->start));
    if (kind) refuse(reader, "this is not a GGUF file but %s", kind);
    refuse(reader, "this is not a GGUF file: it begins with %02x %02x %02x %02x, wanted 'GGUF'",
           magic[0], magic[1], magic[2], magic[3]);
}

static void refuse_version(Reader *reader, uint32_t version) {
    refuse(reader, "GGUF version %u%s: versions 2 and 3 can be read, convert the file again",
           version, (version & 0xFFFF) == 0 ? " (a big-endian file?)" : "");
}

/* Refuse counts that the file has no room for before allocating: a pair takes at least 13
 * bytes, a tensor 32. */
static void read_header(Gguf *gguf, Reader *reader) {
    const unsigned char *magic = take_bytes(reader, 4, "no room for the magic");
    if (magic && memcmp(magic, "GGUF", 4) != 0) refuse_magic(reader, magic);
    gguf->version = (uint32_t)take_int(reader, 4, "no version");
    if (gguf->version != 2 && gguf->version != 3) refuse_version(reader, gguf->version);
    uint64_t tensors = take_int(reader, 8, "no tensor count"),
             pairs = take_int(reader, 8, "no pair count");
    if (reader->ok && (pairs > left(reader) / 13 || tensors > left(reader) / 32))
        fail(reader, "more keys or tensors than the file has room for");
    gguf->n_tensors = (size_t)tensors, gguf->n_pairs = (size_t)pairs;
}

static void read_alignment(Gguf *gguf, Reader *reader) {
    int64_t alignment = 32;
    const GgufPair *pair = gguf_find(gguf, "general.alignment");
    if (pair && (pair->type == GGUF_ARRAY || !gguf_int(pair, 0, &alignment)))
        refuse(reader,
               "general.alignment is of type %s, wanted an integer: convert the file again",
               gguf_type_name(pair->type));
    if (alignment < 8 || alignment > 1 << 20 || (alignment & (alignment - 1)))
        refuse(
            reader,
            "general.alignment is %lld, wanted a power of two from 8 to 2^20: convert the file "
            "again",
            (long long)alignment);
    gguf->alignment = (size_t)alignment;
}

static void place_tensor(Gguf *gguf, Reader *reader, GgufTensor *tensor, uint64_t offset) {
    size_t room = (size_t)(reader->end - reader->start) - gguf->data_start;
    if (!reader->ok) return;
    if (offset % gguf->alignment != 0)
        refuse(
            reader,
            "tensor '%.*s' begins at offset %llu, which is not a multiple of %zu: convert the "
            "file again",
            shown(tensor->name), tensor->name.data, (unsigned long long)offset,
            gguf->alignment);
    else if (offset > room || tensor->bytes > room - offset)
        refuse(reader,
               "tensor '%.*s' needs %zu bytes at offset %llu, and the data has %zu: the "
               "file is cut short or damaged, fetch it again",
               shown(tensor->name), tensor->name.data, tensor->bytes,
               (unsigned long long)offset, room);
    else
        tensor->data = reader->start + gguf->data_start + offset;
}

static void read_tensors(Gguf *gguf, Reader *reader, uint64_t *offsets) {
    for (size_t i = 0; i < gguf->n_tensors && reader->ok; i++)
        offsets[i] = gguf_take_tensor(reader, &gguf->tensors[i]);
    if (!reader->ok) return;
    size_t header = (size_t)(reader->at - reader->start);
    gguf->data_start = round_up(header, gguf->alignment);
    if (gguf->n_tensors == 0) return;
    if (gguf->data_start > (size_t)(reader->end - reader->start))
        fail(reader, "the header ends where the data should begin");
    for (size_t i = 0; i < gguf->n_tensors; i++)
        place_tensor(gguf, reader, &gguf->tensors[i], offsets[i]);
}

static void read_body(Gguf *gguf, Reader *reader) {
    uint64_t *offsets = calloc(gguf->n_tensors + 1, sizeof *offsets);
    gguf->pairs = calloc(gguf->n_pairs + 1, sizeof *gguf->pairs);
    gguf->tensors = calloc(gguf->n_tensors + 1, sizeof *gguf->tensors);
    if (!offsets || !gguf->pairs || !gguf->tensors)
        refuse(reader, "no memory for %zu keys and %zu tensors", gguf->n_pairs,
               gguf->n_tensors);
    for (size_t i = 0; reader->ok && i < gguf->n_pairs; i++)
        gguf_take_pair(reader, &gguf->pairs[i]);
    if (reader->ok) read_alignment(gguf, reader);
    if (reader->ok) read_tensors(gguf, reader, offsets);
    if (reader->ok) check_names(gguf, reader);
    free(offsets);
}

bool gguf_parse(Gguf *gguf, const void *bytes, size_t size, Fault *fault) {
    Reader reader = {bytes, bytes, (const unsigned char *)bytes + size, fault, true};
    *gguf = (Gguf){0};
    read_header(gguf, &reader);
    if (reader.ok) read_body(gguf, &reader);
    if (!reader.ok) gguf_free(gguf);
    return reader.ok;
}
