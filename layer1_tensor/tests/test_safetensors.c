/* test_safetensors.c - headers that are right, damaged and hostile; numbers of every type. */
#include "check.h"
#include "tensor.h"
#include "safetensors.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A file of a header and `data` bytes 0, 1, 2, ...; the caller frees it. */
static unsigned char *file_of(const char *header, size_t data, size_t *size) {
    size_t n = strlen(header);
    unsigned char *bytes = malloc(8 + n + data);
    for (int i = 0; i < 8; i++) bytes[i] = (unsigned char)((uint64_t)n >> (8 * i));
    memcpy(bytes + 8, header, n);
    for (size_t i = 0; i < data; i++) bytes[8 + n + i] = (unsigned char)i;
    *size = 8 + n + data;
    return bytes;
}

static void reads_what_is_there(void **state) {
    (void)state;
    size_t size;
    Safetensors s;
    Fault fault;
    unsigned char *bytes =
        file_of("{\"b\":{\"dtype\":\"U8\",\"shape\":[2,3],\"data_offsets\":[2,8]},"
                "\"__metadata__\":{\"format\":\"pt\"},"
                "\"a\":{\"dtype\":\"I16\",\"shape\":[],\"data_offsets\":[0,2]},"
                "\"empty\":{\"dtype\":\"F32\",\"shape\":[5000,0],\"data_offsets\":[8,8]}}  ",
                8, &size);
    if (!safetensors_parse(&s, bytes, size, &fault)) fail_msg("%s", fault.text);
    assert_int_equal(s.n_tensors, 3);
    assert_true(text_equal(s.tensors[0].name, text_of("a")));
    assert_int_equal(s.tensors[0].ndim, 0);
    assert_int_equal(s.tensors[1].shape[1], 3);
    assert_int_equal(s.tensors[2].bytes, 0);
    assert_int_equal(s.metadata->count, 1);
    float row[3];
    safe_numbers(&s.tensors[1], 3, row, 3);
    assert_true(row[0] == 5 && row[1] == 6 && row[2] == 7);
    safetensors_free(&s);
    free(bytes);
}

static const struct {
    const char *header;
    size_t data;
    const char *says; /* "": any text, an exercise's too */
} refused[] = {
    {"[]", 0, "with '{'"},
    {"{", 0, "with '{'"},
    {"{\"a\":}", 0, "JSON"},
    {"{\"a\":1}", 0, "has no dtype"},
    {"{\"a\":{\"dtype\":\"F4\",\"shape\":[1],\"data_offsets\":[0,1]}}", 1, "unknown type F4"},
    {"{\"a\":{\"shape\":[1],\"data_offsets\":[0,1]}}", 1, "'a' has no dtype"},
    {"{\"a\":{\"dtype\":\"U8\",\"shape\":1,\"data_offsets\":[0,1]}}", 1, ""},
    {"{\"a\":{\"dtype\":\"U8\",\"shape\":[1,1,1,1,1,1,1,1,1],\"data_offsets\":[0,1]}}", 1, ""},
    {"{\"a\":{\"dtype\":\"U8\",\"shape\":[-1],\"data_offsets\":[0,1]}}", 1, ""},
    {"{\"a\":{\"dtype\":\"U8\",\"shape\":[1e0],\"data_offsets\":[0,1]}}", 1, ""},
    {"{\"a\":{\"dtype\":\"U8\",\"shape\":[4294967296,4294967296],\"data_offsets\":[0,0]}}", 1,
     ""},
    {"{\"a\":{\"dtype\":\"F64\",\"shape\":[2305843009213693952],\"data_offsets\":[0,0]}}", 1,
     ""},
    {"{\"a\":{\"dtype\":\"U8\",\"shape\":[1]}}", 1, ""},
    {"{\"a\":{\"dtype\":\"U8\",\"shape\":[1],\"data_offsets\":[1,0]}}", 1, ""},
    {"{\"a\":{\"dtype\":\"U8\",\"shape\":[1],\"data_offsets\":[0,2]}}", 1, ""},
    {"{\"a\":{\"dtype\":\"U8\",\"shape\":[1],\"data_offsets\":[0,2]}}", 2, ""},
    {"{\"a\":{\"dtype\":\"U8\",\"shape\":[1],\"data_offsets\":[1,2]}}", 2, ""},
    {"{\"a\":{\"dtype\":\"U8\",\"shape\":[2],\"data_offsets\":[0,2]},"
     "\"b\":{\"dtype\":\"U8\",\"shape\":[2],\"data_offsets\":[1,3]}}",
     3, ""},
    {"{\"a\":{\"dtype\":\"U8\",\"shape\":[1],\"data_offsets\":[0,1]}}", 2, ""},
    {"{\"a\":{\"dtype\":\"U8\",\"shape\":[1],\"data_offsets\":[0,1]},"
     "\"a\":{\"dtype\":\"U8\",\"shape\":[1],\"data_offsets\":[1,2]}}",
     2, "appears twice"},
    {"{\"__metadata__\":{\"a\":1}}", 0, "not an object of strings"},
};

