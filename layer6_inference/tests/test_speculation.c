/* speculation: the accept rule, every kind of draft, every kind of chain */
#include "stage6.h"

/* Over all guesses: q(x) min(1, p/q) + (chance of a refusal) residual(x) = p(x), exactly. */
static void speculation_keeps_the_distribution(void **state) {
    (void)state;
    enum { N = 7 };
    Rng rng = {1, 1, 0};
    for (int trial = 0; trial < 500; trial++) {
        float p[N], q[N], rest[N];
        double sp = 0, sq = 0, refused = 0;
        for (int i = 0; i < N; i++) {
            p[i] = rng_below(&rng, 4) ? (float)rng_next(&rng) : 0;
            q[i] = rng_below(&rng, 4) ? (float)rng_next(&rng) : 0;
            sp += (double)p[i], sq += (double)q[i];
        }
        if (sp == 0 || sq == 0) continue;
        if (trial % 10 == 0) memcpy(q, p, sizeof q), sq = sp;
        for (int i = 0; i < N; i++) p[i] /= (float)sp, q[i] /= (float)sq;
        for (int i = 0; i < N; i++)
            if (q[i] > 0) refused += (double)q[i] * (1 - speculate_accept_prob(p, q, i));
        speculate_residual(p, q, N, rest);
        for (int i = 0; i < N; i++) {
            double accepted = q[i] > 0 ? (double)q[i] * speculate_accept_prob(p, q, i) : 0;
            assert_near(accepted + refused * (double)rest[i], p[i], 1e-6);
        }
    }
}

static void looks_up_what_followed(void **state) {
    (void)state;
    static const int32_t text[] = {1, 2, 3, 4, 5, 9, 2, 3, 7, 8, 1, 2, 3};
    int32_t draft[8];
    assert_int_equal(speculate_lookup(text, 13, 4, draft), 4); /* 1 2 3 -> 4 5 9 2 */
    assert_memory_equal(draft, ((int32_t[]){4, 5, 9, 2}), 4 * sizeof *draft);
    assert_int_equal(speculate_lookup(text, 8, 4, draft), 4); /* 2 3 -> 4 5 9 2 */
    assert_memory_equal(draft, ((int32_t[]){4, 5, 9, 2}), 4 * sizeof *draft);
    assert_int_equal(speculate_lookup(text, 5, 4, draft), 0);
    static const int32_t same[] = {6, 6, 6};
    assert_int_equal(speculate_lookup(same, 3, 4, draft),
                     1); /* what followed is the end itself */
    assert_int_equal(speculate_lookup(same, 1, 4, draft), 0);
}

static Stage6 amateur; /* for chains with contrast */

static GenerateResult speak(Stage6 *w, const char *spec, Speculation *speculation,
                            uint64_t seed, TokenList *tokens, size_t max_tokens) {
    Chain chain;
    Fault fault;
    GenerateResult result;
    if (!chain_parse(&chain, spec, w->model.tokenizer, &fault)) fail_msg("%s", fault.text);
    GenerateOptions o = {.chain = &chain, .seed = seed, .limits.max_tokens = max_tokens};
    static int32_t words[] = {5, 7, 5};
    const TokenList negative = {.ids = words, .count = 3};
    if (chain_needs(&chain, NEEDS_GUIDE)) with_negative(&o, &negative);
    if (chain_needs(&chain, NEEDS_AMATEUR)) with_amateur(&o, &amateur.session);
    if (speculation) with_draft(&o, speculation);
    tokens->count = 0;
    assert_true(tokenizer_encode(w->model.tokenizer, text_of("abcabcab"), false, tokens, NULL));
    if (!generate(&w->session, tokens, &o, &result, &fault)) fail_msg("%s", fault.text);
    chain_close(&chain);
    return result;
}

