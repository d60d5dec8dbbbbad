/* stop strings and characters on the stream; the loop and its ways to end */
#include "check.h"
#include "inference.h"
#include "make_model.h"

static char sent[4000];
static size_t sent_size;

static void collect(void *context, Text text) {
    (void)context;
    assert_true(sent_size + text.size < sizeof sent);
    memcpy(sent + sent_size, text.data, text.size);
    sent[sent_size += text.size] = 0;
}

/* Push a text in pieces of `step` bytes; returns whether a stop string ended it. */
static bool push(const char *text, size_t step, const char *const *stops, size_t n_stops,
                 bool finish) {
    Stream s;
    bool stopped = false;
    sent_size = 0, sent[0] = 0;
    Stops automaton;
    assert_true(stops_open(&automaton, stops, n_stops, NULL));
    stream_open(&s, &automaton, collect, NULL);
    for (size_t at = 0, size = strlen(text); at < size && !stopped; at += step)
        stopped = !stream_push(&s, (Text){text + at, size - at < step ? size - at : step});
    if (stopped) assert_false(stream_push(&s, text_of("no more")));
    if (finish) stream_finish(&s);
    stream_close(&s), stops_close(&automaton);
    return stopped;
}

/* Up to 64 tokens, as often as is asked for. */
static void repetitions_are_found(void **state) {
    (void)state;
    static const struct {
        size_t size, times;
        bool found;
    } cases[] = {{1, 2, true},   {3, 2, true},  {64, 2, true},
                 {65, 2, false}, {5, 1, false}, {5, 3, false}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        int32_t tokens[2 * 65];
        for (size_t k = 0; k < 2 * cases[i].size; k++) tokens[k] = (int32_t)(k % cases[i].size);
        assert_int_equal(ends_in_repetition(tokens, 2 * cases[i].size, cases[i].times),
                         cases[i].found);
    }
}

static void stop_strings_are_cut_wherever_tokens_end(void **state) {
    (void)state;
    static const char *const stops[] = {"END", "aab"};
    for (size_t step = 1; step < 12; step++) {
        assert_true(push("the story END more", step, stops, 2, true));
        assert_string_equal(sent, "the story ");
        assert_true(push("aaaab", step, stops, 2,
                         true)); /* the stop begins inside what looked like one */
        assert_string_equal(sent, "aa");
        assert_false(push("EN EN E", step, stops, 2, true));
        assert_string_equal(sent, "EN EN E");
        assert_false(
            push("EN EN E", step, stops, 2, false)); /* the last E may still become END */
        assert_string_equal(sent, "EN EN ");
        assert_true(push("x aab END", step, stops, 2, true));
        assert_string_equal(sent, "x ");
    }
    static const char *const euro[] = {"\xE2\x82\xAC"};
    assert_true(push("a\xE2\x82\xAC"
                     "b",
                     1, euro, 1, true));
    assert_string_equal(sent, "a");
}

static void characters_are_never_halved(void **state) {
    (void)state;
    const char *text = "a\xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80z";
    for (size_t step = 1; step < 5; step++) {
        assert_false(push(text, step, NULL, 0, true));
        assert_string_equal(sent, text);
    }
    push("a\xF0\x9F\x98", 1, NULL, 0, false);
    assert_string_equal(sent, "a");
    push("a\xF0\x9F\x98", 1, NULL, 0, true); /* cut for good */
    assert_string_equal(sent, "a\xEF\xBF\xBD");
    push("\x80\xFFq\xC0\xAF\xED\xA0\x80", 1, NULL, 0, true); /* not characters at all */
    assert_string_equal(sent, "\xEF\xBF\xBD\xEF\xBF\xBDq\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD"
                              "\xEF\xBF\xBD\xEF\xBF\xBD");
    push("\xE2\x82q", 1, NULL, 0, true);
    assert_string_equal(sent, "\xEF\xBF\xBDq");
}

typedef struct World6 {
    Model model;
    Session session;
    Candidates candidates;
    Arena arena;
    unsigned char *bytes;
} World6;

