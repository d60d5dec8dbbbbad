/* AttentionShape fields that a form of attention does not support */
#include "check.h"
#include "transformer_extras.h"

/* Each form refuses the fields that it does not support. */
static AttentionShape odd;
static void ask_textbook(void) { attention(&odd, 1, NULL, NULL, NULL, NULL, NULL); }
static void ask_sequences(void) {
    attention_sequences(NULL, &odd, (Sequences){(size_t[]){0, 1}, 1}, NULL, NULL, NULL, NULL,
                        NULL);
}
static void ask_backward(void) {
    attention_backward(NULL, &odd, (Sequences){(size_t[]){0, 1}, 1}, NULL, NULL, NULL, NULL,
                       NULL, NULL, NULL, NULL);
}

static void what_a_form_lacks_is_refused(void **state) {
    (void)state;
    const AttentionShape plain = {.heads = 2, .kv_heads = 2, .head_dim = 8};
    float sinks[2] = {0, 0};
    Relative relative = {0};
    uint64_t chosen[1] = {1};
    AttentionShape cases[5] = {plain, plain, plain, plain, plain};
    cases[0].chosen = chosen, cases[1].cross = true; /* not in the textbook form, either */
    cases[2].sinks = sinks, cases[3].relative = &relative, cases[4].value_dim = 4;
    for (int i = 0; i < 5; i++) {
        odd = cases[i];
        if (i < 2) check_abort(ask_textbook, "textbook form");
        check_abort(ask_sequences, i == 4 ? "as wide as keys" : "training does not support");
        check_abort(ask_backward, i == 4 ? "as wide as keys" : "training does not support");
    }
    odd = plain, odd.softcap = 2;
    check_abort(ask_backward, "softcap");
}

RUN(TEST(what_a_form_lacks_is_refused))
