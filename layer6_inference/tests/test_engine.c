/* many texts in one batch: each is what it would be alone */
#include "check.h"
#include "inference_extras.h"
#include "make_model.h"

#include <math.h>

typedef struct Voice {
    Model model;
    Session session;
    unsigned char *bytes;
} Voice;

/* Of the models: attention remembers, or states do. */
static const char *const families[] = {"llama", "mamba2"};
static const char *family = "llama";

static void open_voice_on(Pool *pool, Voice *v, uint64_t seed, SessionConfig config) {
    MakeModel m = make_model_defaults(family);
    size_t size;
    Fault fault;
    m.ctx = 192, m.seed = seed;
    v->bytes = make_model(&m, &size);
    assert_true(model_open_memory(&v->model, v->bytes, size, &fault));
    if (!session_open(&v->session, &v->model, pool, config, &fault)) fail_msg("%s", fault.text);
}

static void open_voice(Voice *v, uint64_t seed, SessionConfig config) {
    open_voice_on(NULL, v, seed, config);
}

static void close_voice(Voice *v) {
    session_close(&v->session), model_close(&v->model), free(v->bytes);
}

/* A text of the test: how it is asked for, and what became of it. */
enum { TEXTS = 12 };

typedef struct Told {
    Sequence *sequence;
    TokenList tokens, negative;
    Chain chain;
    Stops stops;
    Stream stream;
    Speculation speculation;
    GenerateOptions options;
    GenerateResult result;
    size_t begins; /* the step in which it joins */
    char text[2000];
    size_t size;
} Told;

static void collect(void *context, Text text) {
    Told *t = context;
    assert_true(t->size + text.size < sizeof t->text);
    memcpy(t->text + t->size, text.data, text.size);
    t->size += text.size;
}

static const char *const chains[TEXTS] = {"greedy",
                                          "temp:1.4",
                                          "penalties:rep=1.3:last=16,top_k:20,temp:1.1",
                                          "cfg:1.5,temp:1",
                                          "mirostat:3",
                                          "contrast:0.1,temp:1.2",
                                          "top_p:0.9",
                                          "contrastive_search:0.5:k=5",
                                          "dry:0.8,min_p:0.02,temp:1.5",
                                          "temp:1.2",
                                          "cfg:2,contrast:0.05,draw",
                                          "adaptive_p:0.3"};

/* Text i as it is before it begins: the same however often it is made. */
static void prepare(Told *t, size_t i, const Voice *v, Voice *amateur, Voice *draft) {
    static const char *const ends[] = {"e", "th", "zq"};
    Rng rng = {77, i, 0};
    Fault fault;
    *t = (Told){.begins = rng_below(&rng, 9)};
    for (size_t n = 1 + rng_below(&rng, i % 3 ? 12 : 90); n > 0; n--)
        token_list_add(&t->tokens, (int32_t)(97 + rng_below(&rng, 26)));
    for (int k = 0; k < 7; k++) token_list_add(&t->negative, "other x"[k]);
    assert_true(chain_parse(&t->chain, chains[i], v->model.tokenizer, &fault));
    assert_true(stops_open(&t->stops, ends + i % 3, 1, &fault));
    stream_open(&t->stream, &t->stops, collect, t);
    t->options = (GenerateOptions){.chain = &t->chain,
                                   .seed = 100 + i,
                                   .limits.max_tokens = 5 + rng_below(&rng, 60),
                                   .limits.only_bos_ends = i % 2,
                                   .want_raw = i % 4 == 0,
                                   .stream = &t->stream};
    if (strstr(chains[i], "cfg")) with_negative(&t->options, &t->negative);
    if (strstr(chains[i], "contrast:")) with_amateur(&t->options, &amateur->session);
    with_look_ahead(&t->options);
    if (i == 1 || i == 2 || i == 9) {
        t->speculation.length = 2 + i % 4;
        t->speculation.draft = i == 2 ? NULL : &draft->session;
        with_draft(&t->options, &t->speculation);
    }
}

static void forget(Told *t) {
    token_list_free(&t->tokens), token_list_free(&t->negative);
    chain_close(&t->chain), stops_close(&t->stops), stream_close(&t->stream);
}