static void refuses_what_is_wrong(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
        size_t size;
        Safetensors s;
        Fault fault = {""};
        unsigned char *bytes = file_of(refused[i].header, refused[i].data, &size);
        if (safetensors_parse(&s, bytes, size, &fault))
            fail_msg("%s: taken", refused[i].header);
        if (!fault.text[0] || !strstr(fault.text, refused[i].says))
            fail_msg("%s: %s", refused[i].header, fault.text);
        free(bytes);
    }
}

/* Every prefix of a file, and a header of any size. */
static void survives_cuts(void **state) {
    (void)state;
    size_t size;
    Safetensors s;
    unsigned char *bytes =
        file_of("{\"a\":{\"dtype\":\"F16\",\"shape\":[2,2],\"data_offsets\":[0,8]}}", 8, &size);
    for (size_t n = 0; n < size; n++) {
        unsigned char *cut = malloc(n + 1);
        memcpy(cut, bytes, n);
        assert_false(safetensors_parse(&s, cut, n, NULL));
        free(cut);
    }
    for (int i = 0; i < 64; i++) {
        for (int k = 0; k < 8; k++) bytes[k] = (unsigned char)((uint64_t)1 << i >> (8 * k));
        assert_false(safetensors_parse(&s, bytes, size, NULL));
    }
    free(bytes);
}

/* All 256 floats of eight bits, from their fields. */
static void widens_f8(void **state) {
    (void)state;
    for (int bits = 0; bits < 256; bits++) {
        int sign = bits & 128 ? -1 : 1, e4 = bits >> 3 & 15, f3 = bits & 7, e5 = bits >> 2 & 31,
            f2 = bits & 3;
        double a = e4 ? (1 + f3 / 8.0) * pow(2, e4 - 7) : f3 / 8.0 * pow(2, -6),
               b = e5 ? (1 + f2 / 4.0) * pow(2, e5 - 15) : f2 / 4.0 * pow(2, -14);
        float x = f8_e4m3_to_f32((uint8_t)bits), y = f8_e5m2_to_f32((uint8_t)bits);
        if (e4 == 15 && f3 == 7)
            assert_true(isnan(x));
        else
            assert_true((double)x == sign * a);
        if (e5 == 31)
            assert_true(f2 ? isnan(y) : isinf(y));
        else
            assert_true((double)y == sign * b);
    }
}

static float one(SafeType type, const void *bytes) {
    SafeTensor t = {.type = type, .data = bytes};
    float x;
    safe_numbers(&t, 0, &x, 1);
    return x;
}

static void reads_every_type(void **state) {
    (void)state;
    const unsigned char ones[8] = {255, 255, 255, 255, 255, 255, 255, 255}, yes = 1;
    const double half = 0.5;
    const float third = 1.0f / 3;
    const uint16_t bf16 = 0xBF80, f16 = 0xC100;
    assert_true(one(SAFE_BOOL, &yes) == 1);
    assert_true(one(SAFE_U8, ones) == 255 && one(SAFE_I8, ones) == -1);
    assert_true(one(SAFE_U16, ones) == 65535 && one(SAFE_I16, ones) == -1);
    assert_true(one(SAFE_U32, ones) == 0x1p32f && one(SAFE_I32, ones) == -1);
    assert_true(one(SAFE_U64, ones) == 0x1p64f && one(SAFE_I64, ones) == -1);
    assert_true(one(SAFE_F64, &half) == 0.5f && one(SAFE_F32, &third) == third);
    assert_true(one(SAFE_BF16, &bf16) == -1 && one(SAFE_F16, &f16) == -2.5f);
    for (int type = 0; type < SAFE_TYPES; type++)
        assert_true(safe_type_bytes((SafeType)type) > 0 && *safe_type_name((SafeType)type));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_what_is_there), cmocka_unit_test(refuses_what_is_wrong),
        cmocka_unit_test(survives_cuts),       cmocka_unit_test(widens_f8),
        cmocka_unit_test(reads_every_type),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
