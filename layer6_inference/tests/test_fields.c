/* each field of GenerateOptions and Limits, through generate, an engine and best_of */
#include "best_of.h"
#include "fields.h"
#include "house.h"

enum { PROMPT = 80, LENGTH = 12, SPECIAL = 256, SPECIAL_AT = 2, TEXT = 1000 };

/* What a caller gets of a text. */
typedef struct Heard {
    int32_t tokens[LENGTH * 3];
    size_t count, read_total, choices, raws;
    StopReason reason;
    char text[TEXT];
    size_t size;
} Heard;

typedef enum Form { GENERATE, ENGINE, BEST_OF, FORMS } Form;

static House house;
static Heard heard, other; /* of the callbacks; other: of another context */
static Chain chains[4];
enum { USUAL, GREEDY, ONE_LETTER, AN_END };
static Stream stream;

static void keep_text(void *context, Text text) {
    Heard *h = context;
    assert_true(h->size + text.size < TEXT);
    memcpy(h->text + h->size, text.data, text.size), h->size += text.size;
}

static bool keep_read(void *context, size_t read, size_t total) {
    (void)read;
    return ((Heard *)context)->read_total = total, true;
}

static bool keep_choice(void *context, const Choice *choice) {
    Heard *h = context;
    h->choices++, h->raws += choice->raw != NULL;
    return true;
}

/* ------------------------------------------------------------------ the fields */

static uint64_t salts; /* a new one shares nothing */
static int32_t stop_id;
static const TokenList marks = {.ids = (int32_t[]){SPECIAL}, .count = 1};

static void only_z(Extra *x, Sequence *s, float *logits) {
    (void)x;
    for (size_t i = 0; i < s->candidates->vocab; i++)
        if (i != 'z' && s->result.tokens != SPECIAL_AT) logits[i] = -INFINITY;
}
static const ExtraKind z_kind = {.choose = only_z};

static bool stop_third(void *context, const Choice *choice) {
    return keep_choice(context, choice) && ((Heard *)context)->choices < 3;
}

static void set_chain(GenerateOptions *o) { o->chain = &chains[GREEDY]; }
static void set_seed(GenerateOptions *o) { o->seed = 99; }
static void set_salt(GenerateOptions *o) { o->salt = ++salts; }
static void set_stream(GenerateOptions *o) { o->stream = NULL; }
static void set_shown(GenerateOptions *o) { o->shown = &marks; }
static void set_on_read(GenerateOptions *o) { o->on_read = NULL; }
static void set_on_choice(GenerateOptions *o) { o->on_choice = stop_third; }
static void set_want_raw(GenerateOptions *o) { o->want_raw = true; }
static void set_context(GenerateOptions *o) { o->context = &other; }
static void set_extras(GenerateOptions *o) { generate_with(o, (Extra){.kind = &z_kind}); }
static void set_max_tokens(GenerateOptions *o) { o->limits.max_tokens = 5; }
static void set_max_seconds(GenerateOptions *o) { o->limits.max_seconds = 1e-9; }
static void set_repeats(GenerateOptions *o) {
    o->chain = &chains[ONE_LETTER], o->limits.repeats = 4;
}
static void set_stop_ids(GenerateOptions *o) {
    o->limits.stop_ids = &stop_id, o->limits.n_stop_ids = 1;
}
static void set_only_bos(GenerateOptions *o) { o->limits.only_bos_ends = true; }
static void set_end(GenerateOptions *o) { o->chain = &chains[AN_END]; }

/* ------------------------------------------------------------------ what they change */

static bool same_text(const Heard *a, const Heard *b) {
    return a->count == b->count &&
           memcmp(a->tokens, b->tokens, a->count * sizeof *a->tokens) == 0;
}

static bool ends(const Heard *h, StopReason reason, size_t count) {
    return h->reason == reason && h->count == count;
}