static void assert_same(const Told *a, const Told *b, size_t i) {
    if (a->result.reason != b->result.reason || a->tokens.count != b->tokens.count ||
        memcmp(a->tokens.ids, b->tokens.ids, a->tokens.count * sizeof *a->tokens.ids) != 0)
        fail_msg("text %zu is another one beside others: %zu tokens (%s), alone %zu (%s)", i,
                 a->tokens.count, stop_reason_name(a->result.reason), b->tokens.count,
                 stop_reason_name(b->result.reason));
    assert_int_equal(a->size, b->size);
    assert_memory_equal(a->text, b->text, a->size);
}

/* All of them through one engine, each joining at its step and leaving when it is over. */
static size_t tell_together(Told *texts, Session *session) {
    Engine engine;
    Fault fault;
    size_t over = 0;
    assert_true(engine_open(&engine, session, &fault));
    for (size_t step = 0; over < TEXTS; step++) {
        for (Told *t = texts; t < texts + TEXTS; t++) {
            if (t->begins > step || t->sequence || t->result.prompt_tokens) continue;
            t->sequence = engine_add(&engine, &t->tokens, &t->options, &fault);
            if (!t->sequence) assert_contains(fault.text, "in use"); /* later, then */
        }
        if (!engine_step(&engine, &fault)) fail_msg("%s", fault.text);
        for (Told *t = texts; t < texts + TEXTS; t++) {
            if (!t->sequence || t->sequence->live) continue;
            assert_false(t->sequence->failed);
            t->result = t->sequence->result;
            engine_remove(&engine, t->sequence);
            t->sequence = NULL, over++;
        }
        assert_true(step < 2000);
    }
    assert_int_equal(engine.live, 0);
    size_t preemptions = engine.preemptions;
    engine_close(&engine);
    return preemptions;
}

/* The invariant of engine.h, with room for everything and with hardly any, with memory for all
 * of them and for one and a half, on one thread and on three. */
static void tell_with_neighbours(void) {
    static const SessionConfig rooms[] = {
        {.sequences = 20, .max_tokens = 64, .max_logits = 64, .rewind = 5},
        {.sequences = 20, .max_tokens = 64, .max_logits = 64, .prefixes = 40},
        {.sequences = 20, .max_tokens = 11, .max_logits = 7},
        {.sequences = 4, .max_tokens = 9, .max_logits = 9},
        {.sequences = 20, .max_tokens = 64, .max_logits = 64, .pages = 12},
        {.sequences = 20, .max_tokens = 64, .max_logits = 64, .pages = 13, .prefixes = 20},
        {.sequences = 20, .max_tokens = 11, .max_logits = 7, .pages = 20}};
    const SessionConfig small = {
        .sequences = 12, .max_tokens = 16, .max_logits = 8, .pages = 7};
    static Told alone[TEXTS], together[TEXTS];
    Voice one, amateur, draft;
    Fault fault;
    Pool *pool = pool_open(3, false, &fault);
    assert_non_null(pool);
    open_voice(&one, 1, rooms[0]), open_voice(&amateur, 2, small), open_voice(&draft, 3, small);
    for (size_t i = 0; i < TEXTS; i++) {
        Told *t = &alone[i];
        prepare(t, i, &one, &amateur, &draft);
        if (!generate(&one.session, &t->tokens, &t->options, &t->result, &fault))
            fail_msg("text %zu: %s", i, fault.text);
        assert_true(t->result.tokens > 0);
    }
    for (size_t r = 0; r < sizeof rooms / sizeof *rooms; r++) {
        Voice many;
        open_voice_on(r % 2 ? pool : NULL, &many, 1, rooms[r]);
        for (size_t i = 0; i < TEXTS; i++) prepare(&together[i], i, &many, &amateur, &draft);
        size_t preemptions = tell_together(together, &many.session);
        bool is_scarce = rooms[r].pages && many.session.kv.pages.count; /* states never are */
        assert_true(!is_scarce || preemptions > 0);
        for (size_t i = 0; i < TEXTS; i++) {
            assert_same(&together[i], &alone[i], i);
            assert_int_equal(together[i].speculation.accepted, alone[i].speculation.accepted);
            forget(&together[i]);
        }
        close_voice(&many);
    }
    for (size_t i = 0; i < TEXTS; i++) forget(&alone[i]);
    close_voice(&one), close_voice(&amateur), close_voice(&draft);
    pool_close(pool);
}

