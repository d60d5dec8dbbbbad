/* gguf: write and read back every value type; cut and corrupt a file everywhere */
#include "check.h"
#include "tensor.h"

static unsigned char *example(size_t *size) {
    Fault fault;
    GgufWriter *w = gguf_writer_open(&fault);
    unsigned char *bytes;
    float numbers[64];
    uint16_t halves[6] = {1, 2, 3, 4, 5, 6};
    Text words[3] = {text_of("alpha"), text_of(""), {"with\0zero", 9}};
    for (int i = 0; i < 64; i++) numbers[i] = (float)i / 2;
    gguf_put_int(w, "a.u8", GGUF_U8, 200), gguf_put_int(w, "a.i8", GGUF_I8, -100);
    gguf_put_int(w, "a.u16", GGUF_U16, 60000), gguf_put_int(w, "a.i16", GGUF_I16, -30000);
    gguf_put_int(w, "a.u32", GGUF_U32, 4000000000),
        gguf_put_int(w, "a.i32", GGUF_I32, -2000000000);
    gguf_put_int(w, "a.u64", GGUF_U64, (int64_t)1 << 40),
        gguf_put_int(w, "a.i64", GGUF_I64, -((int64_t)1 << 40));
    gguf_put_int(w, "a.bool", GGUF_BOOL, 1), gguf_put_int(w, "a.most", GGUF_U64, -1);
    gguf_put_float(w, "a.f32", GGUF_F32, 0.5), gguf_put_float(w, "a.f64", GGUF_F64, 0.1);
    gguf_put_string(w, "a.string", text_of("text"));
    gguf_put_strings(w, "b.strings", words, 3);
    gguf_put_ints(w, "b.ints", GGUF_I16, (int64_t[]){-1, 0, 1}, 3);
    gguf_put_floats(w, "b.floats", GGUF_F64, (double[]){1.5, -2.5}, 2);
    gguf_put_strings(w, "b.none", NULL, 0);
    Tensor a = tensor_view(DTYPE_F32, 2, (size_t[]){4, 16}, numbers),
           b = tensor_view(DTYPE_F16, 3, (size_t[]){1, 2, 3}, halves);
    gguf_put_tensor(w, "first", &a);
    gguf_put_tensor(w, "second", &b);
    assert_true(gguf_write_memory(w, &bytes, size, &fault));
    gguf_writer_close(w);
    return bytes;
}

static int64_t int_of(const Gguf *g, const char *key) {
    int64_t value = 0;
    assert_true(gguf_int(gguf_find(g, key), 0, &value));
    return value;
}

static double float_of(const Gguf *g, const char *key) {
    double value = 0;
    assert_true(gguf_float(gguf_find(g, key), 0, &value));
    return value;
}

static void every_type_survives(void **state) {
    (void)state;
    size_t size;
    unsigned char *bytes = example(&size);
    Gguf g;
    Fault fault;
    assert_true(gguf_parse(&g, bytes, size, &fault));
    assert_int_equal(g.version, 3);
    assert_int_equal(int_of(&g, "a.u8"), 200), assert_int_equal(int_of(&g, "a.i8"), -100);
    assert_int_equal(int_of(&g, "a.u16"), 60000), assert_int_equal(int_of(&g, "a.i16"), -30000);
    assert_true(int_of(&g, "a.u32") == 4000000000),
        assert_true(int_of(&g, "a.i32") == -2000000000);
    assert_true(int_of(&g, "a.u64") == (int64_t)1 << 40),
        assert_true(int_of(&g, "a.i64") == -((int64_t)1 << 40));
    assert_int_equal(int_of(&g, "a.bool"), 1);
    assert_true(float_of(&g, "a.f32") == 0.5), assert_true(float_of(&g, "a.f64") == 0.1);
    assert_true(float_of(&g, "a.i8") == -100);
    Text text;
    assert_true(gguf_string(gguf_find(&g, "a.string"), &text) &&
                text_equal(text, text_of("text")));
    const GgufPair *strings = gguf_find(&g, "b.strings");
    const unsigned char *cursor = strings->data;
    assert_int_equal(strings->count, 3);
    assert_true(text_equal(gguf_next_string(&cursor), text_of("alpha")));
    assert_int_equal(gguf_next_string(&cursor).size, 0);
    assert_int_equal(gguf_next_string(&cursor).size, 9);
    assert_int_equal(gguf_value_bytes(strings), cursor - strings->data);
    int64_t item;
    double number;
    assert_true(gguf_int(gguf_find(&g, "b.ints"), 0, &item) && item == -1);
    assert_false(gguf_int(gguf_find(&g, "b.ints"), 3, &item));
    assert_true(gguf_float(gguf_find(&g, "b.floats"), 1, &number) && number == -2.5);
    assert_false(gguf_float(gguf_find(&g, "b.floats"), 2, &number));
    assert_false(gguf_float(gguf_find(&g, "a.string"), 0, &number));
    assert_false(gguf_int(NULL, 0, &item) || gguf_float(NULL, 0, &number) ||
                 gguf_string(NULL, &text));
    assert_false(gguf_int(gguf_find(&g, "a.f32"), 0, &item) ||
                 gguf_int(gguf_find(&g, "a.f64"), 0, &item));
    assert_false(gguf_int(gguf_find(&g, "a.most"), 0, &item) ||
                 gguf_float(gguf_find(&g, "a.most"), 0, &number)); /* above INT64_MAX */
    assert_false(gguf_string(gguf_find(&g, "b.strings"), &text));
    assert_string_equal(gguf_type_name((GgufType)GGUF_TYPES), "?");
    assert_int_equal(gguf_find(&g, "b.none")->count, 0);
    assert_false(gguf_int(gguf_find(&g, "a.string"), 0, &item));
    assert_false(gguf_string(gguf_find(&g, "a.u8"), &text));
    assert_null(gguf_find(&g, "nothing"));
    assert_string_equal(gguf_type_name(GGUF_ARRAY), "array");
    gguf_free(&g);
    free(bytes);
}