/* The rest of each text is as without the field. */
static bool other_text(const Heard *a, const Heard *b, Form f) {
    (void)f;
    return !same_text(a, b) && ends(b, STOP_LIMIT, LENGTH);
}
static bool reads_all(const Heard *a, const Heard *b, Form f) {
    (void)f;
    return same_text(a, b) && a->read_total < PROMPT && b->read_total == PROMPT;
}
static bool silent(const Heard *a, const Heard *b, Form f) {
    return same_text(a, b) && a->size && (f == BEST_OF ? b->size == a->size : b->size == 0);
}
static bool shows(const Heard *a, const Heard *b, Form f) {
    (void)f;
    return same_text(a, b) && !strstr(a->text, "<|im_start|>") &&
           strstr(b->text, "<|im_start|>");
}
static bool no_read(const Heard *a, const Heard *b, Form f) {
    (void)f;
    return same_text(a, b) && a->read_total && !b->read_total;
}
static bool third(const Heard *a, const Heard *b, Form f) {
    (void)f;
    return a->choices == LENGTH && b->choices == 3 && ends(b, STOP_CALLER, 3);
}
static bool raw(const Heard *a, const Heard *b, Form f) {
    return same_text(a, b) && a->raws == (f == BEST_OF ? LENGTH : 0) && b->raws == LENGTH;
}
static bool to_other(const Heard *a, const Heard *b, Form f) {
    (void)f;
    return same_text(a, b) && !b->choices && other.choices == LENGTH;
}
static bool only_zs(const Heard *a, const Heard *b, Form f) {
    bool all = b->count == LENGTH;
    for (size_t i = 0; i < LENGTH; i++) all &= b->tokens[i] == 'z' || i == SPECIAL_AT;
    return (void)a, (void)f, all;
}
static bool fifth(const Heard *a, const Heard *b, Form f) {
    (void)a, (void)f;
    return ends(b, STOP_LIMIT, 5);
}
static bool at_once(const Heard *a, const Heard *b, Form f) {
    (void)a, (void)f;
    return ends(b, STOP_TIME, 1);
}
static bool fourth(const Heard *a, const Heard *b, Form f) {
    (void)a, (void)f;
    return ends(b, STOP_REPEAT, 4);
}
static bool at_id(const Heard *a, const Heard *b, Form f) {
    (void)a, (void)f;
    return ends(b, STOP_ID, 6);
}
static bool a_document(const Heard *a, const Heard *b, Form f) {
    (void)f;
    return same_text(a, b) && strstr(b->text, "<|im_start|>");
}
static bool an_end(const Heard *a, const Heard *b, Form f) {
    (void)a, (void)f;
    return ends(b, STOP_END, 3);
}

static const struct Row {
    const char *field;
    void (*set)(GenerateOptions *);
    bool (*acts)(const Heard *without, const Heard *with, Form form);
} rows[] = {
    {FIELD(GenerateOptions, chain), set_chain, other_text},
    {FIELD(GenerateOptions, chain), set_end, an_end},
    {FIELD(GenerateOptions, seed), set_seed, other_text},
    {FIELD(GenerateOptions, salt), set_salt, reads_all},
    {FIELD(GenerateOptions, stream), set_stream, silent},
    {FIELD(GenerateOptions, shown), set_shown, shows},
    {FIELD(GenerateOptions, on_read), set_on_read, no_read},
    {FIELD(GenerateOptions, on_choice), set_on_choice, third},
    {FIELD(GenerateOptions, want_raw), set_want_raw, raw},
    {FIELD(GenerateOptions, context), set_context, to_other},
    {FIELD(GenerateOptions, extras), set_extras, only_zs},
    {FIELD(GenerateOptions, limits), set_max_tokens, fifth},
    {FIELD(Limits, max_tokens), set_max_tokens, fifth},
    {FIELD(Limits, max_seconds), set_max_seconds, at_once},
    {FIELD(Limits, repeats), set_repeats, fourth},
    {FIELD(Limits, stop_ids), set_stop_ids, at_id},
    {FIELD(Limits, n_stop_ids), set_stop_ids, at_id},
    {FIELD(Limits, only_bos_ends), set_only_bos, a_document},
};

/* ------------------------------------------------------------------ the forms */

static void with_engine(TokenList *tokens, const GenerateOptions *o, GenerateResult *result) {
    Engine engine;
    Fault fault;
    assert_true(engine_open(&engine, &house.session, &fault));
    Sequence *s = engine_add(&engine, tokens, o, &fault);
    assert_non_null(s);
    while (s->live) assert_true(engine_step(&engine, &fault));
    *result = s->result;
    engine_remove(&engine, s), engine_close(&engine);
}

static void with_best_of(TokenList *tokens, const GenerateOptions *o, GenerateResult *result) {
    BestOfResult best;
    Fault fault;
    const BestOfOptions one = {.n = 1, .at_once = 1, .each = o};
    if (!best_of(&house.session, tokens, &one, &best, &fault)) fail_msg("%s", fault.text);
    *result = best.samples->result;
    for (size_t i = 0; i < best.samples->tokens.count; i++)
        token_list_add(tokens, best.samples->tokens.ids[i]);
    keep_text(&heard, (Text){best.samples->text, best.samples->size});
    best_of_free(&best);
}