static void neighbours_change_nothing(void **state) {
    (void)state;
    for (size_t i = 0; i < 2; i++) family = families[i], tell_with_neighbours();
    family = families[0];
}

static void take_text(TokenList *to, const char *text) {
    to->count = 0;
    for (; *text; text++) token_list_add(to, *text);
}

static void finish(Engine *e, Sequence *s) {
    Fault fault;
    while (s->live)
        if (!engine_step(e, &fault)) fail_msg("%s", fault.text);
    assert_false(s->failed);
}

/* What another text here has read already, or one that is gone and whose prefix was kept, is
 * not read again, and the text is the same. */
static void share_what_was_read(void) {
    static const char *const specs[] = {"temp:0.9", "dry:0.8,greedy", "contrastive_search:0.9"};
    const SessionConfig config = {
        .sequences = 4, .max_tokens = 32, .max_logits = 8, .prefixes = 8};
    char prompt[151] = {0};
    Fault fault;
    for (int i = 0; i < 150; i++) prompt[i] = (char)('a' + i * 7 % 26);
    for (size_t i = 0; i < 3; i++) {
        Voice v;
        Engine e;
        Chain chain[3];
        TokenList text[3] = {{0}};
        Sequence *s[3];
        open_voice(&v, 1, config);
        const bool pages = v.session.kv.pages.count; /* states have stayed at 128 alone */
        assert_true(engine_open(&e, &v.session, &fault));
        for (int k = 0; k < 3; k++) {
            assert_true(chain_parse(&chain[k], specs[i], v.model.tokenizer, &fault));
            take_text(&text[k], prompt);
            GenerateOptions o = {.chain = &chain[k], .seed = 4, .limits.max_tokens = 12};
            o.limits.only_bos_ends = true;
            with_look_ahead(&o);
            if (k == 2) /* all sequences are gone */
                engine_remove(&e, s[0]), engine_remove(&e, s[1]);
            s[k] = engine_add(&e, &text[k], &o, &fault);
            assert_non_null(s[k]);
            if (i == 2)
                assert_int_equal(s[k]->cached, 0); /* the chain wants all hidden states */
            else
                assert_int_equal(s[k]->cached, k == 0 ? 0 : k == 1 && pages ? 149 : 128);
            finish(&e, s[k]);
            assert_int_equal(text[k].count, text[0].count);
            assert_memory_equal(text[k].ids, text[0].ids, text[0].count * sizeof *text[0].ids);
        }
        assert_true(v.session.kv.n_prefixes > 0);
        engine_close(&e);
        for (int k = 0; k < 3; k++) chain_close(&chain[k]), token_list_free(&text[k]);
        close_voice(&v);
    }
}

static void what_was_read_is_shared(void **state) {
    (void)state;
    for (size_t i = 0; i < 2; i++) family = families[i], share_what_was_read();
    family = families[0];
}

/* Candidates to look ahead at are forks in one batch, or one after the other where there is no
 * room. */
static void look_ahead_in_some_room(void) {
    TokenList text[3] = {{0}};
    Fault fault;
    for (size_t i = 0; i < 3; i++) {
        Voice v;
        Chain chain;
        GenerateResult r;
        open_voice(&v, 1,
                   (SessionConfig){
                       .sequences = (size_t[]){1, 3, 9}[i], .max_tokens = 16, .max_logits = 6});
        assert_true(chain_parse(&chain, "contrastive_search:0.7:k=7", NULL, &fault));
        take_text(&text[i], "one two one two ");
        GenerateOptions o = {.chain = &chain, .limits.max_tokens = 20};
        with_look_ahead(&o);
        assert_true(generate(&v.session, &text[i], &o, &r, &fault));
        assert_int_equal(text[i].count, text[0].count);
        assert_memory_equal(text[i].ids, text[0].ids, text[0].count * sizeof *text[0].ids);
        chain_close(&chain), close_voice(&v);
    }
    for (size_t i = 0; i < 3; i++) token_list_free(&text[i]);
}

static void looking_ahead_takes_the_room_there_is(void **state) {
    (void)state;
    for (size_t i = 0; i < 2; i++) family = families[i], look_ahead_in_some_room();
    family = families[0];
}

