/* The grader of a GGUF file's lists: keys with values, and the entries of tensors. */
#include "../src/gguf/gguf_reader.h"
#include "grader.h"

DECLARE_SHIPPED(gguf_take_pair);
DECLARE_SHIPPED(gguf_take_tensor);

enum { ROOM = 1 << 17 };
static unsigned char file[ROOM];
static size_t filled;

static void put(uint64_t value, int size) {
    for (int i = 0; i < size; i++) file[filled++] = (unsigned char)(value >> (8 * i));
}

static void put_letters(size_t n) {
    put(n, 8);
    for (size_t i = 0; i < n; i++) put('a' + fresh_below(26), 1);
}

/* A reader of a copy of exactly this size: reading past its end is caught. */
static Reader reader_of(Fault *fault) {
    static unsigned char *copy;
    free(copy);
    copy = malloc(filled ? filled : 1);
    NEED(copy);
    memcpy(copy, file, filled);
    fault->text[0] = 0;
    return (Reader){copy, copy, copy + filled, fault, true};
}

static const char *name_of(unsigned type) {
    return type < GGUF_TYPES ? gguf_type_name((GgufType)type) : "no type";
}

/* ------------------------------------------------------------------ pairs */

/* Check that the file is read or refused, whichever is right; returns whether it was read. */
static bool pair_of(const char *what) {
    Fault fault, other;
    GgufPair got, want;
    memset(&got, 0x55, sizeof got), memset(&want, 0x55, sizeof want);
    Reader ours = reader_of(&other), mine = ours;
    mine.fault = &fault, fault.text[0] = 0;
    SHIPPED(gguf_take_pair)(&ours, &want), gguf_take_pair(&mine, &got);
    HINT(ours.ok || !mine.ok, "%s: it is read, and should be refused: \"%s\"", what,
         other.text);
    HINT(!ours.ok || mine.ok, "%s: it is right, and is refused: \"%s\"", what, fault.text);
    HINT(mine.ok || fault.text[0], "%s: it is refused without a word: fail(), refuse_...()",
         what);
    if (!ours.ok) return false;
    HINT(got.key.data == want.key.data && got.key.size == want.key.size,
         "%s: the key is the string at the beginning, of %zu letters; got %zu", what,
         want.key.size, got.key.size);
    HINT(got.type == want.type, "%s: the type after the key is %s, got %s", what,
         name_of(want.type), name_of((unsigned)got.type));
    HINT(got.item == want.item,
         "%s: item is the type of an array's items, and of what is no array the type itself: "
         "%s, got %s",
         what, name_of(want.item), name_of((unsigned)got.item));
    COUNT(got.count, want.count, "%s: count is how many items an array has, else 1", what);
    COUNT(got.data - mine.start, want.data - ours.start,
          "%s: data points to the first byte of the value (of strings: to the length of the "
          "first); byte of the file",
          what);
    COUNT(mine.at - mine.start, ours.at - ours.start,
          "%s: what comes next begins after the value (each string of an array has its own "
          "length before it); byte of the file",
          what);
    return true;
}

static void fresh_value(unsigned type) {
    if (type == GGUF_STRING)
        put_letters(fresh_below(12));
    else
        put(fresh_bits(), gguf_type_size[type]);
}

static void fresh_pair(unsigned type, bool array) {
    char what[80];
    uint64_t n = array ? fresh_below(7) : 1;
    filled = 0;
    put_letters(1 + fresh_below(20));
    put(array ? GGUF_ARRAY : type, 4);
    if (array) put(type, 4), put(n, 8);
    for (uint64_t i = 0; i < n; i++) fresh_value(type);
    size_t whole = filled;
    for (size_t i = 0; i < 20; i++) put(fresh_bits(), 1); /* another one follows */
    if (array)
        snprintf(what, sizeof what, "an array of %d, %s", (int)n, name_of(type));
    else
        snprintf(what, sizeof what, "a value of type %s", name_of(type));
    pair_of(what);
    filled = whole;
    pair_of(what); /* the last one of the file */
    filled = fresh_below(whole);
    snprintf(what, sizeof what, "a pair that is cut at byte %zu of %zu", filled, whole);
    pair_of(what);
}