static void compare_with_plain_decoding(void) {
    Stage6 w, other, twin;
    TokenList plain = {0}, drafted = {0};
    open_one(&w, 1, 1), open_one(&other, 2, 1), open_one(&twin, 1, 1);
    static const char *const specs[] = {"greedy", "penalties:rep=1.3,greedy",
                                        "no_repeat:2,temp:0"};
    for (size_t c = 0; c < 3; c++) {
        GenerateResult a = speak(&w, specs[c], NULL, 1, &plain, 36);
        for (size_t length = 1; length <= SPECULATE_MAX; length += 5)
            for (int kind = 0; kind < 3; kind++) {
                Speculation s = {.draft = kind == 0   ? NULL
                                          : kind == 1 ? &other.session
                                                      : &twin.session,
                                 .length = length};
                GenerateResult b = speak(&w, specs[c], &s, 1, &drafted, 36);
                assert_int_equal(b.tokens, a.tokens);
                assert_memory_equal(drafted.ids, plain.ids, plain.count * sizeof *plain.ids);
                assert_true(s.accepted <= s.drafted && s.rounds > 0);
                if (kind == 2)
                    assert_true(s.accepted + length >= s.drafted); /* a twin is right */
            }
    }
    speak(&w, "greedy", NULL, 1, &plain, SIZE_MAX); /* up to the end of the context */
    Speculation s = {.draft = &twin.session, .length = 7};
    speak(&w, "greedy", &s, 1, &drafted, SIZE_MAX);
    assert_int_equal(plain.count, drafted.count);
    assert_memory_equal(drafted.ids, plain.ids, plain.count * sizeof *plain.ids);
    token_list_free(&plain), token_list_free(&drafted);
    close_one(&w), close_one(&other), close_one(&twin);
}

/* Drafts longer than states can rewind (rewind above), too. */
static void greedy_speculation_is_plain_decoding(void **state) {
    (void)state;
    for (size_t i = 0; i < FAMILIES; i++) family = families[i], compare_with_plain_decoding();
    family = families[0];
}

/* Drawn or not, with a grammar that leaves much or little choice. */
static void compare_with_unforced(void) {
    static const char *const specs[] = {
        "regex:(abcabcabc|x)+(abababab)[a-z]{9},greedy",
        "regex:(abcabcabc|x)+(abababab)[a-z]{9},temp:2,draw",
        "choice:abcabcabcabc|bcabcabcabca,mirostat_v2:3",
        "temp:1.5,regex:ccccc[abc]bbbbbb[abc]aaaaa,gumbel",
    };
    Stage6 w;
    TokenList plain = {0}, forced = {0};
    size_t accepted = 0;
    open_one(&w, 1, 1);
    for (size_t c = 0; c < 4; c++)
        for (uint64_t seed = 0; seed < 8; seed++) {
            Speculation s = {.kind = &draft_forced, .length = SPECULATE_MAX};
            GenerateResult a = speak(&w, specs[c], NULL, seed, &plain, 40),
                           b = speak(&w, specs[c], &s, seed, &forced, 40);
            assert_int_equal(a.reason, b.reason);
            assert_int_equal(plain.count, forced.count);
            assert_memory_equal(plain.ids, forced.ids, plain.count * sizeof *plain.ids);
            assert_true(s.rounds + s.accepted >= b.tokens);
            accepted += s.accepted;
        }
    assert_true(accepted > 100);
    token_list_free(&plain), token_list_free(&forced);
    close_one(&w);
}

static void forced_tokens_change_no_text(void **state) {
    (void)state;
    for (size_t i = 0; i < FAMILIES; i++) family = families[i], compare_with_unforced();
    family = families[0];
}

/* The second token of many runs, with and without a bad draft, has the same distribution. */
static void compare_distributions(Stage6 *w, const char *spec, Speculation *s) {
    enum { RUNS = 2000 };
    TokenList tokens = {0};
    double counts[2][MAKE_VOCAB] = {{0}}, chi = 0;
    for (int with = 0; with < 2; with++)
        for (uint64_t seed = 0; seed < RUNS; seed++) {
            speak(w, spec, with ? s : NULL, with * RUNS + seed, &tokens, 2);
            counts[with][tokens.ids[tokens.count - 1]]++;
        }
    int kinds = 0;
    for (int i = 0; i < MAKE_VOCAB; i++) {
        double a = counts[0][i], b = counts[1][i];
        if (a + b < 20) continue;
        chi += (a - b) * (a - b) / (a + b), kinds++;
    }
    assert_true(kinds > 3);
    assert_true(s->accepted < s->drafted);
    if (chi >= kinds + 4 * sqrt(2.0 * kinds)) fail_msg("%s: chi-square %g", spec, chi);
    token_list_free(&tokens);
}

static void drawn_speculation_has_the_same_distribution(void **state) {
    (void)state;
    Stage6 w, other;
    open_one(&w, 1, 2), open_one(&other, 2, 1), open_one(&amateur, 3, 1);
    Speculation s = {.draft = &other.session, .length = 2};
    compare_distributions(&w, "top_k:4,temp:1.5", &s);
    compare_distributions(&w, "top_k:4,cfg:1.5,temp:1.5", &s);
    compare_distributions(&w, "contrast:0.3,temp:1.5", &s);
    close_one(&w), close_one(&other), close_one(&amateur);
}