static void open_all(World6 *w, size_t ctx) {
    MakeModel m = make_model_defaults("llama");
    size_t size;
    Fault fault;
    m.ctx = ctx;
    w->bytes = make_model(&m, &size);
    assert_true(model_open_memory(&w->model, w->bytes, size, &fault));
    assert_true(session_open(
        &w->session, &w->model, NULL,
        (SessionConfig){.sequences = 1, .max_tokens = PREFILL_BATCH, .max_logits = 1}, &fault));
    arena_measure(&w->arena), candidates_init(&w->candidates, MAKE_VOCAB, &w->arena);
    assert_true(arena_init(&w->arena, w->arena.used, &fault));
    candidates_init(&w->candidates, MAKE_VOCAB, &w->arena);
}

static void close_all(World6 *w) {
    session_close(&w->session), model_close(&w->model), arena_free(&w->arena), free(w->bytes);
}

static bool at_most_five(void *context, const Choice *choice) {
    (void)choice;
    return ++*(int *)context < 5;
}

static GenerateResult speak(World6 *w, const char *prompt, const char *spec, GenerateOptions o,
                            TokenList *tokens) {
    Chain chain;
    Fault fault;
    GenerateResult result;
    assert_true(chain_parse(&chain, spec, w->model.tokenizer, &fault));
    o.chain = &chain;
    tokens->count = 0;
    assert_true(tokenizer_encode(w->model.tokenizer, text_of(prompt), false, tokens, NULL));
    if (!generate(&w->session, tokens, &o, &result, &fault)) fail_msg("%s", fault.text);
    chain_close(&chain);
    return result;
}

static void the_loop_ends_for_a_reason(void **state) {
    (void)state;
    World6 w;
    TokenList a = {0}, b = {0};
    int calls = 0;
    open_all(&w, 128);
    GenerateResult r = speak(&w, "hello", "temp:0.9",
                             (GenerateOptions){.seed = 4, .limits.max_tokens = 20}, &a);
    assert_int_equal(r.reason, STOP_LIMIT);
    assert_int_equal(r.tokens, 20);
    assert_int_equal(r.prompt_tokens, 5);
    assert_int_equal(a.count, 25);
    speak(&w, "hello", "temp:0.9", (GenerateOptions){.seed = 4, .limits.max_tokens = 20}, &b);
    assert_memory_equal(a.ids, b.ids, 25 * sizeof *a.ids); /* the same again */
    speak(&w, "hello", "temp:0.9", (GenerateOptions){.seed = 5, .limits.max_tokens = 20}, &b);
    assert_memory_not_equal(a.ids, b.ids, 25 * sizeof *a.ids);
    r = speak(&w, "hello", "temp:3",
              (GenerateOptions){
                  .limits.max_tokens = SIZE_MAX, .limits.only_bos_ends = true, .seed = 1},
              &a);
    assert_true(r.reason == STOP_CONTEXT || r.reason == STOP_END);
    assert_true(a.count <= 128);
    r = speak(
        &w, "hello", "temp:0.9",
        (GenerateOptions){
            .limits.max_tokens = 50, .on_choice = at_most_five, .context = &calls, .seed = 4},
        &a);
    assert_true(r.reason == STOP_CALLER && r.tokens == 5);
    r = speak(&w, "hello", "greedy", (GenerateOptions){.limits.max_tokens = 0}, &a);
    assert_int_equal(r.tokens, 0);
    Stream stream;
    sent_size = 0;
    stream_open(&stream, NULL, collect, NULL);
    r = speak(&w, "hello", "temp:0.9",
              (GenerateOptions){.seed = 4, .limits.max_tokens = 20, .stream = &stream}, &a);
    assert_true(sent_size > 0);
    stream_close(&stream);
    for (int reason = 0; reason <= STOP_DEAD_END; reason++)
        assert_non_null(stop_reason_name((StopReason)reason));
    token_list_free(&a), token_list_free(&b);
    close_all(&w);
}