static void odd_pairs(void) {
    static const uint64_t many[] = {5, UINT64_MAX, UINT64_MAX / 8 + 1, UINT64_MAX / 2 + 1};
    filled = 0;
    put(0, 8), put(GGUF_U8, 4), put(7, 1);
    pair_of("an empty key");
    for (unsigned type = GGUF_TYPES; type < GGUF_TYPES + 3; type++)
        for (int array = 0; array < 2; array++) {
            filled = 0;
            put_letters(3);
            if (array) put(GGUF_ARRAY, 4);
            put(array ? type : type + 1000 * (type % 2), 4), put(array, 8), put(1, 8);
            pair_of(array ? "an array of a type that there is not"
                          : "a type that there is not");
        }
    filled = 0;
    put_letters(3), put(GGUF_ARRAY, 4), put(GGUF_ARRAY, 4), put(1, 8);
    put(GGUF_U8, 4), put(1, 8), put(1, 1);
    pair_of("an array of arrays");
    for (size_t i = 0; i < sizeof many / sizeof *many; i++) {
        filled = 0;
        put_letters(3), put(GGUF_ARRAY, 4), put(GGUF_F64, 4), put(many[i], 8);
        for (int k = 0; k < 4; k++) put(1, 8);
        pair_of("an array of more items than the file has bytes for (divide: a product can "
                "overflow)");
    }
    filled = 0;
    put_letters(3), put(GGUF_ARRAY, 4), put(GGUF_STRING, 4), put(3, 8);
    put_letters(4), put(UINT64_MAX - 3, 8), put_letters(4);
    pair_of("an array with a string that runs past the end");
}

/* Keys, values and arrays longer than a byte counts, and than 16 bits. */
static void long_pairs(void) {
    static const size_t lengths[] = {255, 256, 300, 65536, 70000};
    for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++)
        for (int kind = 0; kind < 4; kind++) {
            static const char *const what[] = {"a long key", "a long string",
                                               "an array of many numbers",
                                               "an array of many strings"};
            size_t n = kind == 3 ? lengths[i] / 10 : lengths[i];
            filled = 0;
            put_letters(kind ? 3 : n);
            put(kind < 2 ? GGUF_STRING : GGUF_ARRAY, 4);
            if (kind < 2) put_letters(kind ? n : 3);
            if (kind >= 2) put(kind == 2 ? GGUF_U8 : GGUF_STRING, 4), put(n, 8);
            for (size_t k = 0; k < n && kind == 2; k++) put(k, 1);
            for (size_t k = 0; k < n && kind == 3; k++) put_letters(k % 3);
            pair_of(what[kind]);
        }
    for (int array = 0; array < 2; array++) { /* a type's number has 32 bits */
        filled = 0;
        put_letters(3);
        if (array) put(GGUF_ARRAY, 4);
        put(256 + GGUF_U8, 4), put(1, 8), put(1, 8);
        pair_of(array ? "an array of type 256, which there is not"
                      : "a type of 256, which there is not");
    }
}

/* ------------------------------------------------------------------ tensors */

static void put_tensor(size_t name, uint64_t ndim, const uint64_t *dims, uint32_t dtype,
                       uint64_t offset) {
    filled = 0;
    put_letters(name), put(ndim, 4);
    for (uint64_t i = 0; i < ndim && i < 8; i++) put(dims[i], 8);
    put(dtype, 4), put(offset, 8);
}

static void tensor_of(const char *what) {
    Fault fault, other;
    GgufTensor got, want;
    memset(&got, 0x55, sizeof got), memset(&want, 0x55, sizeof want);
    Reader ours = reader_of(&other), mine = ours;
    mine.fault = &fault, fault.text[0] = 0;
    uint64_t at = SHIPPED(gguf_take_tensor)(&ours, &want),
             given = gguf_take_tensor(&mine, &got);
    HINT(ours.ok || !mine.ok, "%s: it is read, and should be refused: \"%s\"", what,
         other.text);
    HINT(!ours.ok || mine.ok, "%s: it is right, and is refused: \"%s\"", what, fault.text);
    HINT(mine.ok || fault.text[0], "%s: it is refused without a word: fail(), refuse_...()",
         what);
    if (!ours.ok) return;
    HINT(got.name.data == want.name.data && got.name.size == want.name.size,
         "%s: the name is the string at the beginning", what);
    COUNT(got.ndim, want.ndim, "%s: dimensions, a u32 after the name", what);
    for (int i = 0; i < TENSOR_MAX_DIMS; i++)
        COUNT(got.shape[i], want.shape[i],
              "%s: shape[%d] (the file begins with the size that runs fastest, a shape ends "
              "with it; what is not there is 1)",
              what, i);
    COUNT(got.dtype, want.dtype, "%s: the number format, a u32 after the sizes", what);
    COUNT(given, at, "%s: what is returned is the offset, a u64 after the format", what);
    COUNT(got.bytes, want.bytes, "%s: bytes, as gguf_shape_bytes() finds them", what);
    COUNT(mine.at - mine.start, ours.at - ours.start,
          "%s: the next entry begins after the offset", what);
    HINT(got.data == want.data, "%s: data is placed later, when all entries are read", what);
}

