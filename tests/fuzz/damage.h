/* damage.h - a model file with its header damaged: damage number n is always the same.
 *
 * The header is walked once for its fields: lengths, counts, types, extents, offsets and values.
 * A damage flips a bit, sets a byte, gives a field another value, moves bytes, or cuts the file. */
#ifndef STRATA_DAMAGE_H
#define STRATA_DAMAGE_H

#include "try_file.h"

enum { MAX_FIELDS = 2000, FIELDS_OF_AN_ARRAY = 3 };

typedef struct Field {
    size_t at, size; /* bytes */
} Field;

typedef struct Header {
    size_t size; /* bytes before the tensors' data */
    size_t count;
    Field fields[MAX_FIELDS];
} Header;

static inline uint64_t field_value(const unsigned char *bytes, Field f) {
    uint64_t value = 0;
    for (size_t i = 0; i < f.size; i++) value |= (uint64_t)bytes[f.at + i] << (8 * i);
    return value;
}

static inline size_t add_field(Header *h, size_t at, size_t size) {
    if (h->count < MAX_FIELDS) h->fields[h->count++] = (Field){at, size};
    return at + size;
}

/* Where a text ends that begins at `at`. */
static inline size_t add_text(Header *h, const unsigned char *bytes, size_t at, bool field) {
    uint64_t length = field_value(bytes, (Field){at, 8});
    if (field) add_field(h, at, 8);
    return at + 8 + (size_t)length;
}

static inline void add_pair(Header *h, const unsigned char *bytes, const GgufPair *pair) {
    size_t at = add_field(h, (size_t)((const unsigned char *)pair->key.data - bytes) - 8, 8);
    size_t item =
        pair->item == GGUF_STRING ? 8 : gguf_value_bytes(pair) / (pair->count + !pair->count);
    at = add_field(h, at + pair->key.size, 4);
    if (pair->type == GGUF_ARRAY) at = add_field(h, add_field(h, at, 4), 8);
    for (uint64_t i = 0; i < pair->count && i < FIELDS_OF_AN_ARRAY; i++)
        at = pair->item == GGUF_STRING ? add_text(h, bytes, at, true) : add_field(h, at, item);
}

static inline void add_tensor(Header *h, const unsigned char *bytes, const GgufTensor *t) {
    size_t at = add_field(h, (size_t)((const unsigned char *)t->name.data - bytes) - 8, 8);
    at = add_field(h, at + t->name.size, 4);
    for (int i = 0; i < t->ndim; i++) at = add_field(h, at, 8);
    add_field(h, add_field(h, at, 4), 8); /* format and offset */
}

/* The fields of a file that can be parsed. */
static inline void find_fields(Header *h, const unsigned char *bytes, size_t size) {
    Gguf g;
    *h = (Header){0};
    REQUIRE(gguf_parse(&g, bytes, size, NULL), "a whole file of %zu bytes", size);
    add_field(h, add_field(h, add_field(h, 4, 4), 8), 8); /* version and counts */
    for (size_t i = 0; i < g.n_pairs; i++) add_pair(h, bytes, &g.pairs[i]);
    for (size_t i = 0; i < g.n_tensors; i++) add_tensor(h, bytes, &g.tensors[i]);
    h->size = g.data_start;
    gguf_free(&g);
}

/* A value that a field might well have, or should never have. */
static inline uint64_t other_value(uint64_t old, uint64_t random) {
    const uint64_t values[] = {0,
                               1,
                               2,
                               old + 1,
                               old - 1,
                               old * 2,
                               old / 2,
                               old ^ 0x80,
                               random % 64,
                               random,
                               UINT64_MAX,
                               (uint64_t)1 << 31,
                               ((uint64_t)1 << 32) - 1,
                               (uint64_t)1 << 62,
                               (uint64_t)1 << 63,
                               0x7FC00000 /* NaN */};
    return values[random >> 32 & 15];
}

static inline void damage_once(unsigned char *bytes, size_t *size, const Header *h,
                               uint64_t number, uint64_t k) {
    uint64_t kind = rng_hash(number, k, 0) % 8, where = rng_hash(number, k, 1),
             random = rng_hash(number, k, 2);
    size_t most = *size < h->size ? *size : h->size;
    Field f = h->fields[where % h->count];
    if (most < 16) return;
    if (kind == 0) {
        bytes[where % most] ^= (unsigned char)(1 << (random & 7));
    } else if (kind == 1) {
        bytes[where % most] = (unsigned char)random;
    } else if (kind == 2) {
        size_t n = 1 + random % 12;
        memmove(bytes + where % (most - n), bytes + (random >> 8) % (most - n), n);
    } else if (kind == 3 && (random & 3) == 0) {
        *size = (random >> 2 & 1) ? where % most : where % *size;
    } else if (f.at + f.size <= most) {
        uint64_t value = other_value(field_value(bytes, f), random);
        for (size_t i = 0; i < f.size; i++) bytes[f.at + i] = (unsigned char)(value >> (8 * i));
    }
}

/* Damage number `number` of a file: one to three of the above. */
static inline void damage(unsigned char *bytes, size_t *size, const Header *h,
                          uint64_t number) {
    for (uint64_t k = 0; k <= number % 3; k++) damage_once(bytes, size, h, number, k);
}

#endif