static void prompts_must_fit(void **state) {
    (void)state;
    World6 w;
    TokenList tokens = {0};
    Chain chain;
    Fault fault;
    GenerateResult r;
    open_all(&w, 64);
    assert_true(chain_parse(&chain, "greedy", NULL, &fault));
    GenerateOptions o = {.chain = &chain, .limits.max_tokens = 5};
    assert_false(generate(&w.session, &tokens, &o, &r, &fault));
    assert_contains(fault.text, "empty");
    for (int i = 0; i < 64; i++) token_list_add(&tokens, 65);
    assert_false(generate(&w.session, &tokens, &o, &r, &fault));
    assert_contains(fault.text, "64 tokens");
    tokens.count = 63;
    assert_true(generate(&w.session, &tokens, &o, &r, &fault));
    assert_int_equal(r.reason, STOP_CONTEXT);
    token_list_free(&tokens);
    close_all(&w);
}

typedef struct Reading {
    size_t seen[4], calls, max;
} Reading;

static bool note_reading(void *context, size_t read, size_t total) {
    Reading *r = context;
    assert_int_equal(total, 1050);
    assert_true(r->calls < 4);
    r->seen[r->calls++] = read;
    return r->calls < r->max;
}

/* A long prompt is read in batches; its caller sees progress and may cancel. */
static void reading_can_be_followed(void **state) {
    (void)state;
    World6 w;
    TokenList tokens = {0};
    char prompt[1051] = {0};
    Reading all = {.max = 9}, some = {.max = 2};
    memset(prompt, 'a', 1050);
    open_all(&w, 1100);
    GenerateOptions o = {.limits.max_tokens = 3,
                         .limits.only_bos_ends = true,
                         .on_read = note_reading,
                         .context = &all};
    GenerateResult r = speak(&w, prompt, "greedy", o, &tokens);
    assert_int_equal(tokens.count, 1053);
    assert_memory_equal(all.seen, ((size_t[]){PREFILL_BATCH, 2 * PREFILL_BATCH, 1050}),
                        3 * sizeof *all.seen);
    o.context = &some;
    r = speak(&w, prompt, "greedy", o, &tokens);
    assert_int_equal(some.calls, 2);
    assert_true(r.reason == STOP_CALLER && r.tokens == 0);
    token_list_free(&tokens);
    close_all(&w);
}

static bool has_layers_left(void *context) {
    size_t *layers = context;
    return *layers && (*layers)--;
}

/* And when he goes between two layers, nothing of the batch has been read. */
static void reading_is_given_up_between_layers(void **state) {
    (void)state;
    World6 w;
    TokenList tokens = {0};
    Chain chain;
    Fault fault;
    GenerateResult r;
    size_t layers = 1;
    open_all(&w, 64);
    assert_true(chain_parse(&chain, "greedy", NULL, &fault));
    GenerateOptions o = {.chain = &chain, .limits.max_tokens = 5};
    assert_true(
        tokenizer_encode(w.model.tokenizer, text_of("a long prompt"), false, &tokens, NULL));
    size_t count = tokens.count;
    w.session.is_wanted = has_layers_left, w.session.context = &layers;
    assert_false(generate(&w.session, &tokens, &o, &r, &fault));
    assert_true(w.session.stopped && layers == 0 && tokens.count == count && r.tokens == 0);
    assert_int_equal(session_length(&w.session, 0), 0);
    w.session.is_wanted = NULL; /* and the next text is read as if it had never come */
    assert_true(generate(&w.session, &tokens, &o, &r, &fault));
    assert_false(w.session.stopped);
    assert_int_equal(r.tokens, 5);
    chain_close(&chain), token_list_free(&tokens);
    close_all(&w);
}

/* ------------------------------------------------------------------ an extra of one's own */

/* Which hooks were called: a letter each. */
static char heard[80];
static void hear(const char *hook) { strcat(heard, hook); }

