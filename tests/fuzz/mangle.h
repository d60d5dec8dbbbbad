/* mangle.h - the source that a fuzzer damages, and how.  Define SOURCE, its most bytes, and
 * include a header with rng.h first. */
#ifndef STRATA_FUZZ_MANGLE_H
#define STRATA_FUZZ_MANGLE_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct {
    size_t number, size; /* of the case, of the source */
    unsigned char bytes[SOURCE + 1];
    Rng rng;
} f;

static _Noreturn void fail(const char *what) {
    printf("case %zu: %s, in\n", f.number, what);
    fwrite(f.bytes, 1, f.size, stdout);
    exit(1);
}

#define EXPECT(condition)                   \
    do {                                    \
        if (!(condition)) fail(#condition); \
    } while (0)

#define COUNT(list) (sizeof(list) / sizeof *(list))

static size_t below(size_t n) { return n ? rng_below(&f.rng, n) : 0; }

/* Case N is the same on every machine. */
static void begin_case(size_t number) {
    f.number = number, f.size = 0, f.rng = (Rng){7, number, 0};
}

/* Put bytes at a place, as far as there is room; they may be the source's own. */
static void insert(const void *bytes, size_t size, size_t at) {
    char copy[SOURCE];
    if (f.size + size > SOURCE) return;
    memcpy(copy, bytes, size);
    memmove(f.bytes + at + size, f.bytes + at, f.size - at);
    memcpy(f.bytes + at, copy, size);
    f.size += size;
}

static void put(const void *bytes, size_t size) { insert(bytes, size, f.size); }

/* One of some words with blanks between; _ stands for a blank. */
static void insert_word(const char *words, size_t at) {
    char word[64];
    size_t count = 1, size;
    for (const char *c = words; *c; c++) count += *c == ' ';
    for (count = below(count); count > 0; count--) words = strchr(words, ' ') + 1;
    size = strcspn(words, " ");
    for (size_t i = 0; i < size; i++) word[i] = words[i] == '_' ? ' ' : words[i];
    insert(word, size, at);
}

/* One change: a byte or a bit, a piece cut, doubled or taken from another source, a word. */
static void mangle(const char *words, Text other) {
    size_t at = below(f.size), size = below(f.size - at < 60 ? f.size - at : 60),
           from = below(other.size);
    switch (below(8)) {
    case 0:
        if (f.size) f.bytes[at] = (unsigned char)below(256);
        break;
    case 1:
        if (f.size) f.bytes[at] ^= (unsigned char)(1 << below(8));
        break;
    case 2:
        memmove(f.bytes + at, f.bytes + at + size, f.size - at - size);
        f.size -= size;
        break;
    case 3: insert(f.bytes + at, size, below(f.size)); break;
    case 4: insert(other.data + from, below(other.size - from + 1), at); break;
    default: insert_word(words, at); break;
    }
}

#endif
