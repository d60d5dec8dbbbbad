/* The graders of layer 1: memory, and a file's header and values. */
#include "../src/gguf/gguf_bytes.h"
#include "../src/gguf/gguf_reader.h"
#include "grader.h"
#include "tensor.h"

#include <inttypes.h>
#include <stdbool.h>

GRADE(arena) {
    Arena a;
    Fault fault;
    for (int round = 0; round < 20; round++) {
        size_t used = 0, counts[30], sizes[30];
        arena_measure(&a);
        for (int i = 0; i < 30; i++) {
            counts[i] = fresh_below(40),
            sizes[i] = (size_t[]){1, 4, 8, 64, 100}[fresh_below(5)];
            if (round == 0) counts[i] = 1 + counts[i];
            size_t bytes = counts[i] * sizes[i],
                   whole = (bytes + ARENA_ALIGN - 1) / ARENA_ALIGN * ARENA_ALIGN;
            void *none = arena_take(&a, counts[i], sizes[i]);
            HINT(none == NULL,
                 "while it measures the arena has no memory to give: return NULL");
            HINT(a.used != used + bytes || bytes == whole,
                 "a piece of %zu bytes is rounded up to a multiple of %d", bytes, ARENA_ALIGN);
            HINT(a.used == used + whole || a.used != whole,
                 "used must grow with every piece, or pieces overlap: it was %zu, and is %zu "
                 "after a piece of %zu",
                 used, a.used, bytes);
            HINT(a.used != used + whole + ARENA_ALIGN,
                 "%zu bytes are %zu units of %d exactly: one more is taken", bytes,
                 whole / ARENA_ALIGN, ARENA_ALIGN);
            used += whole;
            COUNT(a.used, used, "used after %d pieces, the last one %zu * %zu bytes", i + 1,
                  counts[i], sizes[i]);
        }
        NEED(arena_init(&a, used, &fault));
        size_t place = 0;
        for (int i = 0; i < 30; i++) {
            unsigned char *piece = arena_take(&a, counts[i], sizes[i]);
            HINT(piece != NULL, "with a base there is memory to give: where the piece begins");
            HINT(piece != a.base + a.used || counts[i] == 0,
                 "a piece begins where the last one ended, not where it ends itself");
            HINT(i == 0 || piece != a.base || place == 0,
                 "every piece is given the same place: two pieces overlap");
            COUNT(piece - a.base, place,
                  "piece %d begins where the last one ended: bytes from the base", i);
            memset(piece, 0xAA, counts[i] * sizes[i]);
            place += (counts[i] * sizes[i] + ARENA_ALIGN - 1) / ARENA_ALIGN * ARENA_ALIGN;
        }
        arena_free(&a);
    }
}

/* ---------------------------------------------------------------- the header */

static unsigned char file[8192];
static size_t filled;

static void put(uint64_t value, int size) {
    for (int i = 0; i < size; i++) file[filled++] = (unsigned char)(value >> (8 * i));
}

static void put_text(const char *text) {
    put(strlen(text), 8);
    memcpy(file + filled, text, strlen(text)), filled += strlen(text);
}

static void begin(uint32_t version, uint64_t tensors, uint64_t pairs) {
    filled = 0;
    memcpy(file, "GGUF", 4), filled = 4;
    put(version, 4), put(tensors, 8), put(pairs, 8);
}

static bool parsed(Gguf *gguf, Fault *fault) {
    static unsigned char *copy;
    free(copy);
    copy = malloc(filled ? filled : 1); /* of exactly this size */
    NEED(copy);
    memcpy(copy, file, filled);
    return gguf_parse(gguf, copy, filled, fault);
}

/* A string, with a 0 in it, and one whose bytes are not there. */
static void check_string(void) {
    static const unsigned char whole[] = {3, 0, 0, 0, 0, 0, 0, 0, 'a', 0, 'b'};
    Fault fault = {""};
    Reader reader = {whole, whole, whole + sizeof whole, &fault, true};
    Text text = gguf_take_string(&reader, "a string");
    HINT(reader.ok && text.data == (const char *)whole + 8,
         "a string of 3 bytes that are there: its bytes begin 8 after the start of its length");
    COUNT(text.size, 3, "a string is as long as it says, with a byte of 0 in it as well");
    reader = (Reader){whole, whole, whole + sizeof whole - 1, &fault, true};
    text = gguf_take_string(&reader, "a string");
    HINT(!reader.ok && text.data && text.size == 0,
         "a string whose bytes are not there is \"\", of 0 bytes, and not NULL");
}