/* ------------------------------------------------------------------ every chain */

/* Texts of this chain with drafts of this kind are, token by token, those without. */
static size_t compare_texts(Stage6 *w, const char *spec, const DraftKind *kind,
                            Session *draft) {
    TokenList plain = {0}, drafted = {0};
    size_t accepted = 0;
    for (uint64_t seed = 1; seed <= 6; seed++) {
        Speculation s = {.kind = kind, .draft = draft, .length = 1 + seed};
        GenerateResult a = speak(w, spec, NULL, seed, &plain, 50),
                       b = speak(w, spec, &s, seed, &drafted, 50);
        if (a.tokens != b.tokens || memcmp(plain.ids, drafted.ids, plain.count * sizeof(int)))
            fail_msg("%s with drafts (%s): another text", spec, kind->name);
        assert_true(s.accepted <= s.drafted && s.rounds + s.accepted >= b.tokens);
        accepted += s.accepted;
    }
    token_list_free(&plain), token_list_free(&drafted);
    return accepted;
}

/* A draft that is no distribution, or a chain whose distribution cannot be read off: drawn
 * texts, too, are the same.  State of the chain and a second model or text are rolled back. */
static void matched_drafts_change_no_text(void **state) {
    (void)state;
    static const char *const specs[] = {"temp:0.7,draw",
                                        "mirostat:3",
                                        "mirostat_v2:2",
                                        "min_p:0.02,adaptive_p:0.3",
                                        "skew:0.7,draw",
                                        "xtc:0.5,gumbel",
                                        "cfg:1.5,draw",
                                        "contrast:0.1,temp:0.8",
                                        "cfg:2,contrast:0.05,draw",
                                        "cfg:1.3,mirostat:3"};
    Stage6 w, twin;
    open_one(&w, 1, 2), open_one(&amateur, 2, 1), open_one(&twin, 1, 1);
    size_t looked_up = 0, modelled = 0;
    for (size_t c = 0; c < sizeof specs / sizeof *specs; c++) {
        bool read_off = !strstr(specs[c], "mirostat") && !strstr(specs[c], "adaptive_p") &&
                        !strstr(specs[c], "skew");
        for (const DraftKind *const *kind = draft_kinds; *kind; kind++)
            if (*kind != &draft_model) looked_up += compare_texts(&w, specs[c], *kind, NULL);
        if (!read_off) modelled += compare_texts(&w, specs[c], &draft_model, &twin.session);
    }
    assert_true(looked_up > 10 && modelled > 500);
    close_one(&w), close_one(&amateur), close_one(&twin);
}

/* ------------------------------------------------------------------ leaves */

/* Drafts with leaves, by the model without its second block. */
static void compare_leaves(size_t passes[LEAVES_MAX + 1]) {
    static const char *const specs[] = {"greedy", "temp:1.2,gumbel", "top_k:9,draw",
                                        "mirostat:4"};
    Stage6 w;
    Model skipping;
    Session draft;
    Fault fault;
    TokenList plain = {0}, drafted = {0};
    open_one(&w, 1, 7);
    assert_true(layer_skip_open(&skipping, &w.model, "1", &fault));
    assert_true(session_open(
        &draft, &skipping, NULL,
        (SessionConfig){.sequences = 1, .max_tokens = 32, .max_logits = 32, .rewind = 8},
        &fault));
    for (size_t c = 0; c < 4; c++) {
        GenerateResult a = speak(&w, specs[c], NULL, 3, &plain, 60);
        for (size_t leaves = 1; leaves <= LEAVES_MAX; leaves++) {
            Speculation s = {.draft = &draft, .length = 1 + c, .leaves = leaves};
            GenerateResult b = speak(&w, specs[c], &s, 3, &drafted, 60);
            if (a.tokens != b.tokens ||
                memcmp(plain.ids, drafted.ids, plain.count * sizeof *plain.ids) != 0)
                fail_msg("%s, %s with %zu leaves: another text", family, specs[c], leaves);
            passes[leaves] += s.rounds;
            for (size_t i = 1; i < 7; i++) /* forks are given back */
                assert_int_equal(session_length(&w.session, i), 0);
        }
    }
    token_list_free(&plain), token_list_free(&drafted);
    session_close(&draft), layer_skip_close(&skipping), close_one(&w);
}

