/* sha256: the standard's examples, added in pieces of any size */
#include "check.h"
#include "sha256.h"

static void expect_digest(const char *text, size_t size, size_t piece, const char *wanted) {
    Sha256 sha;
    char digest[SHA256_TEXT];
    sha256_begin(&sha);
    for (size_t i = 0; i < size; i += piece)
        sha256_add(&sha, text + i, size - i < piece ? size - i : piece);
    sha256_end(&sha, digest);
    assert_string_equal(digest, wanted);
}

/* FIPS 180-4's examples, and "" */
static void the_standards_examples(void **state) {
    (void)state;
    const char
        *long_one = "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
        *longer =
            "abcdefghbcdefghicdefghijdefghijkefghijklfghijklmghijklmnhijklmnoijklmnopjklmnop"
            "qklmnopqrlmnopqrsmnopqrstnopqrstu";
    expect_digest("", 0, 1, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    expect_digest("abc", 3, 3,
                  "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    expect_digest(long_one, strlen(long_one), 64,
                  "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
    expect_digest(longer, strlen(longer), 112,
                  "cf5b16a778af8380036ce59e7b0492370b249b11e8f07a51afac45037afee9d1");
}

static void pieces_of_any_size(void **state) {
    (void)state;
    static char many[1000000];
    memset(many, 'a', sizeof many);
    static const size_t pieces[] = {1, 55, 56, 63, 64, 65, 4096, sizeof many};
    for (size_t i = 0; i < sizeof pieces / sizeof *pieces; i++)
        expect_digest(many, sizeof many, pieces[i],
                      "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

/* where the padding needs a block of its own: 56 bytes and more, and just below */
static void padding_at_its_border(void **state) {
    (void)state;
    char text[64];
    memset(text, 'a', sizeof text);
    expect_digest(text, 55, 55,
                  "9f4390f8d30c2dd92ec9f095b65e2b9ae9b0a925a5258e241c9f1e910f734318");
    expect_digest(text, 56, 56,
                  "b35439a4ac6f0948b6d6f9e3c6af0f5f590ce20f1bde7090ef7970686ec6738a");
    expect_digest(text, 64, 64,
                  "ffe054fe7ae0cb6dc65c3af9b61d5209f439851db43d0ba5997337df154668eb");
}

RUN(TEST(the_standards_examples), TEST(pieces_of_any_size), TEST(padding_at_its_border))
