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
enum { TEXTS = 13 };

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
                                          "adaptive_p:0.3",
                                          "cfg:1.5,contrastive_search:0.5:k=4"};

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

/* Pictures whose rows see each other, in steps that have little room: the same texts. */
enum { SHOWN = 4, GROUP = 6 };

static void picture_text(TokenList *to, size_t i) {
    static const char *const texts[SHOWN] = {"ab01cd", "0", "a0bcdefghijk1", "abcdefg0h"};
    to->count = 0;
    for (const char *at = texts[i]; *at; at++)
        for (int k = 0; k < (*at < 'a' ? GROUP : 1); k++)
            token_list_add(to, *at < 'a' ? MAKE_VOCAB + (*at - '0') * GROUP + k : *at);
}

static void tell_of_pictures(size_t room, size_t quota, TokenList *text) {
    static float rows[2 * GROUP][64];
    Voice v;
    Engine e;
    Chain chain[SHOWN];
    Sequence *s[SHOWN];
    Rng rng = {3, 0, 0};
    Fault fault;
    bool live = true;
    for (int i = 0; i < 2 * GROUP * 64; i++) rows[i / 64][i % 64] = (float)rng_normal(&rng);
    open_voice(&v, 1,
               (SessionConfig){.sequences = SHOWN, .max_tokens = room, .max_logits = SHOWN});
    assert_true(session_lend(&v.session, rows[0], 2 * GROUP, GROUP, &fault));
    assert_true(engine_open(&e, &v.session, &fault));
    for (size_t i = 0; i < SHOWN; i++) {
        assert_true(chain_parse(&chain[i], "temp:0.9", v.model.tokenizer, &fault));
        picture_text(&text[i], i);
        GenerateOptions o = {.chain = &chain[i], .seed = 4, .limits.max_tokens = 9};
        o.limits.only_bos_ends = true;
        s[i] = engine_add(&e, &text[i], &o, &fault);
        assert_non_null(s[i]);
        s[i]->quota = quota;
    }
    for (int step = 0; live; step++) {
        if (!engine_step(&e, &fault)) fail_msg("%s", fault.text);
        live = false;
        for (size_t i = 0; i < SHOWN; i++) live = live || s[i]->live;
        if (step == 200) fail_msg("room for %zu, quota %zu: it stands still", room, quota);
    }
    engine_close(&e);
    for (size_t i = 0; i < SHOWN; i++) chain_close(&chain[i]);
    close_voice(&v);
}

static void pictures_are_read_in_one_batch(void **state) {
    (void)state;
    static const size_t rooms[] = {96, 6, 7, 8, 9, 13, 20}, quotas[] = {0, 1, 3, 7};
    TokenList want[SHOWN] = {{0}}, got[SHOWN] = {{0}};
    tell_of_pictures(96, 0, want);
    for (int r = 0; r < 7; r++)
        for (int q = 0; q < 4; q++) {
            tell_of_pictures(rooms[r], quotas[q], got);
            for (size_t i = 0; i < SHOWN; i++) {
                assert_int_equal(got[i].count, want[i].count);
                assert_memory_equal(got[i].ids, want[i].ids, got[i].count * sizeof *got[i].ids);
            }
        }
    for (size_t i = 0; i < SHOWN; i++) token_list_free(&want[i]), token_list_free(&got[i]);
}

/* An encoder's source is read in one batch, however small the quota is: the same texts. */
static void tell_of_sources(size_t room, size_t quota, TokenList text[2]) {
    enum { START = 255 }; /* the token after a source: make_families.h */
    static const char *const sources[] = {"a source of 22 tokens.", "one of 10."};
    Voice v;
    Engine e;
    Chain chain[2];
    Sequence *s[2];
    Fault fault;
    open_voice(&v, 1, (SessionConfig){.sequences = 2, .max_tokens = room, .max_logits = 2});
    assert_true(engine_open(&e, &v.session, &fault));
    for (size_t i = 0; i < 2; i++) {
        assert_true(chain_parse(&chain[i], "temp:0.9", v.model.tokenizer, &fault));
        take_text(&text[i], sources[i]), token_list_add(&text[i], START);
        GenerateOptions o = {.chain = &chain[i], .seed = 4, .limits.max_tokens = 9};
        o.limits.only_bos_ends = true;
        s[i] = engine_add(&e, &text[i], &o, &fault);
        assert_non_null(s[i]);
        s[i]->quota = quota;
    }
    for (int step = 0; s[0]->live || s[1]->live; step++) {
        if (!engine_step(&e, &fault)) fail_msg("%s", fault.text);
        if (step == 200) fail_msg("room for %zu, quota %zu: it stands still", room, quota);
    }
    for (size_t i = 0; i < 2; i++)
        if (s[i]->failed) fail_msg("%s", s[i]->fault.text);
    engine_close(&e);
    for (size_t i = 0; i < 2; i++) chain_close(&chain[i]);
    close_voice(&v);
}

