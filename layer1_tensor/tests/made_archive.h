/* made_archive.h - small files as torch.save writes them, byte by byte: for tests and for
 * fuzzing. */
#ifndef STRATA_MADE_ARCHIVE_H
#define STRATA_MADE_ARCHIVE_H

#include "tensor.h"

#include <stdlib.h>
#include <string.h>

/* An archive being built: entries, and the directory after them. */
typedef struct Made {
    unsigned char bytes[8192], directory[2048];
    size_t size, listed, count;
} Made;

static inline void made_put(unsigned char *at, size_t *size, const void *data, size_t n) {
    memcpy(at + *size, data, n);
    *size += n;
}

static inline void made_number(unsigned char *at, size_t *size, uint64_t value, size_t width) {
    for (size_t i = 0; i < width; i++)
        at[(*size)++] = (unsigned char)(i < 8 ? value >> (8 * i) : 0);
}

/* What entry and record share: from the flags to the size of the name. */
static inline void made_common(unsigned char *at, size_t *size, int method, size_t n,
                               const char *name) {
    made_number(at, size, 0, 2);
    made_number(at, size, (uint64_t)method, 2);
    made_number(at, size, 0, 8); /* time, checksum */
    made_number(at, size, n, 4);
    made_number(at, size, n, 4);
    made_number(at, size, strlen(name), 2);
}

static inline void made_add(Made *m, const char *name, const void *data, size_t n, int method) {
    size_t place = m->size;
    made_put(m->bytes, &m->size, "PK\3\4\24\0", 6);
    made_common(m->bytes, &m->size, method, n, name);
    made_number(m->bytes, &m->size, 4, 2);
    made_put(m->bytes, &m->size, name, strlen(name));
    made_put(m->bytes, &m->size, "FB\0\0", 4);
    made_put(m->bytes, &m->size, data, n);
    made_put(m->directory, &m->listed, "PK\1\2\24\0\24\0", 8);
    made_common(m->directory, &m->listed, method, n, name);
    made_number(m->directory, &m->listed, 0, 12); /* extra, comment, disk, attributes */
    made_number(m->directory, &m->listed, place, 4);
    made_put(m->directory, &m->listed, name, strlen(name));
    m->count++;
}

static inline void made_finish(Made *m) {
    size_t place = m->size;
    made_put(m->bytes, &m->size, m->directory, m->listed);
    made_put(m->bytes, &m->size, "PK\5\6\0\0\0\0", 8);
    made_number(m->bytes, &m->size, m->count, 2);
    made_number(m->bytes, &m->size, m->count, 2);
    made_number(m->bytes, &m->size, m->listed, 4);
    made_number(m->bytes, &m->size, place, 4);
    made_number(m->bytes, &m->size, 0, 2);
}

static const float made_numbers[6] = {1, 2, 3, 4, 5, 6};

static inline Made made_archive(const void *pickle, size_t n) {
    Made m = {.size = 0};
    made_add(&m, "x/data.pkl", pickle, n, 0);
    made_add(&m, "x/data/0", made_numbers, sizeof made_numbers, 0);
    return m;
}

/* The opcodes of a tensor: of storage KEY with COUNT numbers, from OFFSET on, of SHAPE with
 * STRIDES. */
#define STORAGE(type, key, count) \
    "((X\7\0\0\0storagectorch\n" type "\nX\1\0\0\0" key "X\3\0\0\0cpuK" count "tQ"
#define TENSOR(offset, shape, strides)                                                  \
    "ctorch._utils\n_rebuild_tensor_v2\n" STORAGE("FloatStorage", "0",                  \
                                                  "\6") "K" offset shape strides "\x89" \
                                                        "ccollections\nOrderedDict\n)RtR"

#endif