static void leaves_change_no_text(void **state) {
    (void)state;
    size_t passes[LEAVES_MAX + 1] = {0};
    for (size_t i = 0; i < FAMILIES; i++) family = families[i], compare_leaves(passes);
    assert_true(passes[3] < passes[1]);
    family = families[0];
}

/* Several texts share few sequences, so that many leaves find no room. */
static void leaves_take_what_room_there_is(void **state) {
    (void)state;
    enum { TEXTS = 3 };
    Stage6 w, other;
    TokenList plain[TEXTS] = {{0}}, drafted[TEXTS] = {{0}};
    Chain chains[TEXTS];
    Speculation s[TEXTS];
    Engine engine;
    Fault fault;
    open_one(&w, 1, TEXTS + 2), open_one(&other, 2, TEXTS);
    for (size_t i = 0; i < TEXTS; i++)
        speak(&w, "temp:1.1,gumbel", NULL, i, &plain[i], 30 + 7 * i);
    assert_true(engine_open(&engine, &w.session, &fault));
    for (size_t i = 0; i < TEXTS; i++) {
        s[i] = (Speculation){.draft = &other.session, .length = 3, .leaves = 2};
        assert_true(chain_parse(&chains[i], "temp:1.1,gumbel", NULL, &fault));
        GenerateOptions o = {.chain = &chains[i], .seed = i, .limits.max_tokens = 30 + 7 * i};
        with_draft(&o, &s[i]);
        assert_true(
            tokenizer_encode(w.model.tokenizer, text_of("abcabcab"), false, &drafted[i], NULL));
        if (!engine_add(&engine, &drafted[i], &o, &fault)) fail_msg("%s", fault.text);
    }
    while (engine.live) assert_true(engine_step(&engine, &fault));
    engine_close(&engine);
    for (size_t i = 0; i < TEXTS; i++) {
        assert_int_equal(plain[i].count, drafted[i].count);
        assert_memory_equal(plain[i].ids, drafted[i].ids, plain[i].count * sizeof(int32_t));
        assert_true(s[i].drafted > 3 * s[i].rounds / 2);
        chain_close(&chains[i]), token_list_free(&plain[i]), token_list_free(&drafted[i]);
    }
    close_one(&w), close_one(&other);
}

/* ------------------------------------------------------------------ a suffix store */

/* What followed the longest known end most often, by counting. */
static int32_t counted(const int32_t *t, size_t n, double *share) {
    for (size_t length = n < SUFFIX_DEPTH - 1 ? n : SUFFIX_DEPTH - 1; length > 0; length--) {
        size_t count[8] = {0}, came = 1; /* the end itself came, and nothing followed */
        int32_t best = -1;
        for (size_t end = length; end < n; end++) {
            if (memcmp(t + end - length, t + n - length, length * sizeof *t) != 0) continue;
            came++, count[t[end]]++;
            if (best < 0 || count[t[end]] >= count[best]) best = t[end];
        }
        if (best < 0) continue;
        *share = (double)count[best] / (double)came;
        return best;
    }
    return -1;
}

static void the_store_counts(void **state) {
    (void)state;
    enum { N = 400 };
    Rng rng = {1, 1, 0};
    for (int trial = 0; trial < 6; trial++) {
        SuffixStore *store = suffix_store_open(1 << 16);
        SuffixText text = {0};
        int32_t t[N], draft[1];
        for (size_t n = 1; n <= N; n++) {
            t[n - 1] =
                trial % 2 && n > 20 && n % 9 ? t[n - 11] : (int32_t)rng_below(&rng, 2 + trial);
            suffix_store_read(store, &text, t, n);
            double share = 0;
            int32_t want = counted(t, n, &share);
            size_t count = suffix_store_draft(store, t, n, 1, draft);
            assert_int_equal(count, want >= 0 && share >= SUFFIX_CHANCE);
            if (count) assert_int_equal(draft[0], want);
        }
        suffix_store_close(store);
    }
}