static void fresh_tensor(void) {
    static const Dtype formats[] = {DTYPE_F32, DTYPE_F16, DTYPE_Q8_0, DTYPE_Q4_0, DTYPE_Q4_K};
    uint64_t dims[4], ndim = 1 + fresh_below(4);
    Dtype dtype = formats[fresh_below(5)];
    char what[80];
    for (int i = 0; i < 4; i++) dims[i] = 1 + fresh_below(50);
    dims[0] *= dtype_info(dtype)->block;
    put_tensor(1 + fresh_below(20), ndim, dims, dtype,
               32 * (fresh_bits() >> 6 >> fresh_below(50)));
    snprintf(what, sizeof what, "a tensor of %d dimensions in %s", (int)ndim,
             dtype_info(dtype)->name);
    size_t whole = filled;
    for (size_t i = 0; i < 20; i++) put(fresh_bits(), 1);
    tensor_of(what);
    filled = whole;
    tensor_of(what);
    filled = fresh_below(whole);
    snprintf(what, sizeof what, "a tensor's entry that is cut at byte %zu of %zu", filled,
             whole);
    tensor_of(what);
}

static void odd_tensors(void) {
    const uint64_t sizes[8] = {64, 2, 2, 2, 2, 2, 2, 2};
    const uint64_t huge[4] = {(uint64_t)1 << 32, (uint64_t)1 << 32, 1, 1};
    const uint64_t none[4] = {64, 0, 2, 2}, half[4] = {48, 64, 1, 1};
    for (uint64_t ndim = 0; ndim < 8; ndim++) {
        put_tensor(4, ndim, sizes, DTYPE_F32, 0);
        tensor_of(ndim < 1 || ndim > 4 ? "a tensor of 0, or of more than 4 dimensions"
                                       : "a tensor of 1 to 4 dimensions");
    }
    put_tensor(4, 0xFFFFFFFF, sizes, DTYPE_F32, 0);
    tensor_of("a tensor of 4294967295 dimensions");
    put_tensor(4, 2, sizes, 9999, 0);
    tensor_of("a tensor in a number format that is not known");
    put_tensor(4, 4, huge, DTYPE_F32, 0);
    tensor_of("a tensor whose size overflows");
    put_tensor(4, 4, none, DTYPE_F32, 0);
    tensor_of("a tensor with a size of 0");
    put_tensor(4, 2, half, DTYPE_Q8_0, 0);
    tensor_of("a tensor in Q8_0 whose rows of 48 are one block and a half");
    const uint64_t part[4] = {96, 8, 1, 1}, long_row[4] = {(uint64_t)1 << 33, 3, 1, 1};
    put_tensor(4, 2, part, DTYPE_Q4_K, 0);
    tensor_of("a tensor in Q4_K, which has blocks of 256, with rows of 96");
    put_tensor(4, 2, long_row, DTYPE_F32, 0);
    tensor_of("a tensor with more numbers than 32 bits count");
    put_tensor(4, 2, sizes, 256 + DTYPE_F32, 0);
    tensor_of("a tensor in number format 256, which is not known");
    put_tensor(4, 256 + 2, sizes, DTYPE_F32, 0);
    tensor_of("a tensor of 258 dimensions");
    put_tensor(300, 2, sizes, DTYPE_F32, 0);
    tensor_of("a tensor with a name of 300 letters");
    put_tensor(0, 2, sizes, DTYPE_F16, 96);
    tensor_of("a tensor without a name");
}

/* After a failure nothing more is taken, and the first message stays. */
static void after_a_failure(void) {
    Fault fault;
    GgufPair pair;
    GgufTensor tensor;
    const uint64_t sizes[4] = {64, 2, 2, 2};
    put_tensor(4, 2, sizes, DTYPE_F32, 0);
    Reader reader = reader_of(&fault);
    fail(&reader, "the first words");
    gguf_take_pair(&reader, &pair), gguf_take_tensor(&reader, &tensor);
    HINT(!reader.ok && reader.at == reader.start && strstr(fault.text, "the first words"),
         "after a failure nothing more is taken, and its words stay");
}

GRADE(entries) {
    for (int round = 0; round < 12; round++)
        for (unsigned type = 0; type < GGUF_TYPES; type++)
            if (type != GGUF_ARRAY) fresh_pair(type, false), fresh_pair(type, true);
    odd_pairs();
    long_pairs();
    for (int round = 0; round < 100; round++) fresh_tensor();
    odd_tensors();
    after_a_failure();
}

GRADES({"1.10", entries})
