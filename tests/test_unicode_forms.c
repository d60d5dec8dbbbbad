/* test_unicode_forms.c - Unicode's normal forms, as Python's unicodedata has them: every character that both
 * know, and random texts. */
#include "../layer5_models/extras/tokenizers/normal_form.h"
#include "check.h"
#include "unicode.h"

enum { TEXTS = 30000, ROOM = 4096 };

static size_t read_text(FILE *python, char *text) {
    unsigned char size[4];
    if (fread(size, 1, 4, python) != 4) return SIZE_MAX;
    size_t n = size[0] | (size_t)size[1] << 8 | (size_t)size[2] << 16;
    assert_true(size[3] == 0 && n < ROOM && fread(text, 1, n, python) == n);
    return n;
}

/* Does it have a character that is newer than our tables? */
static bool is_newer(Text text) {
    for (size_t at = 0, taken; at < text.size; at += taken)
        if (unicode_category(utf8_decode(text.data + at, text.size - at, &taken)) ==
            UNICODE_OTHER)
            return true;
    return false;
}

static void as_python_has_them(void **state) {
    static const char *const names[] = {"nfc", "nfd", "nfkc", "nfkd"};
    (void)state;
    static char text[ROOM], want[ROOM], version[40];
    char command[80];
    if (system("python3 -c '' 2>/dev/null") != 0) skip();
    snprintf(command, sizeof command, "python3 tests/unicode_forms.py %d 7", TEXTS);
    FILE *python = popen(command, "r");
    assert_true(python && fgets(version, sizeof version, python));
    bool newer = atoi(version) > atoi(normal_form_unicode);
    size_t n, compared = 0;
    for (; (n = read_text(python, text)) != SIZE_MAX; compared++)
        for (int f = 0; f < 4; f++) {
            char *got;
            size_t size, wanted = read_text(python, want);
            Fault fault;
            assert_true(normal_form_write(normal_form_find(text_of(names[f])), (Text){text, n},
                                          &got, &size, &fault));
            if (!text_equal((Text){got, size}, (Text){want, wanted}) &&
                !(newer && is_newer((Text){text, n})))
                fail_msg("%s of '%.*s' is '%.*s', Python says '%.*s'", names[f], (int)n, text,
                         (int)size, got, (int)wanted, want);
            free(got);
        }
    assert_int_equal(pclose(python), 0);
    assert_true(compared > 200000 + TEXTS);
}

RUN(TEST(as_python_has_them))