/* Another text's tokens, a text that was rolled back, and a store that is full. */
static void the_store_remembers_and_forgets(void **state) {
    (void)state;
    SuffixStore *store = suffix_store_open(1000);
    SuffixText first = {0}, second = {0}, long_text = {0};
    int32_t t[3000], draft[8];
    for (int i = 0; i < 3000; i++) t[i] = i % 1000;
    suffix_store_read(store, &first, t, 20);
    assert_int_equal(suffix_store_draft(store, (int32_t[]){99, 4, 5}, 3, 8, draft), 8);
    for (int i = 0; i < 8; i++) assert_int_equal(draft[i], 6 + i);
    suffix_store_read(store, &second, (int32_t[]){4, 5, 7, 8}, 4);
    suffix_store_read(store, &second, (int32_t[]){4, 5}, 2);
    suffix_store_read(store, &second, (int32_t[]){4, 5, 7}, 3);
    assert_int_equal(suffix_store_draft(store, (int32_t[]){99, 4, 5}, 3, 1, draft), 1);
    assert_int_equal(draft[0], 7); /* twice, 6 once */
    suffix_store_read(store, &long_text, t, 3000);
    assert_int_equal(suffix_store_draft(store, (int32_t[]){4, 5}, 2, 1, draft), 0);
    assert_int_equal(suffix_store_draft(store, (int32_t[]){990, 991}, 2, 3, draft), 3);
    assert_int_equal(draft[2], 994);
    suffix_store_close(store);
}

/* Rejected drafts give their pages back: as many are free as after a text without drafts. */
static void drafts_keep_no_pages(void **state) {
    (void)state;
    Stage6 w, other;
    TokenList tokens = {0};
    open_one(&w, 1, 2), open_one(&other, 2, 1), open_one(&amateur, 3, 1);
    const KvCache *kv = &w.session.kv, *second = &amateur.session.kv;
    for (size_t n = 10; n < 100; n += 15) {
        Speculation s = {.draft = &other.session, .length = 7};
        speak(&w, "cfg:2,contrast:0.05,greedy", NULL, n, &tokens, n);
        size_t free_pages = kv->pages.free_count, free_second = second->pages.free_count;
        assert_true(free_pages < kv->pages.count);
        speak(&w, "cfg:2,contrast:0.05,greedy", &s, n, &tokens, n);
        assert_true(s.drafted > s.accepted);
        assert_int_equal(kv->pages.free_count, free_pages);
        assert_int_equal(second->pages.free_count, free_second);
        assert_true(session_length(&other.session, 0) < tokens.count);
    }
    token_list_free(&tokens);
    close_one(&w), close_one(&other), close_one(&amateur);
}

static void speculation_says_what_it_cannot(void **state) {
    (void)state;
    static const struct {
        const char *chain, *says;
        Speculation asked;
    } cases[] = {
        {"draw", "wanted 1 to 24", {.length = 25}},
        {"draw", "wanted 1 to 24", {.length = 0}},
        {"draw", "need a draft model", {.length = 4, .kind = &draft_model}},
        {"draw", "wanted up to 3", {.length = 4, .leaves = 4}},
        {"draw", "leaves need a draft model", {.length = 4, .leaves = 1}},
        {"contrastive_search:0.6", "looks ahead", {.length = 4}},
        {"cfg:2,draw", "room for 32 rows of logits, a draft needs 34", {.length = 16}}};
    Stage6 w;
    TokenList tokens = {0};
    open_one(&w, 1, 3);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        Chain chain;
        Fault fault;
        GenerateResult r;
        Speculation s = cases[i].asked;
        assert_true(chain_parse(&chain, cases[i].chain, NULL, &fault));
        GenerateOptions o = {.chain = &chain, .limits.max_tokens = 5};
        tokens.count = 0;
        token_list_add(&tokens, 'a');
        if (chain_needs(&chain, NEEDS_GUIDE)) with_negative(&o, &tokens);
        with_draft(&o, &s);
        with_look_ahead(&o);
        assert_false(generate(&w.session, &tokens, &o, &r, &fault));
        assert_contains(fault.text, cases[i].says);
        chain_close(&chain);
    }
    token_list_free(&tokens);
    close_one(&w);
}

RUN(TEST(speculation_keeps_the_distribution), TEST(looks_up_what_followed),
    TEST(greedy_speculation_is_plain_decoding), TEST(forced_tokens_change_no_text),
    TEST(drawn_speculation_has_the_same_distribution), TEST(matched_drafts_change_no_text),
    TEST(leaves_change_no_text), TEST(leaves_take_what_room_there_is), TEST(the_store_counts),
    TEST(the_store_remembers_and_forgets), TEST(drafts_keep_no_pages),
    TEST(speculation_says_what_it_cannot))
