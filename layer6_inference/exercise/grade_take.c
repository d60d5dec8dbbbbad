/* The grader of one sequence's step: from a row of logits to a token that has joined it. */
#include "../src/engine/take.h"
#include "grader.h"
#include "inference_extras.h"

#include "../../layer5_models/src/vocab/vocab.h" /* which tokens end a text */

DECLARE_SHIPPED(sequence_take);
DECLARE_SHIPPED(sequence_append);
DECLARE_SHIPPED(sequence_choose);

enum { STEPS = 50, LOG = 4000 };

static Model model;
static Session session;
static Fault fault;
static size_t vocab;
static float row[4096], mine_row[4096], our_row[4096];

/* A text with all that belongs to it, and what was seen of it from outside: "<3>" for the
 * choice of token 3, and the text that went out. */
typedef struct Told {
    TokenList tokens;
    Sequence s;
    TakeBack take_back;
    Chain chain;
    Stream stream;
    Stops stops;
    Heal heal;
    Arena arena;
    Candidates candidates;
    char log[LOG];
    size_t choices, stops_at;
    Fault fault;
    bool ok, taken; /* taken: by sequence_take */
} Told;

/* What a text is asked to be. */
typedef struct Wish {
    const char *chain, *prompt, *stop, *banned;
    Limits limits;
    size_t stops_at, ctx;
    uint64_t seed;
    bool want_raw, heals, streams, watched, late; /* late: a minute is gone already */
} Wish;

static void show(void *context, Text text) {
    Told *t = context;
    snprintf(t->log + strlen(t->log), LOG - strlen(t->log), "%.*s", (int)text.size, text.data);
}

static bool on_choice(void *context, const Choice *choice) {
    Told *t = context;
    snprintf(t->log + strlen(t->log), LOG - strlen(t->log), "<%d/%zu%s>", choice->token,
             choice->step,
             choice->after == &t->candidates ? "" : " without what the chain left");
    return ++t->choices != t->stops_at;
}

static void on_taken_back(void *context, size_t n) {
    Told *t = context;
    snprintf(t->log + strlen(t->log), LOG - strlen(t->log), "<%zu rolled back>", n);
}

static void open_told(Told *t, const Wish *w) {
    memset(t, 0, sizeof *t);
    t->stops_at = w->stops_at;
    tokenizer_begin(model.tokenizer, &t->tokens);
    NEED(tokenizer_encode(model.tokenizer, text_of(w->prompt), true, &t->tokens, &fault));
    if (w->heals) NEED(heal_prompt(&t->heal, model.tokenizer, &t->tokens, &fault));
    NEED(chain_parse(&t->chain, w->chain, model.tokenizer, &fault));
    NEED(stops_open(&t->stops, &w->stop, w->stop != NULL, &fault));
    NEED(candidates_open(&t->candidates, vocab, &t->arena, &fault));
    NEED(take_back_open(&t->take_back, &w->banned, w->banned != NULL, &fault));
    stream_open(&t->stream, &t->stops, show, t);
    t->s.tokens = &t->tokens;
    t->s.options = (GenerateOptions){.chain = &t->chain,
                                     .seed = w->seed,
                                     .limits = w->limits,
                                     .stream = w->streams ? &t->stream : NULL,
                                     .on_choice = w->watched ? on_choice : NULL,
                                     .want_raw = w->want_raw,
                                     .context = t};
    t->take_back.on_taken_back = on_taken_back, t->take_back.context = t;
    if (w->banned) with_take_back(&t->s.options, &t->take_back);
    if (w->heals) with_heal(&t->s.options, &t->heal);
    NEED(sequence_open(&t->s, &(Engine){.runners[0].session = &session}, &fault));
    t->s.live = true;
    if (w->late) t->s.start -= 60;
    t->s.ctx = t->tokens.count + w->ctx;
    t->s.candidates = &t->candidates;
    t->s.choice = (Choice){-77, 77, NULL, NULL};
}

static void close_told(Told *t) {
    sequence_close(&t->s);
    take_back_close(&t->take_back);
    stream_close(&t->stream), stops_close(&t->stops), heal_free(&t->heal);
    chain_close(&t->chain), arena_free(&t->arena), token_list_free(&t->tokens);
}

