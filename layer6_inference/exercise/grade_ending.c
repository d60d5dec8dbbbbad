/* The grader of layer 6: when a sequence ends. */
#include "inference.h"
#include "near.h"

#include "../../layer5_models/src/vocab/vocab.h" /* which tokens end a text */

static void before_of(const Tokenizer *t, int32_t token, const Limits *l) {
    StopReason got = STOP_CALLER, want = STOP_CALLER;
    bool end = l->only_bos_ends ? token == tokenizer_bos(t) : tokenizer_is_end(t, token);
    if (end) want = STOP_END;
    for (size_t i = 0; !end && i < l->n_stop_ids; i++)
        if (l->stop_ids[i] == token) want = STOP_ID;
    bool over = ends_before(l, t, token, &got);
    HINT(!(end && l->only_bos_ends) || over,
         "with only_bos_ends the token that begins documents ends one, and does not here");
    HINT(!(l->only_bos_ends && want == STOP_CALLER) || !over,
         "with only_bos_ends token %d ends nothing: only the token that begins documents does",
         token);
    HINT(over || want == STOP_CALLER, "token %d ends the text (%s), and is taken", token,
         stop_reason_name(want));
    HINT(!over || want != STOP_CALLER, "token %d ends nothing", token);
    TEXT(stop_reason_name(got), stop_reason_name(want),
         "token %d: *reason (the model's own end is looked at first; where nothing ends, it is "
         "left as it was)",
         token);
}

static bool repeats(const int32_t *tokens, size_t n, size_t times) {
    for (size_t size = 1; size <= 64; size++) {
        size_t i = 0, total = size * times;
        if (times < 2 || total > n) continue;
        while (i + size < total && tokens[n - total + i] == tokens[n - total + i + size]) i++;
        if (i + size == total) return true;
    }
    return false;
}

static void circle_of(const int32_t *tokens, size_t n, size_t times, size_t piece) {
    bool want = repeats(tokens, n, times), got = ends_in_repetition(tokens, n, times);
    HINT(got == want || want,
         "a piece came %zu times in a row at most, and %zu were asked for: no repetition "
         "(pieces of 1 to 64 tokens; with fewer than 2 times never)",
         times > 0 ? times - 1 : 0, times);
    HINT(got == want,
         "the text of %zu tokens ends with a piece of %zu that came %zu times: a repetition", n,
         piece, times);
}

static void after_of(const Limits *l, size_t count, size_t room, double ago, bool circle) {
    static int32_t tokens[40];
    for (size_t i = 0; i < count; i++) tokens[i] = circle ? (int32_t)(i % 2) : (int32_t)i;
    StopReason got = STOP_CALLER, want = STOP_CALLER;
    if (l->repeats && repeats(tokens, count, l->repeats)) want = STOP_REPEAT;
    if (l->max_seconds > 0 && ago >= l->max_seconds) want = STOP_TIME;
    if (room == 0) want = STOP_CONTEXT;
    if (count >= l->max_tokens) want = STOP_LIMIT;
    bool over = ends_after(l, tokens, count, room, clock_seconds() - ago, &got);
    HINT(over || want == STOP_CALLER,
         "%zu tokens of at most %zu, room for %zu, %g of %g seconds, repeats %zu: over (%s), "
         "got false",
         count, l->max_tokens, room, ago, l->max_seconds, l->repeats, stop_reason_name(want));
    HINT(!over || want != STOP_CALLER,
         "%zu tokens of at most %zu, room for %zu, %g of %g seconds (0: as long as it takes), "
         "repeats %zu (0: never): not over, got \"%s\"",
         count, l->max_tokens, room, ago, l->max_seconds, l->repeats, stop_reason_name(got));
    TEXT(stop_reason_name(got), stop_reason_name(want),
         "the first that holds is why: limit, room, time, repetition");
}

/* Blocks of 63 to 65 tokens, in texts as long as the loop, or one longer; one token differs in
 * its upper bits alone. */
static void exact_circles(void) {
    int32_t tokens[4 * 65 + 1];
    for (size_t piece = 63; piece <= 65; piece++)
        for (size_t times = 2; times <= 4; times++)
            for (int other = 0; other < 2; other++) {
                size_t n = piece * times + 1;
                for (size_t i = 0; i < n; i++) tokens[i] = (int32_t)((i + piece - 1) % piece);
                tokens[0] = 999;
                if (other) tokens[n - 2] += 65536;
                circle_of(tokens + 1, n - 1, times, piece), circle_of(tokens, n, times, piece);
            }
}

GRADE(over) {
    static Model model;
    Fault fault;
    NEED(model_open(&model, "layer5_models/models/storyteller.gguf", &fault));
    const Tokenizer *t = model.tokenizer;
    int32_t bos = tokenizer_bos(t), end = 0;
    while (!tokenizer_is_end(t, end)) end++;
    model.tokenizer->is_end[333] = 1; /* another one, as of turns */
    for (int round = 0; round < 200; round++) {
        int32_t ids[12];
        size_t n = fresh_below(round % 2 ? 4 : 13);
        for (size_t i = 0; i < 12; i++) /* some of them no token of this model */
            ids[i] = (int32_t)(300 + fresh_below(20) + 65536 * fresh_below(2));
        ids[2] = end;
        Limits l = {.stop_ids = ids, .n_stop_ids = n, .only_bos_ends = fresh_below(2)};
        model.tokenizer->is_end[bos] =
            round < 100; /* it begins documents, and may end nothing */
        int32_t token =
            (int32_t[]){bos, 333, (int32_t)(300 + fresh_below(20)), 7}[fresh_below(4)];
        before_of(t, token, &l);
    }
    static int32_t tokens[400];
    for (int round = 0; round < 300; round++) {
        size_t piece = 1 + fresh_below(round % 2 ? 5 : 70), times = fresh_below(5),
               n = 20 + fresh_below(300);
        for (size_t i = 0; i < n; i++) tokens[i] = (int32_t)fresh_below(50);
        size_t tail = piece * (fresh_below(2) ? times : times ? times - 1 : 0);
        for (size_t i = n > tail ? n - tail : 0; i < n; i++)
            if (i >= piece && i >= n - tail + piece) tokens[i] = tokens[i - piece];
        if (fresh_below(3) == 0) tokens[n - 1 - fresh_below(3)] = 99;
        circle_of(tokens, n, times, piece);
        circle_of(tokens + n, 0, times, 0);
    }
    exact_circles();
    for (int round = 0; round < 400; round++) {
        Limits l = {.max_tokens = fresh_below(3)   ? SIZE_MAX
                                  : fresh_below(3) ? fresh_below(20)
                                                   : ((size_t)1 << 32) + 5,
                    .max_seconds = (double[]){0, 0, 5, 0.75}[fresh_below(4)],
                    .repeats = fresh_below(2) ? 0 : 2 + fresh_below(4)};
        after_of(&l, 1 + fresh_below(20), fresh_below(3), fresh_below(2) ? 0.5 : 60,
                 fresh_below(3) == 0);
    }
}

GRADES({"6.5", over})
