/* file_kind: files mistaken for models, by their first bytes */
#include "check.h"
#include "tensor.h"

#include <string.h>

typedef struct Case {
    const char *bytes;
    size_t size;
    const char *kind; /* part of the text; NULL: no text */
} Case;

#define BYTES(text) text, sizeof text - 1

static void all_kinds(void **state) {
    (void)state;
    static const Case cases[] = {
        {BYTES("\x40\0\0\0\0\0\0\0{\"a\":{\"dtype\":\"F32\""), "safetensors file"},
        {BYTES(
             "PK\3\4\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\x10\0\0\0archive/data.pklPK"),
         "PyTorch checkpoint"},
        {BYTES(
             "PK\3\4\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\x10\0\0\0model/readme.txtPK"),
         "zip archive"},
        {BYTES("\x80\2\x8a\nl\xfc\x9c"), "PyTorch checkpoint"},
        {BYTES("STRATA6\0"), "checkpoint of strata train"},
        {BYTES("<!DOCTYPE html><html>"), "web page"},
        {BYTES("\xef\xbb\xbf\r\n  <HTML lang=en>"), "web page"},
        {BYTES("<?xml version=\"1.0\"?><Error>"), "XML"},
        {BYTES("version https://git-lfs.github.com/spec/v1\noid sha256:0"), "git lfs pull"},
        {BYTES("lmgg\1\0\0\0"), "before GGUF"},
        {BYTES("tjgg\3\0\0\0"), "before GGUF"},
        {BYTES("fmgg\1\0\0\0"), "before GGUF"},
        {BYTES("algg\1\0\0\0"), "LoRA adapter"},
        {BYTES("{\n  \"architectures\": []}"), "JSON"},
        {BYTES("\x1f\x8b\x08\0"), "gzip"},
        {BYTES("\xfd"
               "7zXZ\0"),
         "xz"},
        {BYTES("\x28\xb5\x2f\xfd"), "Zstandard"},
        {BYTES("\x89PNG\r\n"), "picture"},
        {BYTES("\0\0\0\0\0\0"), "begins with zeros"},
        {BYTES("GGUF\3\0\0\0"), NULL},
        {BYTES("Once upon a time"), NULL},
        {BYTES("\xff\0\0\0\0\0\0\xff{"), NULL}, /* a length that no header has */
        {BYTES("PK\3\4"), "zip archive"},
        {BYTES("lm"), NULL},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const char *kind = file_kind(cases[i].bytes, cases[i].size);
        assert_true(!kind == !cases[i].kind);
        if (kind) assert_contains(kind, cases[i].kind);
    }
}

/* Every prefix of a file. */
static void cut_off(void **state) {
    (void)state;
    char tar[300] = "model.gguf";
    memcpy(tar + 257, "ustar", 5);
    assert_contains(file_kind(tar, sizeof tar), "tar archive");
    for (size_t n = 1; n < 262; n++) {
        char *bytes =
            malloc(n); /* of that size, so that a sanitizer sees what reads beyond it */
        assert_non_null(bytes);
        memcpy(bytes, tar, n);
        assert_null(file_kind(bytes, n));
        free(bytes);
    }
}

static void said_by_the_parser(void **state) {
    (void)state;
    static const char page[] = "<!doctype html><title>404</title>";
    Gguf gguf;
    Fault fault;
    assert_false(gguf_parse(&gguf, page, sizeof page, &fault));
    assert_contains(fault.text, "this is not a GGUF file but a web page");
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(all_kinds), cmocka_unit_test(cut_off),
                                       cmocka_unit_test(said_by_the_parser)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