/* One that cannot go on leaves the others alone; one too many is refused; a stop is a stop. */
static void each_has_a_fate_of_its_own(void **state) {
    (void)state;
    Voice v;
    Engine e;
    Fault fault;
    Chain good, bad, spare;
    TokenList text[3] = {{0}};
    char pending[] = "\xFF\xFF\xFF";
    const Heal none = {pending, 3};
    open_voice(&v, 1, (SessionConfig){.sequences = 2, .max_tokens = 16, .max_logits = 4});
    assert_true(chain_parse(&good, "temp:1", NULL, &fault));
    assert_true(chain_parse(&bad, "allow:5,greedy", NULL, &fault));
    assert_true(chain_parse(&spare, "greedy", NULL, &fault));
    for (int i = 0; i < 3; i++) take_text(&text[i], "some text");
    GenerateOptions o = {.chain = &good, .seed = 1, .limits.max_tokens = 30};
    o.limits.only_bos_ends = true;
    assert_true(engine_open(&e, &v.session, &fault));
    Sequence *a = engine_add(&e, &text[0], &o, &fault);
    GenerateOptions plain = o;
    o.chain = &bad, with_heal(&o, &none);
    Sequence *b = engine_add(&e, &text[1], &o, &fault);
    assert_true(a && b && e.live == 2);
    o = plain, o.chain = &spare;
    assert_null(engine_add(&e, &text[2], &o, &fault));
    assert_contains(fault.text, "all 2 sequences");
    while (b->live) assert_true(engine_step(&e, &fault));
    assert_true(b->failed && b->fault.text[0] && a->live);
    engine_remove(&e, b);
    Sequence *c = engine_add(&e, &text[2], &o, &fault);
    assert_non_null(c);
    while (a->live && a->result.tokens < 2) assert_true(engine_step(&e, &fault));
    sequence_end(a, STOP_CALLER);
    finish(&e, c);
    assert_int_equal(a->result.tokens, 2);
    assert_int_equal(text[0].count, 11);
    assert_int_equal(c->result.reason, STOP_LIMIT);
    engine_close(&e);
    chain_close(&good), chain_close(&bad), chain_close(&spare);
    for (int i = 0; i < 3; i++) token_list_free(&text[i]);
    close_voice(&v);
}

/* A text that the whole memory cannot hold is ended, and says so; one beside it does not
 * notice; a token that no model has is refused at the door. */
static void what_never_fits_is_told(void **state) {
    (void)state;
    Voice v;
    Engine e;
    Fault fault;
    Chain chain[2];
    TokenList text[2] = {{0}};
    open_voice(&v, 1,
               (SessionConfig){.sequences = 3, .max_tokens = 16, .max_logits = 4, .pages = 4});
    assert_true(engine_open(&e, &v.session, &fault));
    GenerateOptions o = {.seed = 1, .limits.max_tokens = 60, .limits.only_bos_ends = true};
    Sequence *s[2];
    for (size_t i = 0; i < 2; i++) {
        assert_true(chain_parse(&chain[i], "temp:1", NULL, &fault));
        for (int k = 0; k < (i ? 10 : 100); k++) token_list_add(&text[i], 'a' + k % 26);
        o.chain = &chain[i];
        s[i] = engine_add(&e, &text[i], &o, &fault);
        assert_non_null(s[i]);
    }
    token_list_add(&text[1], MAKE_VOCAB);
    assert_null(engine_add(&e, &text[1], &o, &fault));
    assert_contains(fault.text, "not in the vocabulary");
    text[1].count--;
    while (s[0]->live || s[1]->live) assert_true(engine_step(&e, &fault));
    assert_true(s[0]->failed && !s[1]->failed);
    assert_contains(s[0]->fault.text, "has 4 pages");
    assert_int_equal(text[0].count, 128 + 1); /* two pages for each of two layers are full */
    assert_true(s[1]->result.tokens > 30);
    engine_close(&e);
    for (int i = 0; i < 2; i++) chain_close(&chain[i]), token_list_free(&text[i]);
    close_voice(&v);
}

RUN(TEST(what_never_fits_is_told), TEST(neighbours_change_nothing),
    TEST(what_was_read_is_shared), TEST(looking_ahead_takes_the_room_there_is),
    TEST(each_has_a_fate_of_its_own))