/* `count` pairs or tensors, as small as possible: they fill the file. */
static void check_small(uint64_t count, bool pairs) {
    Gguf gguf;
    Fault fault = {""};
    begin(3, pairs ? 0 : count, pairs ? count : 0);
    for (uint64_t i = 0; i < count; i++) {
        put(2, 8), put('A' + i % 50, 1), put('A' + i / 50, 1);
        if (pairs)
            put(GGUF_U8, 4), put(7, 1);
        else
            put(1, 4), put(1, 8), put(DTYPE_F32, 4), put(0, 8);
    }
    for (int i = 0; i < 64 && !pairs; i++) put(0, 1);
    HINT(parsed(&gguf, &fault),
         "a right file with %" PRIu64 " %s, each as small as it can be, is refused (%s): %d "
         "bytes each have to be there, of what is left",
         count, pairs ? "pairs" : "tensors", fault.text, pairs ? 13 : 32);
    gguf_free(&gguf);
    /* one more than there is room for; what follows must not be read */
    begin(3, pairs ? 0 : 101, pairs ? 101 : 0);
    for (int i = 0; i < (pairs ? 13 : 32) * 101 - 1; i++) put(0xFF, 1);
    fault.text[0] = 0;
    HINT(!parsed(&gguf, &fault) && !strstr(fault.text, "runs past the end"),
         "101 %s do not fit into the %d bytes after the header (left): read_header must refuse "
         "them, not a later function (\"%s\"): %d bytes each",
         pairs ? "pairs" : "tensors", (pairs ? 13 : 32) * 101 - 1, fault.text, pairs ? 13 : 32);
}

GRADE(header) {
    Gguf gguf;
    Fault fault = {""};
    begin(3, 0, 0);
    HINT(parsed(&gguf, &fault),
         "a header with 0 tensors and 0 pairs is a file, and is refused (%s): are numbers read "
         "little-endian, byte i times 256^i, and in the order magic, version, tensors, pairs?",
         fault.text);
    COUNT(gguf.version, 3, "the version is the u32 after the magic, little-endian");
    gguf_free(&gguf);
    for (int round = 0; round < 60; round++) {
        unsigned char bytes[8];
        uint64_t want = 0;
        int size = (int[]){1, 2, 4, 8}[round % 4];
        for (int i = 0; i < 8; i++) bytes[i] = (unsigned char)fresh_below(256);
        for (int i = size - 1; i >= 0; i--) want = want << 8 | bytes[i];
        uint64_t got = gguf_load(bytes, size), big = 0;
        for (int i = 0; i < size; i++) big = big << 8 | bytes[i];
        HINT(got != big || big == want,
             "gguf_load: little-endian, the smallest byte comes first: byte i is worth 256^i");
        HINT(size < 8 || got >> 32 == want >> 32,
             "gguf_load: eight bytes need a shift of 64 bits: expected 0x%016" PRIx64
             ", got 0x%016" PRIx64,
             want, got);
        HINT(got == want,
             "gguf_load of %d bytes that begin with %02x: expected 0x%" PRIx64
             ", got 0x%" PRIx64,
             size, bytes[0], want, got);
    }
    for (int round = 0; round < 40; round++) {
        char key[64], value[64];
        size_t length = 1 + fresh_below(40), other = fresh_below(60);
        for (size_t i = 0; i < 63; i++)
            key[i] = (char)('a' + fresh_below(26)), value[i] = (char)('A' + fresh_below(26));
        key[length] = value[other] = 0;
        begin(2 + (uint32_t)fresh_below(2), 0, 1);
        put_text(key), put(GGUF_STRING, 4), put_text(value);
        size_t whole = filled;
        HINT(parsed(&gguf, &fault), "a file with one pair, '%s' = '%s', is refused: %s", key,
             value, fault.text);
        COUNT(gguf.n_pairs, 1, "the second count is that of pairs");
        COUNT(gguf.n_tensors, 0, "the first count is that of tensors");
        COUNT(gguf.pairs[0].key.size, length,
              "a string is a u64, its length, then so many bytes: length of the key");
        HINT(memcmp(gguf.pairs[0].key.data, key, length) == 0,
             "a string's bytes begin after its length: expected '%s'", key);
        gguf_free(&gguf);
        filled = fresh_below(whole);
        fault.text[0] = 0;
        HINT(!parsed(&gguf, &fault),
             "a file cut at byte %zu of %zu is read as if it were whole", filled, whole);
        HINT(strlen(fault.text) > 5, "a file cut at byte %zu is refused without a word",
             filled);
    }
    begin(3, 0, 0), file[0] = 'X';
    HINT(!parsed(&gguf, &fault), "a file must begin with GGUF (refuse_magic)");
    for (int i = 0; i < 4; i++) {
        begin(3, 0, 0), file[i] ^= 0x20;
        HINT(!parsed(&gguf, &fault),
             "all four letters of the magic count: one that differs in letter %d is no GGUF "
             "file (refuse_magic)",
             i);
    }
    for (uint32_t k = 0; k < 13; k++) {
        uint32_t version =
            k < 9 ? k : (uint32_t[]){258, 3 + 65536, 0x02000000, 0x03000000}[k - 9];
        begin(version, 0, 0);
        bool ok = parsed(&gguf, &fault);
        HINT(ok || (version != 2 && version != 3), "version %u can be read, and is refused",
             version);
        HINT(!ok || version == 2 || version == 3, "version %u must be refused (refuse_version)",
             version);
        if (ok) gguf_free(&gguf);
    }
    const uint64_t many[] = {100, UINT64_MAX, UINT64_MAX / 32 + 1, UINT64_MAX / 13 + 1};
    for (int k = 0; k < 8; k++) {
        bool pairs = k % 2;
        fault.text[0] = 0;
        begin(3, pairs ? 0 : many[k / 2], pairs ? many[k / 2] : 0);
        HINT(!parsed(&gguf, &fault),
             "a file of 24 bytes says that it has %" PRIu64
             " %s, and is believed: each takes %d bytes at least",
             many[k / 2], pairs ? "pairs" : "tensors", pairs ? 13 : 32);
        /* messages of the functions after read_header */
        HINT(!strstr(fault.text, "no memory for") && !strstr(fault.text, "runs past the end"),
             "%" PRIu64
             " %s have no room in 24 bytes: refused by read_header, before memory is "
             "asked for, and not later (\"%s\"); a product can overflow, a quotient cannot",
             many[k / 2], pairs ? "pairs" : "tensors", fault.text);
    }
    check_string();
    check_small(1 + fresh_below(9), false), check_small(120, false);
    check_small(1 + fresh_below(9), true), check_small(250, true);
}