static void run(Form form, void (*set)(GenerateOptions *), Heard *got) {
    TokenList tokens = {0};
    GenerateResult result;
    Fault fault;
    GenerateOptions o = {.chain = &chains[USUAL],
                         .seed = 4,
                         .limits.max_tokens = LENGTH,
                         .stream = &stream,
                         .on_read = keep_read,
                         .on_choice = keep_choice,
                         .context = &heard};
    heard = other = (Heard){.count = 0};
    stream_open(&stream, NULL, keep_text, &heard);
    if (set) set(&o);
    for (int i = 0; i < PROMPT; i++) token_list_add(&tokens, 'a' + i % 7);
    if (form == GENERATE && !generate(&house.session, &tokens, &o, &result, &fault))
        fail_msg("%s", fault.text);
    if (form == ENGINE) with_engine(&tokens, &o, &result);
    if (form == BEST_OF) with_best_of(&tokens, &o, &result);
    *got = heard;
    got->count = tokens.count - PROMPT, got->reason = result.reason;
    assert_true(got->count <= LENGTH && result.tokens == got->count);
    memcpy(got->tokens, tokens.ids + PROMPT, got->count * sizeof *got->tokens);
    stream_close(&stream), token_list_free(&tokens);
}

static void every_field_acts(void **state) {
    (void)state;
    static const char *const specs[] = {"force:256:at=2,temp:0.9", "force:256:at=2,greedy",
                                        "allow:97,greedy",
                                        "force:256:at=2,force:257:at=3,temp:0.9"};
    Heard first, with;
    Fault fault;
    open_house(&house, (SessionConfig){.sequences = 1,
                                       .max_tokens = PREFILL_BATCH,
                                       .max_logits = 1,
                                       .prefixes = 40});
    for (int i = 0; i < 4; i++)
        assert_true(chain_parse(&chains[i], specs[i], house.model.tokenizer, &fault));
    run(GENERATE, NULL, &first); /* the next ones find its prefix */
    for (Form form = 0; form < FORMS; form++) {
        Heard again;
        run(form, NULL, &again);
        assert_true(ends(&again, STOP_LIMIT, LENGTH) && same_text(&first, &again));
        assert_string_equal(first.text, again.text);
        for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
            stop_id = again.tokens[6];
            run(form, rows[i].set, &with);
            if (!rows[i].acts(&again, &with, form))
                fail_msg("form %d: %s: %zu tokens, %s: '%s'", form, rows[i].field, with.count,
                         stop_reason_name(with.reason), with.text);
        }
    }
    for (int i = 0; i < 4; i++) chain_close(&chains[i]);
    close_house(&house);
}

/* ------------------------------------------------------------------ several reasons at once */

static bool refuse(void *context, const Choice *choice) { return (void)context, !choice; }

/* Every set of reasons that hold after the token 'a' at once: the first is reported. */
static void the_first_reason_is_reported(void **state) {
    (void)state;
    static const StopReason of[] = {STOP_ID,    STOP_CALLER,  STOP_STRING, STOP_COMPLETE,
                                    STOP_LIMIT, STOP_CONTEXT, STOP_TIME};
    enum { REASONS = sizeof of / sizeof *of };
    static const char *const stops_of[] = {"a"};
    Chain open, complete;
    Stops stops;
    Fault fault;
    open_house(&house, (SessionConfig){.sequences = 1, .max_tokens = 192, .max_logits = 1});
    assert_true(chain_parse(&open, "allow:97,greedy", house.model.tokenizer, &fault));
    assert_true(chain_parse(&complete, "choice:a,greedy", house.model.tokenizer, &fault));
    assert_true(stops_open(&stops, stops_of, 1, &fault));
    for (unsigned set = 1; set < 1u << REASONS; set++) {
        TokenList tokens = {0};
        GenerateResult result;
        int first = 0;
        while (!(set >> first & 1)) first++;
        const size_t prompt = set >> 5 & 1 ? session_ctx(&house.session) - 1 : 9;
        for (size_t i = 0; i < prompt; i++) token_list_add(&tokens, 'b');
        stream_open(&stream, set >> 2 & 1 ? &stops : NULL, keep_text, &heard);
        heard.size = 0;
        const GenerateOptions o = {.chain = set >> 3 & 1 ? &complete : &open,
                                   .limits = {.stop_ids = (int32_t[]){'a'},
                                              .n_stop_ids = set & 1,
                                              .max_tokens = set >> 4 & 1 ? 1 : SIZE_MAX,
                                              .max_seconds = set >> 6 & 1 ? 1e-9 : 0},
                                   .on_choice = set >> 1 & 1 ? refuse : NULL,
                                   .stream = &stream};
        if (!generate(&house.session, &tokens, &o, &result, &fault)) fail_msg("%s", fault.text);
        if (result.reason != of[first])
            fail_msg("%s, not %s (%x)", stop_reason_name(result.reason),
                     stop_reason_name(of[first]), set);
        stream_close(&stream), token_list_free(&tokens);
    }
    for (int i = 1; i < REASONS; i++) assert_true(of[i] > of[i - 1]);
    stops_close(&stops), chain_close(&open), chain_close(&complete);
    close_house(&house);
}

RUN(TEST(every_field_acts), TEST(the_first_reason_is_reported))
