/* banned strings: whatever is rolled back, flushed text stays, and contains none of them */
#include "check.h"
#include "inference_extras.h"
#include "take_back.h"

typedef struct Written {
    TakeBack take_back;
    int32_t tokens[4000];
    size_t count, out;
    char text[8000];
} Written;

/* A token that is its letters: 'a', or 'b' and 'c' as "bc". */
static Text text_of_token(int32_t token) {
    static const char *const texts[] = {"a", "b", "c", "bc", "aab", "h", ""};
    return text_of(texts[token]);
}

/* Returns how many tokens were rolled back. */
static size_t write_token(Written *w, int32_t token) {
    w->tokens[w->count++] = token;
    size_t n = take_back_push(&w->take_back, text_of_token(token), w->tokens);
    w->count -= n;
    if (n) return n;
    Text ready = take_back_ready(&w->take_back, false);
    memcpy(w->text + w->out, ready.data, ready.size);
    w->out += ready.size, w->text[w->out] = 0;
    take_back_let_go(&w->take_back, ready.size);
    return 0;
}

static void open_written(Written *w, const char *const *banned, size_t n) {
    Fault fault;
    w->count = w->out = 0, w->text[0] = 0;
    assert_true(take_back_open(&w->take_back, banned, n, &fault));
}

/* "bc" goes out when "a" follows.  A second "a" takes the first one back, and "b" would
 * complete "bcb": it alone goes. */
static void what_was_let_go_stays(void **state) {
    (void)state;
    static const char *const banned[] = {"aa", "bcb"};
    static Written w;
    open_written(&w, banned, 2);
    assert_int_equal(write_token(&w, 1) + write_token(&w, 2), 0);
    assert_string_equal(w.text, "");
    assert_int_equal(write_token(&w, 0), 0);
    assert_string_equal(w.text, "bc");
    assert_int_equal(write_token(&w, 0), 2);
    assert_int_equal(write_token(&w, 1), 1);
    assert_int_equal(write_token(&w, 2), 0);
    assert_string_equal(w.text, "bcc");
    take_back_close(&w.take_back);
}

static void no_banned_text_is_ever_let_go(void **state) {
    (void)state;
    static const char *const banned[] = {"aa", "bcb", "h", "cabca", "abcab"};
    static Written w;
    Rng rng = {.seed = 4};
    size_t taken = 0;
    for (int round = 0; round < 300; round++) {
        size_t n = 1 + rng_below(&rng, 5);
        open_written(&w, banned, n);
        for (int i = 0; i < 900; i++) {
            taken += write_token(&w, (int32_t)rng_below(&rng, 7));
            assert_true(w.take_back.held_size <= 8);
            for (size_t b = 0; b < n; b++)
                if (strstr(w.text + (w.out > 40 ? w.out - 40 : 0), banned[b]))
                    fail_msg("round %d: '%s' was flushed", round, banned[b]);
        }
        size_t bytes = 0;
        for (size_t i = 0; i < w.count; i++) bytes += text_of_token(w.tokens[i]).size;
        assert_int_equal(bytes, w.out + w.take_back.held_size);
        take_back_close(&w.take_back);
    }
    assert_true(taken > 10000);
}

RUN(TEST(what_was_let_go_stays), TEST(no_banned_text_is_ever_let_go))