static bool own_open(Extra *x, Engine *e, Sequence *s, Fault *fault) {
    (void)x, (void)e, (void)s, (void)fault;
    return hear("o"), true;
}
static bool own_read(Extra *x, Sequence *s, Fault *fault) {
    (void)x, (void)s, (void)fault;
    return hear("r"), true;
}
static void own_choose(Extra *x, Sequence *s, float *logits) {
    hear("c");
    for (size_t i = 0; i < s->candidates->vocab; i++)
        if (i != 'a' + x->count) logits[i] = -INFINITY;
}
/* The second token is rolled back, and another comes in its place. */
static bool own_text(Extra *x, Sequence *s, Text *text) {
    hear("t");
    if (x->count++ == 1) {
        s->tokens->count--, s->result.tokens--;
        return chain_rewind(s->options.chain, 1), false;
    }
    *text = text_of("[]");
    return true;
}
static void own_taken(Extra *x, Sequence *s) {
    const Slot *r = s->slot;
    hear("k");
    if (x->count == 2) session_rewind(r->session, r->id, s->tokens->count - 1);
}
static void own_after(Extra *x, Engine *e, Sequence *s) {
    (void)x, (void)e, (void)s, hear("a");
}
static void own_end(Extra *x, Sequence *s, StopReason *reason) {
    (void)x, (void)s;
    hear(*reason == STOP_LIMIT ? "e" : "?");
}
static void own_close(Extra *x) { (void)x, hear("x"); }

static void extras_are_called_in_order(void **state) {
    (void)state;
    const ExtraKind kind = {.open = own_open,
                            .close = own_close,
                            .read = own_read,
                            .choose = own_choose,
                            .text = own_text,
                            .taken = own_taken,
                            .after = own_after,
                            .end = own_end};
    World6 w;
    TokenList tokens = {0};
    Stream stream;
    GenerateOptions o = {.limits.max_tokens = 3, .stream = &stream};
    open_all(&w, 128);
    sent_size = 0, heard[0] = 0;
    stream_open(&stream, NULL, collect, NULL);
    generate_with(&o, (Extra){.kind = &kind});
    GenerateResult r = speak(&w, "hello", "greedy", o, &tokens);
    assert_string_equal(heard, "o"
                               "rctka"
                               "rctka"
                               "rctka"
                               "rctek"
                               "x");
    assert_int_equal(r.tokens, 3);
    assert_int_equal(tokens.count, 8);
    assert_memory_equal(tokens.ids + 5, ((int32_t[]){'a', 'c', 'd'}), 3 * sizeof *tokens.ids);
    assert_int_equal(sent_size, 6);
    stream_close(&stream), token_list_free(&tokens);
    close_all(&w);
}

/* Whatever the bytes: valid UTF-8, and no control characters. */
static void escaped_text_is_one_line(void **state) {
    (void)state;
    static const char often[] = "\n\xE2\x82\xAC\\a\x7F\xC2";
    Rng rng = {6, 0, 0};
    for (int trial = 0; trial < 2000; trial++) {
        char bytes[24], *text = NULL;
        size_t n = rng_below(&rng, sizeof bytes), size;
        FILE *out = open_memstream(&text, &size);
        for (size_t i = 0; i < n; i++)
            bytes[i] = rng_below(&rng, 3) ? (char)rng_below(&rng, 256) : often[i % 8];
        utf8_print_escaped(out, (Text){bytes, n});
        fclose(out);
        for (size_t i = 0, step; i < size; i += step) {
            int length = utf8_character((unsigned char *)text + i, size - i);
            assert_true(length > 0);
            step = (size_t)length;
            assert_true((unsigned char)text[i] >= 32 && text[i] != 127);
        }
        free(text);
    }
}

RUN(TEST(repetitions_are_found), TEST(stop_strings_are_cut_wherever_tokens_end),
    TEST(characters_are_never_halved), TEST(the_loop_ends_for_a_reason), TEST(prompts_must_fit),
    TEST(reading_can_be_followed), TEST(reading_is_given_up_between_layers),
    TEST(extras_are_called_in_order), TEST(escaped_text_is_one_line))