static void tensors_come_back_as_views(void **state) {
    (void)state;
    size_t size;
    unsigned char *bytes = example(&size);
    Gguf g;
    Fault fault;
    assert_true(gguf_parse(&g, bytes, size, &fault));
    Tensor a = gguf_tensor_view(gguf_find_tensor(&g, "first")),
           b = gguf_tensor_view(gguf_find_tensor(&g, "second"));
    assert_int_equal(a.shape[0], 4);
    assert_int_equal(a.shape[1], 16);
    assert_near(tensor_get(&a, (size_t[]){2, 3}), 17.5, 0);
    assert_int_equal(b.ndim, 3);
    assert_int_equal((uintptr_t)((char *)b.data - (char *)bytes) % 32, 0);
    assert_null(gguf_find_tensor(&g, "third"));
    /* copied pairs are the same bytes; a written file is read again */
    GgufWriter *w = gguf_writer_open(&fault);
    for (size_t i = 0; i < g.n_pairs; i++) gguf_put_pair(w, &g.pairs[i]);
    gguf_put_tensor(w, "first", &a), gguf_put_tensor(w, "second", &b);
    char room[CHECK_PATH];
    const char *path = check_path(room, "test.gguf");
    assert_true(gguf_write_file(w, path, &fault));
    gguf_writer_close(w);
    FileMap map;
    assert_true(file_open(&map, path, &fault));
    assert_int_equal(map.size, size);
    assert_memory_equal(map.data, bytes, size);
    file_close(&map);
    remove(path);
    gguf_free(&g);
    free(bytes);
}

static void version_two_and_others(void **state) {
    (void)state;
    size_t size;
    unsigned char *bytes = example(&size);
    Gguf g;
    Fault fault;
    bytes[4] = 2;
    assert_true(gguf_parse(&g, bytes, size, &fault));
    gguf_free(&g);
    bytes[4] = 1;
    assert_false(gguf_parse(&g, bytes, size, &fault));
    assert_contains(fault.text, "version 1");
    bytes[4] = 0, bytes[7] = 3;
    assert_false(gguf_parse(&g, bytes, size, &fault));
    assert_contains(fault.text, "big-endian");
    bytes[0] = 'X';
    assert_false(gguf_parse(&g, bytes, size, &fault));
    assert_contains(fault.text, "not a GGUF file");
    free(bytes);
}

static void put(unsigned char *bytes, size_t *at, uint64_t value, size_t size) {
    for (size_t i = 0; i < size; i++) bytes[(*at)++] = (unsigned char)(value >> (8 * i));
}

static void put_name(unsigned char *bytes, size_t *at, const char *name) {
    put(bytes, at, strlen(name), 8);
    memcpy(bytes + *at, name, strlen(name));
    *at += strlen(name);
}