/* Whatever can be seen of both, one thing after the other. */
static void alike(const Told *got, const Told *want, const char *what, size_t step) {
    HINT(got->ok || !want->ok, "%s, token %zu: it fails: %s", what, step, got->fault.text);
    HINT(!got->ok || want->ok, "%s, token %zu: it reports success, but should fail: %s", what,
         step, want->fault.text);
    size_t n = want->tokens.count, m = got->tokens.count;
    HINT(m <= n || want->s.live || m > n + 1,
         "%s: token %d ends the text (%s) and must not join it (ends_before comes first)", what,
         got->tokens.ids[m - 1], stop_reason_name(want->s.result.reason));
    COUNT(m, n, "%s, token %zu: so many tokens are in the text", what, step);
    HINT(!n || got->tokens.ids[n - 1] == want->tokens.ids[n - 1],
         "%s, token %zu: token %d was chosen, expected %d: the chain is told the tokens before "
         "(history) and where it chooses (position), and hears of every token that is taken",
         what, step, got->tokens.ids[n - 1], want->tokens.ids[n - 1]);
    COUNT(got->s.result.tokens, want->s.result.tokens,
          "%s, token %zu: result.tokens, those of the answer", what, step);
    HINT(got->s.live == want->s.live || want->s.live,
         "%s: the text ends after token %zu (%s), but yours goes on", what, step,
         stop_reason_name(want->s.result.reason));
    HINT(got->s.live == want->s.live,
         "%s: the text goes on after token %zu, but yours ends (%s)", what, step,
         stop_reason_name(got->s.result.reason));
    if (!want->s.live)
        TEXT(stop_reason_name(got->s.result.reason), stop_reason_name(want->s.result.reason),
             "%s, token %zu: why it ends: the first that holds, in the order of the contract",
             what, step);
    COUNT(
        got->s.choice.token, want->s.choice.token,
        "%s, token %zu: s->choice.token (unchanged, here -77 or the one before, when the text "
        "ends before it)",
        what, step);
    COUNT(got->s.choice.step, want->s.choice.step,
          "%s, token %zu: s->choice.step, of the answer, from 0", what, step);
    TEXT(got->log, want->log,
         "%s, token %zu: what was seen from outside (<token/step> where on_choice was asked, "
         "and "
         "the text that went out)",
         what, step);
    HINT(!got->s.choice.raw == !want->s.choice.raw &&
             !got->s.choice.after == !want->s.choice.after,
         "%s: s->choice.raw is s->raw (NULL if it is not wanted), after is s->candidates",
         what);
    HINT(!want->s.raw || !want->taken ||
             memcmp(got->s.raw, want->s.raw, vocab * sizeof(float)) == 0,
         "%s: raw holds the logits as they came, before the chain writes to them", what);
    HINT((got->s.first > 0) == (want->s.first > 0),
         "%s: when the first token came is noted (note_first), %s", what,
         want->s.first > 0 ? "also of one that ends the text" : "and here none came");
    COUNT(got->s.options.extras[0].count, want->s.options.extras[0].count,
          "%s, token %zu: what the text's extra has counted (outgoing is called once for every "
          "token)",
          what, step);
}

static void fresh_row(int32_t end) {
    fresh_floats(row, vocab, -3, 5);
    for (size_t k = 0; k < 60; k++) row[fresh_below(vocab)] += 4;
    if (end >= 0) row[end] = 30;
}

/* A list that grows may lie elsewhere after that. */
static void move_elsewhere(TokenList *list) {
    size_t bytes = list->capacity * sizeof *list->ids;
    int32_t *ids = malloc(bytes);
    NEED(ids);
    memcpy(ids, list->ids, bytes), memset(list->ids, 0, bytes);
    free(list->ids), list->ids = ids;
}

static void told_of(const char *what, const Wish *w, int32_t end) {
    static Told got, want;
    open_told(&got, w), open_told(&want, w);
    for (size_t step = 0; step < STEPS && want.s.live; step++) {
        fresh_row(step > 3 && fresh_below(20) == 0 ? end : -1);
        memcpy(mine_row, row, sizeof row), memcpy(our_row, row, sizeof row);
        move_elsewhere(&got.tokens), move_elsewhere(&want.tokens);
        want.ok = SHIPPED(sequence_take)(&want.s, our_row, &want.fault);
        got.ok = sequence_take(&got.s, mine_row, &got.fault);
        got.taken = want.taken = true;
        alike(&got, &want, what, step);
        if (!want.ok) break;
    }
    close_told(&got), close_told(&want);
}

/* Tokens from outside: beams and drafts choose by themselves. */
static void appended(const Wish *w) {
    static Told got, want;
    open_told(&got, w), open_told(&want, w);
    got.ok = want.ok = true;
    for (size_t step = 0; step < STEPS && want.s.live; step++) {
        int32_t token = (int32_t)(300 + fresh_below(vocab - 300));
        SHIPPED(sequence_append)(&want.s, token);
        sequence_append(&got.s, token);
        alike(&got, &want, "tokens that others have chosen", step);
    }
    close_told(&got), close_told(&want);
}