/* ---------------------------------------------------------------- values of pairs */

static GgufPair pair_of(GgufType type, uint64_t count) {
    return (GgufPair){
        .type = count == 1 ? type : GGUF_ARRAY, .item = type, .count = count, .data = file};
}

static void check_ints(GgufType type) {
    static const int sizes[GGUF_TYPES] = {1, 1, 2, 2, 4, 4, 4, 1, 0, 0, 8, 8, 8};
    const char *name = gguf_type_name(type);
    int size = sizes[type];
    uint64_t n = 1 + fresh_below(5);
    GgufPair pair = pair_of(type, n);
    filled = 0;
    for (uint64_t i = 0; i < n; i++) put(fresh_bits(), size);
    if (type == GGUF_BOOL) file[0] = 1;
    for (uint64_t i = 0; i < n; i++) {
        uint64_t bits = 0;
        for (int b = size - 1; b >= 0; b--)
            bits = bits << 8 | file[i * (uint64_t)size + (uint64_t)b];
        bool has_sign =
            type == GGUF_I8 || type == GGUF_I16 || type == GGUF_I32 || type == GGUF_I64;
        int64_t want = has_sign && size < 8
                           ? (int64_t)(bits << (64 - 8 * size)) >> (64 - 8 * size)
                           : (int64_t)bits,
                got = -77;
        bool ok = gguf_int(&pair, i, &got), fits = type != GGUF_U64 || bits >> 63 == 0;
        HINT(ok || !fits,
             "gguf_int of %s, item %" PRIu64 " of %" PRIu64
             ", is refused: any integer type reads as an integer",
             name, i, n);
        HINT(!ok || fits,
             "gguf_int of u64 0x%016" PRIx64 ": it does not fit an int64, so false", bits);
        if (!ok) continue;
        HINT(got != (int64_t)bits || want == got,
             "gguf_int of %s 0x%" PRIx64 ": its top bit is the sign, which the int64 must have "
             "in all higher bits: expected %" PRId64 ", got %" PRId64,
             name, bits, want, got);
        HINT(got == want,
             "gguf_int of %s, item %" PRIu64
             ", %d bytes after the one before: expected %" PRId64 ", got %" PRId64,
             name, i, size, want, got);
        double wide = -77;
        HINT(gguf_float(&pair, i, &wide) && wide == (double)want,
             "gguf_float of %s %" PRId64 ": any number reads as a number, got %g", name, want,
             wide);
    }
    int64_t ignored;
    double none;
    HINT(!gguf_int(&pair, n, &ignored) && !gguf_float(&pair, n, &none),
         "item %" PRIu64 " of %" PRIu64 ": i is out of range, so false", n, n);
    COUNT(gguf_value_bytes(&pair), n * (uint64_t)size, "bytes of %" PRIu64 " items of %s", n,
          name);
}