/* A header with these counts of tensors and pairs; returns its size. */
static size_t put_header(unsigned char *bytes, uint64_t tensors, uint64_t pairs) {
    size_t at = 0;
    memset(bytes, 0, 256);
    put(bytes, &at, 0x46554747, 4), put(bytes, &at, 3, 4);
    put(bytes, &at, tensors, 8), put(bytes, &at, pairs, 8);
    return at;
}

static void refused(const unsigned char *bytes, const char *what, const char *next) {
    Gguf g;
    Fault fault = {""};
    assert_false(gguf_parse(&g, bytes, 256, &fault));
    assert_contains(fault.text, what);
    assert_contains(fault.text, next);
    assert_null(strstr(fault.text, "fetch it again"));
}

/* Complete files that cannot be read; fetching them again would not help. */
static void a_whole_file_is_not_said_to_be_cut(void **state) {
    (void)state;
    unsigned char bytes[256];
    size_t at = put_header(bytes, 0, 1);
    put_name(bytes, &at, "general.alignment"), put(bytes, &at, GGUF_U32, 4);
    put(bytes, &at, 7, 4);
    refused(bytes, "general.alignment is 7, wanted a power of two", "convert the file again");
    at -= 4, put(bytes, &at, 48, 4);
    refused(bytes, "general.alignment is 48, wanted a power of two", "convert the file again");
    at -= 4, put(bytes, &at, 1 << 21, 4);
    refused(bytes, "general.alignment is 2097152, wanted a power of two", "convert");
    at -= 8, put(bytes, &at, GGUF_F32, 4);
    refused(bytes, "general.alignment is of type f32, wanted an integer", "convert");
    at -= 4, put(bytes, &at, GGUF_ARRAY, 4), put(bytes, &at, GGUF_U8, 4), put(bytes, &at, 1, 8);
    refused(bytes, "general.alignment is of type array, wanted an integer", "convert");
    at = put_header(bytes, 0, 1);
    put_name(bytes, &at, "a.b"), put(bytes, &at, GGUF_ARRAY, 4), put(bytes, &at, GGUF_ARRAY, 4);
    refused(bytes, "'a.b' is an array of arrays", "convert the file without it");
    at -= 8, put(bytes, &at, 13, 4);
    refused(bytes, "'a.b' has value type 13, wanted 0 to 12", "newer than this program");
}