static void dead_end(void) {
    Wish w = {.chain = "temp:1,draw", .prompt = "The fox", .limits.max_tokens = 5, .ctx = 50};
    static Told got;
    open_told(&got, &w);
    for (size_t i = 0; i < vocab; i++) mine_row[i] = -INFINITY;
    HINT(!sequence_take(&got.s, mine_row, &got.fault) && strstr(got.fault.text, "dead end"),
         "no token has a logit above -infinity: sequence_take fails with the fault of "
         "candidates_load");
    close_told(&got);
}

static Wish fresh_wish(int round, const int32_t *ids) {
    static const char *const chains[] = {"temp:1.2,draw",
                                         "penalties:rep=2:last=40,temp:0.7,draw",
                                         "top_k:40,temp:0.9,draw", "penalties:rep=3,greedy"};
    static const char *const stops[] = {NULL, " the", "e", "ing"};
    return (Wish){.chain = chains[fresh_below(4)],
                  .prompt = round % 2 ? "Once upon a time" : "The fox went to the mil",
                  .stop = stops[fresh_below(4)],
                  .limits = {.max_tokens = round % 3 ? SIZE_MAX : 1 + fresh_below(12),
                             .stop_ids = ids,
                             .n_stop_ids = round % 4 == 3 ? 1 : 0,
                             .only_bos_ends = fresh_below(4) == 0,
                             .repeats = fresh_below(4) ? 0 : 2},
                  .stops_at = round % 5 == 4 ? 1 + fresh_below(9) : 0,
                  .ctx = round % 7 ? 200 : 1 + fresh_below(8),
                  .seed = fresh_bits(),
                  .want_raw = fresh_below(2),
                  .heals = round % 6 == 0,
                  .streams = round % 5 != 2,
                  .watched = round % 9 != 8};
}

GRADE(taking) {
    SessionConfig config = {.ctx = 400, .sequences = 1, .max_tokens = 32, .max_logits = 8};
    NEED(model_open(&model, "layer5_models/models/storyteller.gguf", &fault));
    NEED(session_open(&session, &model, NULL, config, &fault));
    vocab = model.sizes.vocab;
    NEED(vocab <= 4096 && vocab > 400);
    int32_t end = 0, ids[1] = {(int32_t)(300 + fresh_below(vocab - 300))};
    while (!tokenizer_is_end(model.tokenizer, end)) end++;
    Wish plain = {.chain = "temp:1,draw",
                  .prompt = "One day",
                  .limits.max_tokens = 6,
                  .ctx = 100,
                  .streams = true,
                  .watched = true,
                  .want_raw = true};
    told_of("six tokens", &plain, -1);
    plain.limits.max_tokens = SIZE_MAX;
    told_of("a text to the model's own end", &plain, end);
    plain.chain = "regex:[A-Za-z ]{3}[.],temp:1,draw";
    told_of("a text whose grammar is complete", &plain, -1);
    for (int round = 0; round < 60; round++) {
        Wish w = fresh_wish(round, ids);
        told_of(w.heals ? "a healed prompt" : "a text", &w, fresh_below(2) ? end : ids[0]);
        appended(&w);
    }
    Wish circle = {.chain = "temp:1,draw",
                   .prompt = "the the the the the the the the",
                   .ctx = 100,
                   .limits = {.max_tokens = SIZE_MAX, .repeats = 2},
                   .streams = true};
    told_of("a prompt that repeats itself (the answer does not)", &circle, -1);
    /* two reasons at once: the first of the contract's order */
    for (int round = 0; round < 8; round++) {
        Wish w = {.chain = "regex:[A-Za-z ]{3}[.],temp:1,draw",
                  .prompt = "One day",
                  .stop = ".",
                  .limits.max_tokens = round & 1 ? 4 : SIZE_MAX,
                  .ctx = 40,
                  .streams = round & 2,
                  .watched = true,
                  .stops_at = round & 4 ? 4 : 0,
                  .seed = fresh_bits()};
        told_of("several reasons at once", &w, -1);
    }
    Wish late = {
        .chain = "temp:1,draw", .prompt = "One day", .ctx = 100, .late = true, .streams = true};
    late.limits.max_tokens = SIZE_MAX, late.limits.max_seconds = 50;
    told_of("50 seconds, and a minute is gone (s->start)", &late, -1);
    static const char *const banned[] = {" the", "e", "a", "in", "o"};
    for (int round = 0; round < 30; round++) {
        Wish w = fresh_wish(1, ids);
        w.banned = banned[fresh_below(5)], w.heals = false;
        told_of("a text in which another must not come (outgoing)", &w, -1);
        appended(&w);
    }
    dead_end();
}

GRADES({"6.4", taking})