static void sources_are_read_in_one_batch(void **state) {
    (void)state;
    static const size_t rooms[] = {23, 24, 32}, quotas[] = {0, 1, 7};
    TokenList want[2] = {{0}}, got[2] = {{0}};
    family = "t5";
    tell_of_sources(64, 0, want);
    for (int r = 0; r < 3; r++)
        for (int q = 0; q < 3; q++) {
            tell_of_sources(rooms[r], quotas[q], got);
            for (size_t i = 0; i < 2; i++) {
                assert_int_equal(got[i].count, want[i].count);
                assert_memory_equal(got[i].ids, want[i].ids, got[i].count * sizeof *got[i].ids);
            }
        }
    for (size_t i = 0; i < 2; i++) token_list_free(&want[i]), token_list_free(&got[i]);
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
    text[1].ids[text[1].count - 1] = -1;
    assert_null(engine_add(&e, &text[1], &o, &fault));
    assert_contains(fault.text, "token -1 is not in the vocabulary");
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

/* A text needs a sequence of the model, and, with an amateur, one of that. */
static void room_is_counted_for_each_model(void **state) {
    (void)state;
    Voice v, amateur;
    Engine e;
    Fault fault;
    Chain chain[3];
    TokenList text[3] = {{0}};
    Sequence *s[3];
    const SessionConfig config = {.sequences = 2, .max_tokens = 16, .max_logits = 4},
                        one = {.sequences = 1, .max_tokens = 16, .max_logits = 4};
    open_voice(&v, 1, config), open_voice(&amateur, 2, one);
    assert_true(engine_open(&e, &v.session, &fault));
    for (int i = 0; i < 3; i++) {
        const char *spec = i ? "contrast:0.1,greedy" : "greedy";
        assert_true(chain_parse(&chain[i], spec, v.model.tokenizer, &fault));
        take_text(&text[i], "some text");
    }
    GenerateOptions plain = {.chain = &chain[0], .limits.max_tokens = 3}, with = plain;
    with.chain = &chain[1], with_amateur(&with, &amateur.session);
    assert_true(engine_has_room(&e, &plain) && engine_has_room(&e, &with));
    s[1] = engine_add(&e, &text[1], &with, &fault);
    assert_true(engine_has_room(&e, &plain) && !engine_has_room(&e, &with));
    s[0] = engine_add(&e, &text[0], &plain, &fault);
    assert_false(engine_has_room(&e, &plain) || engine_has_room(&e, &with));
    engine_pause(&e, s[1]);
    assert_true(engine_has_room(&e, &plain) && engine_has_room(&e, &with));
    engine_remove(&e, s[0]);
    s[1]->paused = false;
    finish(&e, s[1]);
    assert_int_equal(s[1]->result.tokens, 3);
    engine_close(&e);
    for (int i = 0; i < 3; i++) chain_close(&chain[i]), token_list_free(&text[i]);
    close_voice(&v), close_voice(&amateur);
}

/* Others have taken the sequences of a paused text. */
static void a_text_that_cannot_resume_fails(void **state) {
    (void)state;
    Voice v;
    Engine e;
    Fault fault;
    Chain chain[2];
    TokenList text[2] = {{0}};
    Sequence *s[2];
    open_voice(&v, 1, (SessionConfig){.sequences = 1, .max_tokens = 16, .max_logits = 4});
    assert_true(engine_open_room(&e, &v.session, 2, &fault));
    for (int i = 0; i < 2; i++) {
        assert_true(chain_parse(&chain[i], "greedy", v.model.tokenizer, &fault));
        take_text(&text[i], "some text");
        const GenerateOptions o = {.chain = &chain[i], .limits.max_tokens = 3};
        s[i] = engine_add(&e, &text[i], &o, &fault);
        assert_non_null(s[i]);
        if (i == 0) engine_pause(&e, s[0]);
    }
    s[0]->paused = false;
    assert_true(engine_step(&e, &fault));
    assert_true(s[0]->failed && !s[0]->live);
    assert_contains(s[0]->fault.text, "all 1 sequences of a session are in use");
    finish(&e, s[1]);
    engine_close(&e);
    for (int i = 0; i < 2; i++) chain_close(&chain[i]), token_list_free(&text[i]);
    close_voice(&v);
}

/* Generate a text that fails, on a model with one sequence; the fault is what it says. */
static void fails_with(Voice *v, GenerateOptions *o, const char *spec, const char *says) {
    Fault fault = {""};
    Chain chain;
    TokenList text = {0};
    GenerateResult r;
    assert_true(chain_parse(&chain, spec, v->model.tokenizer, &fault));
    take_text(&text, "some text");
    o->chain = &chain, o->limits.max_tokens = 30, o->limits.only_bos_ends = true;
    assert_false(generate(&v->session, &text, o, &r, &fault));
    assert_contains(fault.text, says);
    chain_close(&chain), token_list_free(&text);
}

static bool read_nothing(Extra *x, Sequence *s, Fault *fault) {
    (void)x, (void)s;
    return fault_set(fault, "this extra reads nothing");
}

/* An amateur's context may be shorter; an extra may fail; a model may be damaged. */
static void a_text_fails_for_its_own_reasons(void **state) {
    (void)state;
    Voice v, amateur;
    const SessionConfig config = {.sequences = 1, .max_tokens = 16, .max_logits = 4};
    SessionConfig small = config;
    small.ctx = 16;
    open_voice(&v, 1, config), open_voice(&amateur, 2, small);
    GenerateOptions o = {0};
    with_amateur(&o, &amateur.session);
    fails_with(&v, &o, "contrast:0.1,greedy", "the context is full at 16 tokens");
    const ExtraKind kind = {.read = read_nothing};
    o = (GenerateOptions){0};
    generate_with(&o, (Extra){.kind = &kind});
    fails_with(&v, &o, "greedy", "this extra reads nothing");
    float *gain = (float *)(uintptr_t)v.model.out_norm.gain;
    gain[3] = NAN;
    o = (GenerateOptions){0};
    fails_with(&v, &o, "greedy", "bad numbers: the logit of token 0 is not a number");
    close_voice(&v), close_voice(&amateur);
}

static bool refuse_all(void (*run)(void *), void *context, Fault *fault) {
    (void)run, (void)context;
    return fault_set(fault, "the guard lets nothing through");
}

static bool plan_nothing(Engine *e, Fault *fault) {
    (void)e;
    return fault_set(fault, "the hook has no plan");
}

/* What a guard refuses is the text's fault; what a hook refuses, the step's. */
static void guards_and_hooks_may_refuse(void **state) {
    (void)state;
    Voice v;
    Engine e;
    Fault fault;
    Chain chain;
    TokenList text = {0};
    open_voice(&v, 1, (SessionConfig){.sequences = 1, .max_tokens = 16, .max_logits = 4});
    assert_true(chain_parse(&chain, "greedy", v.model.tokenizer, &fault));
    assert_true(engine_open(&e, &v.session, &fault));
    take_text(&text, "some text");
    const GenerateOptions o = {.chain = &chain, .limits.max_tokens = 3};
    Sequence *s = engine_add(&e, &text, &o, &fault);
    e.hooks.before_plan = plan_nothing;
    assert_false(engine_step(&e, &fault));
    assert_contains(fault.text, "the hook has no plan");
    assert_true(s->live);
    e.hooks.before_plan = NULL, e.guard = refuse_all;
    assert_true(engine_step(&e, &fault));
    assert_true(s->failed && !s->live);
    assert_contains(s->fault.text, "the guard lets nothing through");
    engine_close(&e), chain_close(&chain), token_list_free(&text), close_voice(&v);
}

/* An encoder's source is read as a whole: what two of them have in common is no prefix. */
static void sources_are_not_shared(void **state) {
    (void)state;
    static const char *const sources[] = {"abcdefgh", "abcdefghij", "abcdefgh"};
    Voice v;
    Engine e;
    Fault fault;
    Chain chain[3];
    TokenList text[3] = {{0}};
    Sequence *s[3];
    family = "t5";
    open_voice(&v, 1, (SessionConfig){.sequences = 3, .max_tokens = 32, .max_logits = 4});
    assert_true(engine_open(&e, &v.session, &fault));
    for (int i = 0; i < 3; i++) {
        assert_true(chain_parse(&chain[i], "greedy", v.model.tokenizer, &fault));
        take_text(&text[i], sources[i]);
        token_list_add(&text[i], 255); /* the decoder begins behind it */
        GenerateOptions o = {.chain = &chain[i], .limits.max_tokens = 6};
        o.limits.only_bos_ends = true;
        s[i] = engine_add(&e, &text[i], &o, &fault);
        if (!s[i]) fail_msg("%s", fault.text);
        assert_true(s[i]->slot->at_once > 0);
        if (i == 1) assert_int_equal(s[1]->cached, 0);
        finish(&e, s[i]);
    }
    assert_int_equal(text[2].count, text[0].count);
    assert_memory_equal(text[2].ids, text[0].ids, text[0].count * sizeof *text[0].ids);
    engine_close(&e);
    for (int i = 0; i < 3; i++) chain_close(&chain[i]), token_list_free(&text[i]);
    close_voice(&v);
    family = families[0];
}

/* One text's context has shifted, and its windows have left what another needs that begins
 * alike: that one reads all by itself. */
static void what_windows_have_left_is_not_shared(void **state) {
    (void)state;
    enum { CTX = 320, LONG = 443, ALIKE = 322 };
    TokenList text[2] = {{0}}, alone = {0};
    Fault fault;
    family = "gemma3";
    for (int beside = 0; beside < 2; beside++) {
        Voice v;
        Engine e;
        Chain chain[2];
        open_voice(
            &v, 1,
            (SessionConfig){.sequences = 2, .max_tokens = 32, .max_logits = 4, .ctx = CTX});
        assert_true(engine_open(&e, &v.session, &fault));
        for (int i = 1 - beside; i < 2; i++) {
            assert_true(chain_parse(&chain[i], "greedy", v.model.tokenizer, &fault));
            text[i].count = 0;
            for (int k = 0; k < (i ? ALIKE : LONG); k++)
                token_list_add(&text[i], 'a' + k * 7 % 26);
            if (i) token_list_add(&text[i], '!'), token_list_add(&text[i], '?');
            GenerateOptions o = {.chain = &chain[i], .limits.max_tokens = 3};
            o.limits.only_bos_ends = true;
            with_long_text(&o, 1);
            Sequence *s = engine_add(&e, &text[i], &o, &fault);
            if (!s) fail_msg("%s", fault.text);
            assert_int_equal(s->cached, 0);
            finish(&e, s);
            assert_int_equal(s->slot->dropped, 2 * KV_PAGE);
        }
        engine_close(&e);
        for (int i = 1 - beside; i < 2; i++) chain_close(&chain[i]);
        close_voice(&v);
        if (!beside) alone = text[1], text[1] = (TokenList){0};
    }
    assert_int_equal(text[1].count, alone.count);
    assert_memory_equal(text[1].ids, alone.ids, alone.count * sizeof *alone.ids);
    token_list_free(&text[0]), token_list_free(&text[1]), token_list_free(&alone);
    family = families[0];
}

RUN(TEST(what_windows_have_left_is_not_shared), TEST(room_is_counted_for_each_model),
    TEST(a_text_that_cannot_resume_fails), TEST(a_text_fails_for_its_own_reasons),
    TEST(guards_and_hooks_may_refuse), TEST(sources_are_not_shared),
    TEST(what_never_fits_is_told), TEST(neighbours_change_nothing),
    TEST(what_was_read_is_shared), TEST(pictures_are_read_in_one_batch),
    TEST(sources_are_read_in_one_batch), TEST(looking_ahead_takes_the_room_there_is),
    TEST(each_has_a_fate_of_its_own))