static void tensors_that_cannot_be_read_are_named(void **state) {
    (void)state;
    static const struct {
        uint64_t ndim, row, dtype, offset;
        const char *what;
    } cases[] = {{1, 32, 99, 0, "'w' has the unknown number format 99"},
                 {1, 33, DTYPE_Q4_0, 0, "'w' has rows of 33, and Q4_0 has blocks of 32"},
                 {5, 32, DTYPE_F32, 0, "'w' has 5 dimensions, wanted 1 to 4"},
                 {1, 4, DTYPE_F32, 8, "'w' begins at offset 8, which is not a multiple of 32"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        unsigned char bytes[256];
        size_t at = put_header(bytes, 1, 0);
        put_name(bytes, &at, "w"), put(bytes, &at, cases[i].ndim, 4);
        put(bytes, &at, cases[i].row, 8), put(bytes, &at, cases[i].dtype, 4);
        put(bytes, &at, cases[i].offset, 8);
        refused(bytes, cases[i].what, "convert the file");
    }
}

static void names_that_appear_twice_are_refused(void **state) {
    (void)state;
    unsigned char bytes[256];
    Gguf g;
    Fault fault = {""};
    for (int tensors = 0; tensors < 2; tensors++) {
        size_t at = put_header(bytes, tensors ? 2 : 0, tensors ? 0 : 2);
        for (int i = 0; i < 2; i++) {
            put_name(bytes, &at, "twin");
            if (tensors) put(bytes, &at, 1, 4), put(bytes, &at, 1, 8);
            put(bytes, &at, tensors ? DTYPE_F32 : GGUF_U8, 4);
            put(bytes, &at, 0, tensors ? 8 : 1);
        }
        assert_false(gguf_parse(&g, bytes, sizeof bytes, &fault));
        assert_contains(fault.text, tensors ? "tensor 'twin' appears" : "key 'twin' appears");
    }
    put_header(bytes, 0, 0);
    assert_true(gguf_parse(&g, bytes, 24, &fault)); /* nothing, and whole */
    gguf_free(&g);
}

static void write_a_float_as_an_integer(void) {
    gguf_put_int(gguf_writer_open(NULL), "a", GGUF_F32, 1);
}

static void types_are_those_of_the_values(void **state) {
    (void)state;
    check_abort(write_a_float_as_an_integer, "f32 is not an integer type");
}

/* Each cut is parsed in a block of exactly its size, so that a sanitizer sees every byte too
 * many. */
static void cut_at_every_byte(void **state) {
    (void)state;
    size_t size;
    unsigned char *bytes = example(&size);
    for (size_t cut = 0; cut < size; cut++) {
        unsigned char *part = malloc(cut + 1);
        memcpy(part, bytes, cut);
        Gguf g;
        Fault fault = {""};
        bool ok = gguf_parse(&g, part, cut, &fault);
        if (ok) { /* only padding after the last tensor may be missing */
            assert_true(size - cut < 32);
            gguf_free(&g);
        } else {
            assert_true(strlen(fault.text) > 10);
        }
        free(part);
    }
    free(bytes);
}

static void ten_thousand_corruptions(void **state) {
    (void)state;
    size_t size;
    unsigned char *bytes = example(&size);
    uint64_t sum = 0;
    for (uint64_t round = 0; round < 10000; round++) {
        unsigned char *copy = malloc(size);
        memcpy(copy, bytes, size);
        for (uint64_t k = 0; k <= round % 4; k++) {
            uint64_t hash = rng_hash(1, round, k);
            copy[hash % size] = (unsigned char)(hash % 5 == 0 ? 0xFF : hash >> 32);
        }
        Gguf g;
        Fault fault;
        if (gguf_parse(&g, copy, size, &fault)) { /* then everything it points at can be read */
            for (size_t i = 0; i < g.n_tensors; i++)
                for (size_t b = 0; b < g.tensors[i].bytes; b++) sum += g.tensors[i].data[b];
            for (size_t i = 0; i < g.n_pairs; i++) sum += gguf_value_bytes(&g.pairs[i]);
            gguf_free(&g);
        }
        free(copy);
    }
    assert_true(sum > 0);
    free(bytes);
}

/* A shape that a 32-bit size cannot hold is refused there, and must not be cut to what is left
 * of it. */
static void shapes_are_bounded_before_they_are_stored(void **state) {
    (void)state;
    const uint64_t narrow = UINT32_MAX, wide = UINT64_MAX, two32 = (uint64_t)1 << 32;
    const DtypeInfo *f32 = dtype_info(DTYPE_F32), *tq1 = dtype_info(DTYPE_TQ1_0);
    uint64_t bytes = 0;
    assert_true(gguf_shape_bytes((uint64_t[]){1 << 15, 1 << 14}, 2, f32, narrow, &bytes));
    assert_int_equal(bytes, (uint64_t)1 << 31);
    assert_false(gguf_shape_bytes((uint64_t[]){1 << 15, 1 << 15}, 2, f32, narrow, &bytes));
    assert_true(gguf_shape_bytes((uint64_t[]){1 << 15, 1 << 15}, 2, f32, wide, &bytes));
    assert_int_equal(bytes, two32);
    assert_false(gguf_shape_bytes((uint64_t[]){two32 + 32, 1}, 2, f32, narrow, &bytes));
    assert_false(gguf_shape_bytes((uint64_t[]){1, two32 + 1}, 2, f32, narrow, &bytes));
    /* more elements than bytes */
    assert_false(gguf_shape_bytes((uint64_t[]){256, two32 / 256}, 2, tq1, narrow, &bytes));
    assert_true(gguf_shape_bytes((uint64_t[]){256, two32 / 256}, 2, tq1, wide, &bytes));
    assert_false(gguf_shape_bytes((uint64_t[]){1 << 30, 1 << 30, 16}, 3, f32, wide, &bytes));
    assert_false(gguf_shape_bytes((uint64_t[]){5, 0}, 2, f32, wide, &bytes));
}

RUN(TEST(every_type_survives), TEST(tensors_come_back_as_views), TEST(version_two_and_others),
    TEST(a_whole_file_is_not_said_to_be_cut), TEST(tensors_that_cannot_be_read_are_named),
    TEST(names_that_appear_twice_are_refused), TEST(types_are_those_of_the_values),
    TEST(cut_at_every_byte), TEST(ten_thousand_corruptions),
    TEST(shapes_are_bounded_before_they_are_stored))