static void check_floats(bool single) {
    uint64_t n = 1 + fresh_below(5);
    GgufPair pair = pair_of(single ? GGUF_F32 : GGUF_F64, n);
    for (uint64_t i = 0; i < n; i++) {
        double wide = fresh_between(-5, 5);
        float narrow = (float)wide;
        if (single)
            memcpy(file + 4 * i, &narrow, 4);
        else
            memcpy(file + 8 * i, &wide, 8);
        double got = -77;
        int64_t whole;
        bool ok = gguf_float(&pair, i, &got);
        HINT(ok, "gguf_float of %s is refused", single ? "f32" : "f64");
        NUMBER(got, single ? (double)narrow : wide, 0,
               "gguf_float of %s, item %" PRIu64 ": %d bytes each, copied as they are",
               single ? "f32" : "f64", i, single ? 4 : 8);
        HINT(!gguf_int(&pair, i, &whole), "gguf_int of %s: the type does not fit, so false",
             single ? "f32" : "f64");
    }
}

static void check_strings(void) {
    uint64_t n = 1 + fresh_below(5);
    size_t at[6];
    filled = 0;
    for (uint64_t i = 0; i < n; i++) {
        size_t length = fresh_below(30);
        at[i] = filled;
        put(length, 8);
        for (size_t k = 0; k < length; k++) put('a' + fresh_below(26), 1);
    }
    at[n] = filled;
    GgufPair pair = pair_of(GGUF_STRING, n);
    const unsigned char *cursor = file;
    for (uint64_t i = 0; i < n; i++) {
        Text text = gguf_next_string(&cursor);
        HINT(text.data == (const char *)file + at[i] + 8,
             "string %" PRIu64 " of an array: its bytes begin 8 after the start of its length, "
             "which is at byte %zu; got byte %zd",
             i, at[i], (ssize_t)(text.data - (const char *)file));
        COUNT(text.size, at[i + 1] - at[i] - 8, "length of string %" PRIu64, i);
        COUNT(cursor - file, at[i + 1],
              "the cursor after string %" PRIu64 ": after its length and its bytes", i);
    }
    COUNT(gguf_value_bytes(&pair), filled,
          "bytes of %" PRIu64 " strings: each has a length of 8 bytes before it", n);
    Text one = {0};
    HINT(gguf_string(&pair, &one) == (n == 1),
         "gguf_string is for a pair that is one string; an array of strings is walked with "
         "gguf_next_string");
    HINT(n > 1 || one.size == filled - 8, "gguf_string: expected %zu bytes, got %zu",
         filled - 8, one.size);
    int64_t whole;
    double number;
    HINT(!gguf_int(&pair, 0, &whole) && !gguf_float(&pair, 0, &number),
         "a string is no number: gguf_int and gguf_float are false");
}

GRADE(values) {
    const GgufType ints[] = {GGUF_U8,  GGUF_I8,  GGUF_U16, GGUF_I16, GGUF_U32,
                             GGUF_I32, GGUF_U64, GGUF_I64, GGUF_BOOL};
    for (int round = 0; round < 90; round++) check_ints(ints[round % 9]);
    for (int round = 0; round < 30; round++) check_floats(round % 2), check_strings();
    int64_t whole;
    double number;
    Text text;
    GgufPair seven = pair_of(GGUF_U32, 1);
    HINT(!gguf_int(NULL, 0, &whole) && !gguf_float(NULL, 0, &number) &&
             !gguf_string(NULL, &text),
         "a pair that is not in the file is NULL (gguf_find): false");
    HINT(!gguf_string(&seven, &text), "gguf_string of a u32: the type does not fit, so false");
}

GRADES({"1.11", arena}, {"1.8", header}, {"1.9", values})
