/* beams, healing, the queue, the automaton of stop strings */
#include "stage6.h"

#include <pthread.h>
#include <unistd.h>

/* ------------------------------------------------------------------ beams */

typedef struct Plain {
    int32_t ids[16];
    size_t n;
    double log_prob;
} Plain;

static int by_log_prob(const void *a, const void *b) {
    double x = ((const Plain *)a)->log_prob, y = ((const Plain *)b)->log_prob;
    return x > y ? -1 : x < y;
}

/* Beam search as the textbook says it, each text evaluated again from its start. */
static size_t plain_search(Stage6 *w, const int32_t *prompt, size_t n, size_t width,
                           size_t steps, Plain *beams) {
    static Plain all[8 * MAKE_VOCAB];
    size_t count = 1;
    Fault fault;
    beams[0] = (Plain){.n = 0};
    for (size_t step = 0; step < steps; step++) {
        size_t total = 0;
        for (size_t b = 0; b < count; b++) {
            session_rewind(&w->session, 0, 0);
            assert_true(session_eval(&w->session, prompt, n, false, &fault));
            if (beams[b].n)
                assert_true(session_eval(&w->session, beams[b].ids, beams[b].n, false, &fault));
            double sum = log_sum_exp(w->session.logits, MAKE_VOCAB);
            for (int32_t t = 0; t < MAKE_VOCAB; t++) {
                if (tokenizer_is_end(w->model.tokenizer, t)) continue;
                Plain next = beams[b];
                next.ids[next.n++] = t;
                next.log_prob += (double)w->session.logits[t] - sum;
                all[total++] = next;
            }
        }
        qsort(all, total, sizeof *all, by_log_prob);
        count = width;
        memcpy(beams, all, count * sizeof *beams);
    }
    return count;
}

static void compare_with_the_textbook(void) {
    static const int32_t prompt[] = {'h', 'e', 'l', 'l', 'o'};
    Stage6 w, plain;
    Fault fault;
    open_one(&w, 3, 16), open_one(&plain, 3, 1);
    for (size_t width = 1; width <= 6; width++) {
        Plain want[8];
        BeamText got[BEAM_MAX];
        size_t count;
        BeamOptions o = {
            .beams = width, .groups = 1, .length_power = 0, .text.limits.max_tokens = 6};
        plain_search(&plain, prompt, 5, width, 6, want);
        assert_true(beam_search(&w.session, prompt, 5, &o, got, &count, &fault));
        size_t at = 0;
        for (size_t i = 0; i < count; i++) {
            if (got[i].reason != STOP_LIMIT) continue; /* the plain one knows no ends */
            assert_memory_equal(got[i].tokens.ids, want[at].ids, 6 * sizeof(int32_t));
            assert_near(got[i].log_prob, want[at].log_prob, 1e-4);
            at++;
        }
        assert_true(at > 0 || count == width);
        for (size_t i = 1; i < count; i++) assert_true(got[i - 1].score >= got[i].score);
        beam_free(got, count);
    }
    for (size_t i = 0; i < w.session.kv.config.sequences; i++) session_rewind(&w.session, i, 0);
    const PagePool *pages = &w.session.kv.pages, *states = &w.session.kv.states;
    assert_int_equal(pages->free_count, pages->count); /* none is lost */
    assert_int_equal(states->free_count, states->count);
    close_one(&w), close_one(&plain);
}

static void beams_are_what_the_textbook_finds(void **state) {
    (void)state;
    for (size_t i = 0; i < FAMILIES; i++) family = families[i], compare_with_the_textbook();
    family = families[0];
}

static void groups_avoid_each_other(void **state) {
    (void)state;
    static const int32_t prompt[] = {'a', 'b'};
    Stage6 w;
    Fault fault;
    BeamText texts[BEAM_MAX];
    size_t count;
    open_one(&w, 4, 16);
    BeamOptions o = {.beams = 4,
                     .groups = 4,
                     .diversity = 1e3,
                     .length_power = 1,
                     .text.limits.max_tokens = 5};
    assert_true(beam_search(&w.session, prompt, 2, &o, texts, &count, &fault));
    for (size_t i = 0; i < count; i++)
        for (size_t k = 0; k < i; k++)
            for (size_t t = 0; t < texts[i].tokens.count && t < texts[k].tokens.count; t++)
                assert_true(texts[i].tokens.ids[t] != texts[k].tokens.ids[t]);
    beam_free(texts, count);
    o.groups = 3;
    assert_false(beam_search(&w.session, prompt, 2, &o, texts, &count, &fault));
    assert_contains(fault.text, "divide");
    o.groups = 1;
    assert_false(beam_search(&w.session, prompt, 0, &o, texts, &count, &fault));
    o.early = true,
    o.text.limits.max_tokens = SIZE_MAX; /* until enough have ended or the context is full */
    assert_true(beam_search(&w.session, prompt, 2, &o, texts, &count, &fault));
    assert_int_equal(count, 4);
    beam_free(texts, count);
    close_one(&w);
}

/* Where the plain beams would go on, ends end them; what is finished is said, and why. */
static void beams_end_as_the_loop_does(void **state) {
    (void)state;
    static const int32_t prompt[] = {'h', 'e', 'l', 'l', 'o'};
    Stage6 w;
    Fault fault;
    BeamText plain[BEAM_MAX], got[BEAM_MAX];
    size_t count, n;
    open_one(&w, 3, 16);
    BeamOptions o = {.beams = 3, .groups = 1, .length_power = 1, .text.limits.max_tokens = 12};
    assert_true(beam_search(&w.session, prompt, 5, &o, plain, &count, &fault));
    const int32_t *best = plain[0].tokens.ids;
    assert_int_equal(plain[0].reason, STOP_LIMIT);
    /* two letters of the best text, once as a stop string, ... */
    char stop[3] = {(char)best[4], (char)best[5], 0};
    const char *const stop_texts[] = {stop};
    Stops stops;
    assert_true(stops_open(&stops, stop_texts, 1, &fault));
    o.text.stops = &stops;
    assert_true(beam_search(&w.session, prompt, 5, &o, got, &n, &fault));
    size_t stopped = 0;
    for (size_t i = 0; i < n; i++) {
        const TokenList *t = &got[i].tokens;
        for (size_t k = 1; k < t->count; k++) {
            bool here = t->ids[k - 1] == best[4] && t->ids[k] == best[5];
            assert_true(here == (got[i].reason == STOP_STRING && k + 1 == t->count));
        }
        stopped += got[i].reason == STOP_STRING;
    }
    assert_true(stopped > 0);
    beam_free(got, n);
    /* ... once as a stop token, which is not part of the text */
    o.text.stops = NULL, o.text.limits.stop_ids = best + 3, o.text.limits.n_stop_ids = 1;
    assert_true(beam_search(&w.session, prompt, 5, &o, got, &n, &fault));
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < got[i].tokens.count; k++)
            assert_true(got[i].tokens.ids[k] != best[3]);
    beam_free(got, n);
    o.text.limits.n_stop_ids = 0, o.text.limits.max_seconds = 1e-9;
    assert_true(beam_search(&w.session, prompt, 5, &o, got, &n, &fault));
    assert_true(n > 0 && got[0].reason == STOP_TIME && got[0].tokens.count == 1);
    beam_free(got, n), beam_free(plain, count);
    for (size_t i = 0; i < w.session.kv.config.sequences; i++) session_rewind(&w.session, i, 0);
    assert_int_equal(w.session.kv.pages.free_count, w.session.kv.pages.count);
    stops_close(&stops);
    close_one(&w);
}

/* The same texts, whether all beams fit into memory or some have to read again what they
 * wrote. */
/* The likeliest text that obeys `spec`. */
static double best_that_obeys(Stage6 *w, const char *spec, Heal *heal, char *text) {
    static const int32_t prompt[] = {'h', 'e', 'l', 'l', 'o'};
    Fault fault;
    Chain rules;
    BeamText got[BEAM_MAX];
    size_t count, size = 0;
    if (!chain_parse(&rules, spec, w->model.tokenizer, &fault)) fail_msg("%s", fault.text);
    const BeamOptions o = {.beams = 16,
                           .groups = 1,
                           .text.limits.max_tokens = 12,
                           .text.rules = &rules,
                           .text.heal = heal};
    if (!beam_search(&w->session, prompt, 5, &o, got, &count, &fault))
        fail_msg("%s", fault.text);
    assert_true(count > 0 && got[0].reason == STOP_COMPLETE);
    double best = got[0].log_prob;
    for (size_t i = 0; i < got[0].tokens.count; i++) {
        Text piece = tokenizer_piece(w->model.tokenizer, got[0].tokens.ids[i], false);
        memcpy(text + size, piece.data, piece.size), size += piece.size;
    }
    text[size] = 0;
    for (size_t i = 1; i < count; i++)
        assert_true(got[i].reason == STOP_COMPLETE && got[i].log_prob <= best);
    beam_free(got, count), chain_close(&rules);
    return best;
}

/* Of four texts each by itself, the likeliest is what the search among all of them finds. */
static void beams_obey_a_grammar(void **state) {
    (void)state;
    static const char *const one[] = {"choice:abc", "choice:bca", "choice:cab", "choice:dd"};
    Stage6 w;
    Heal heal = {"qr", 2};
    char text[64], want[64] = "";
    double best = -INFINITY;
    open_one(&w, 16, 16);
    for (size_t i = 0; i < 4; i++) {
        double p = best_that_obeys(&w, one[i], NULL, text);
        assert_string_equal(text, one[i] + strlen("choice:"));
        if (p > best) best = p, strcpy(want, text);
    }
    assert_near(best_that_obeys(&w, "choice:abc|bca|cab|dd", NULL, text), best, 1e-4);
    assert_string_equal(text, want);
    /* the pending bytes of the prompt come first, and need not obey */
    best_that_obeys(&w, "choice:abc|bca|cab|dd", &heal, text);
    assert_memory_equal(text, "qr", 2);
    assert_true(strstr("abc bca cab dd", text + 2) && strlen(text) >= 4);
    close_one(&w);
}

static void beams_take_turns_in_a_small_memory(void **state) {
    (void)state;
    static const int32_t prompt[] = {'h', 'e', 'l', 'l', 'o'};
    Fault fault;
    BeamText texts[2][BEAM_MAX];
    size_t count[2];
    const BeamOptions o = {.beams = 6, .groups = 1, .text.limits.max_tokens = 130};
    for (size_t i = 0; i < 2; i++) {
        Stage6 w;
        open_one(&w, 3, 1);
        session_close(&w.session);
        assert_true(session_open(
            &w.session, &w.model, NULL,
            (SessionConfig){
                .sequences = 6, .max_tokens = 32, .max_logits = 6, .pages = i ? 7 : 0},
            &fault));
        if (!beam_search(&w.session, prompt, 5, &o, texts[i], &count[i], &fault))
            fail_msg("%s", fault.text);
        close_one(&w);
    }
    assert_int_equal(count[0], count[1]);
    for (size_t k = 0; k < count[0]; k++) {
        const BeamText *a = &texts[0][k], *b = &texts[1][k];
        assert_true(a->log_prob == b->log_prob && a->tokens.count == b->tokens.count);
        assert_memory_equal(a->tokens.ids, b->tokens.ids,
                            a->tokens.count * sizeof *a->tokens.ids);
    }
    for (size_t i = 0; i < 2; i++) beam_free(texts[i], count[i]);
}

/* No text goes on behind a circle; some model of these runs into one. */
static void beams_leave_no_circle(void **state) {
    (void)state;
    static const int32_t prompt[] = {'h', 'e', 'l', 'l', 'o'};
    size_t circles = 0;
    for (uint64_t seed = 1; seed <= 8; seed++) {
        Stage6 w;
        Fault fault;
        BeamText got[BEAM_MAX];
        size_t n;
        open_one(&w, seed, 4);
        BeamOptions o = {.beams = 2,
                         .groups = 1,
                         .length_power = 1,
                         .text.limits = {.max_tokens = 150, .repeats = 2}};
        assert_true(beam_search(&w.session, prompt, 5, &o, got, &n, &fault));
        for (size_t i = 0; i < n; i++) {
            const TokenList *t = &got[i].tokens;
            assert_false(t->count && ends_in_repetition(t->ids, t->count - 1, 2));
            assert_int_equal(ends_in_repetition(t->ids, t->count, 2),
                             got[i].reason == STOP_REPEAT);
            circles += got[i].reason == STOP_REPEAT;
        }
        beam_free(got, n);
        close_one(&w);
    }
    assert_true(circles > 0);
}

static bool two_steps(void *context, size_t steps) {
    *(size_t *)context = steps;
    return steps < 2;
}

static void beams_can_be_followed(void **state) {
    (void)state;
    static const int32_t prompt[] = {'a', 'b'};
    Stage6 w;
    Fault fault;
    BeamText got[BEAM_MAX];
    size_t n, steps = 99;
    open_one(&w, 4, 16);
    BeamOptions o = {.beams = 2,
                     .groups = 1,
                     .text.limits.max_tokens = 9,
                     .text.on_step = two_steps,
                     .text.context = &steps};
    assert_true(beam_search(&w.session, prompt, 2, &o, got, &n, &fault));
    assert_int_equal(steps, 2);
    assert_true(n > 0 && got[0].reason == STOP_CALLER && got[0].tokens.count == 2);
    beam_free(got, n);
    close_one(&w);
}

/* ------------------------------------------------------------------ the loop's other ends */

static char sent[4000];
static size_t sent_size;

static void collect(void *context, Text text) {
    (void)context;
    memcpy(sent + sent_size, text.data, text.size);
    sent[sent_size += text.size] = 0;
}

/* A vocabulary in which words have parts, learned from these lines. */
static Tokenizer *open_words(void) {
    static const char corpus[] = "once once once once once the then the then them there there "
                                 "other other another another once upon upon upon a a a";
    static const char *const specials[] = {"<|endoftext|>"};
    const Text text = text_of(corpus);
    Fault fault;
    GgufWriter *writer = gguf_writer_open(&fault);
    Gguf gguf;
    unsigned char *bytes = NULL;
    size_t size;
    if (!bpe_train(&text, 1, specials, 1, 256 + 1 + 12, writer, &fault) ||
        !gguf_write_memory(writer, &bytes, &size, &fault) ||
        !gguf_parse(&gguf, bytes, size, &fault))
        fail_msg("%s", fault.text);
    Tokenizer *t = tokenizer_open(&gguf, &fault);
    if (!t) fail_msg("%s", fault.text);
    gguf_free(&gguf), free(bytes), gguf_writer_close(writer);
    return t;
}

static bool some_token_goes_on(const Tokenizer *t, const char *text, size_t size) {
    bool some = false;
    for (size_t i = 0; i < tokenizer_count(t); i++) {
        Text piece = tokenizer_piece(t, (int32_t)i, false);
        some |= piece.size > size && memcmp(piece.data, text, size) == 0;
    }
    return some;
}

/* As many tokens go as make the beginning of a longer one, whichever way the end was cut. */
static void healing_goes_back_to_where_a_word_begins(void **state) {
    (void)state;
    static const char *const prompts[] = {"once the onc", "once upo", "the o", "the xyz", "o"};
    Tokenizer *t = open_words();
    Fault fault;
    for (size_t i = 0; i < sizeof prompts / sizeof *prompts; i++) {
        Heal heal;
        TokenList all = {0}, kept = {0};
        char text[40] = "";
        assert_true(tokenizer_encode(t, text_of(prompts[i]), false, &all, NULL));
        assert_true(tokenizer_encode(t, text_of(prompts[i]), false, &kept, NULL));
        assert_true(heal_prompt(&heal, t, &kept, &fault));
        for (size_t k = 0; k < kept.count; k++) {
            Text piece = tokenizer_piece(t, kept.ids[k], false);
            strncat(text, piece.data, piece.size);
        }
        size_t stays = strlen(text), size = strlen(prompts[i]);
        assert_true(kept.count > 0 && stays + heal.size == size);
        if (heal.size) {
            assert_memory_equal(heal.pending, prompts[i] + stays, heal.size);
            assert_true(some_token_goes_on(t, heal.pending, heal.size));
        }
        for (size_t n = kept.count; n-- > 1;) { /* the first token stays */
            stays -= tokenizer_piece(t, kept.ids[n], false).size;
            assert_false(some_token_goes_on(t, prompts[i] + stays, size - stays));
        }
        if (i == 0) assert_true(all.count - kept.count > 1 && heal.size == 4); /* " onc" */
        if (i >= 3) assert_int_equal(heal.size, 0);
        heal_free(&heal), token_list_free(&all), token_list_free(&kept);
    }
    tokenizer_close(t);
}

static void text_of_tokens(const Stage6 *w, const TokenList *tokens, char *text) {
    *text = 0;
    for (size_t i = 0; i < tokens->count; i++) {
        Text piece = tokenizer_piece(w->model.tokenizer, tokens->ids[i], false);
        strncat(text, piece.data, piece.size);
    }
}

static void healing_keeps_the_letters(void **state) {
    (void)state;
    Stage6 w;
    Chain chain;
    Fault fault;
    GenerateResult r;
    char pending[] = "hel", whole[400];
    const Heal heal = {pending, 3};
    open_one(&w, 1, 1);
    assert_true(chain_parse(&chain, "temp:2", NULL, &fault));
    for (uint64_t seed = 0; seed < 20; seed++) {
        TokenList tokens = {0};
        Stream stream;
        sent_size = 0, sent[0] = 0;
        stream_open(&stream, NULL, collect, NULL);
        assert_true(tokenizer_encode(w.model.tokenizer, text_of("say "), false, &tokens, NULL));
        GenerateOptions o = {
            .chain = &chain, .seed = seed, .limits.max_tokens = 6, .stream = &stream};
        with_heal(&o, &heal);
        assert_true(generate(&w.session, &tokens, &o, &r, &fault));
        text_of_tokens(&w, &tokens, whole);
        assert_true(strncmp(whole, "say hel", 7) == 0); /* the prompt is in the tokens, ... */
        assert_true(sent[0] == whole[7] ||
                    (unsigned char)sent[0] == 0xEF); /* ... not in the text */
        stream_close(&stream), token_list_free(&tokens);
    }
    chain_close(&chain);
    close_one(&w);
}

static void beams_spell_the_prompt_too(void **state) {
    (void)state;
    Stage6 w;
    Fault fault;
    BeamText got[BEAM_MAX];
    TokenList tokens = {0};
    size_t n;
    char pending[] = "hel", text[400];
    const Heal heal = {pending, 3};
    const char *const stop_texts[] = {"l"}; /* the prompt's own letters stop nothing */
    Stops stops;
    open_one(&w, 1, 16);
    assert_true(stops_open(&stops, stop_texts, 1, &fault));
    BeamOptions o = {.beams = 4,
                     .groups = 1,
                     .text.limits.max_tokens = 6,
                     .text.heal = &heal,
                     .text.stops = &stops};
    assert_true(tokenizer_encode(w.model.tokenizer, text_of("say "), false, &tokens, NULL));
    assert_true(beam_search(&w.session, tokens.ids, tokens.count, &o, got, &n, &fault));
    assert_true(n > 0);
    for (size_t i = 0; i < n; i++) {
        text_of_tokens(&w, &got[i].tokens, text);
        assert_true(strncmp(text, "hel", 3) == 0 && strlen(text) > 3);
    }
    beam_free(got, n), token_list_free(&tokens), stops_close(&stops);
    close_one(&w);
}

static void further_ends(void **state) {
    (void)state;
    Stage6 w;
    Fault fault;
    GenerateResult r;
    TokenList tokens = {0}, again = {0};
    Chain chain;
    open_one(&w, 1, 1);
    assert_true(chain_parse(&chain, "temp:0.9", NULL, &fault));
    GenerateOptions o = {.chain = &chain, .seed = 4, .limits.max_tokens = 30};
    for (int i = 0; i < 5; i++) token_list_add(&tokens, "hello"[i]);
    assert_true(generate(&w.session, &tokens, &o, &r, &fault));
    int32_t stop = tokens.ids[5 + 20];
    for (size_t i = 5; i < 25; i++) assert_true(tokens.ids[i] != stop || i > 5);
    for (int i = 0; i < 5; i++) token_list_add(&again, "hello"[i]);
    o.limits.stop_ids = &stop, o.limits.n_stop_ids = 1;
    assert_true(generate(&w.session, &again, &o, &r, &fault));
    assert_true(r.reason == STOP_ID && r.tokens <= 20);
    o.limits.n_stop_ids = 0, o.limits.max_seconds = 1e-9, again.count = 5;
    assert_true(generate(&w.session, &again, &o, &r, &fault));
    assert_true(r.reason == STOP_TIME && r.tokens == 1);
    chain_close(&chain);
    assert_true(chain_parse(&chain, "force:65:at=0,force:65:at=1,force:65:at=2,force:65:at=3",
                            NULL, &fault));
    o.limits.max_seconds = 0, o.limits.repeats = 3, again.count = 5;
    assert_true(generate(&w.session, &again, &o, &r, &fault));
    assert_true(r.reason == STOP_REPEAT && r.tokens == 3);
    static const int32_t circle[] = {9, 1, 2, 1, 2, 1, 2};
    assert_true(ends_in_repetition(circle, 7, 3) && !ends_in_repetition(circle, 7, 4) &&
                !ends_in_repetition(circle, 6, 3));
    chain_close(&chain);
    token_list_free(&tokens), token_list_free(&again);
    close_one(&w);
}

/* ------------------------------------------------------------------ automaton and queue */

/* The state's depth is the longest end of the text that begins a stop string: against trying
 * them all. */
static void the_automaton_is_right(void **state) {
    (void)state;
    static const char *const stops[] = {"aab", "abab", "b", "", "aabaa"};
    Stops s;
    Rng rng = {2, 3, 0};
    assert_true(stops_open(&s, stops, 4, NULL)); /* the empty one counts for nothing */
    for (int trial = 0; trial < 300; trial++) {
        char text[40];
        int32_t at = 0;
        for (size_t n = 0; n < 39; n++) {
            text[n] = "abc"[rng_below(&rng, 3)];
            at = stops_step(&s, at, (unsigned char)text[n]);
            size_t depth = 0, match = 0;
            for (size_t k = 0; k < 3; k++) {
                size_t size = strlen(stops[k]);
                for (size_t d = 1; d <= size && d <= n + 1; d++) {
                    if (memcmp(text + n + 1 - d, stops[k], d) != 0) continue;
                    if (d > depth) depth = d;
                    if (d == size && d > match) match = d;
                }
            }
            assert_int_equal(s.states[at].depth, depth);
            assert_int_equal(s.states[at].match, match);
        }
    }
    stops_close(&s);
    assert_true(stops_open(&s, stops + 3, 1, NULL)); /* nothing but an empty one */
    assert_int_equal(stops_step(&s, 0, 'a'), 0);
    stops_close(&s);
}

static void *produce(void *context) {
    TextQueue *q = context;
    char piece[8];
    for (int i = 0; i < 2000; i++) {
        int size = snprintf(piece, sizeof piece, "%d,", i);
        if (!text_queue_push(q, (Text){piece, (size_t)size})) return NULL;
    }
    text_queue_close(q);
    return NULL;
}

static void the_queue_delivers_in_order(void **state) {
    (void)state;
    TextQueue q;
    pthread_t thread;
    Fault fault;
    static char all[20000], want[20000];
    size_t size = 0, wanted = 0;
    assert_true(text_queue_open(&q, 13, &fault));
    assert_int_equal(pthread_create(&thread, NULL, produce, &q), 0);
    for (size_t n; (n = text_queue_pop(&q, all + size, 7)) > 0;) size += n;
    pthread_join(thread, NULL);
    for (int i = 0; i < 2000; i++) wanted += (size_t)sprintf(want + wanted, "%d,", i);
    assert_int_equal(size, wanted);
    assert_memory_equal(all, want, size);
    text_queue_free(&q);
    assert_true(text_queue_open(&q, 13, &fault)); /* a cancel frees a waiting producer */
    assert_int_equal(pthread_create(&thread, NULL, produce, &q), 0);
    assert_true(text_queue_pop(&q, all, 5) > 0);
    text_queue_cancel(&q);
    pthread_join(thread, NULL);
    assert_true(text_queue_is_cancelled(&q) && text_queue_pop(&q, all, 5) == 0);
    text_queue_free(&q);
}

static void diversity_by_hand(void **state) {
    (void)state;
    Diversity d;
    Fault fault;
    Text texts[2] = {text_of("The fox ran. The FOX ran, the fox ran home"),
                     text_of("a b c d e")};
    assert_true(diversity_measure(texts, 2, &d, &fault));
    assert_near(d.distinct[0], 9.0 / 15, 1e-9);
    assert_near(d.words, 7.5, 1e-9);
    assert_near(d.self_similarity, 0, 1e-9);
    /* 4-grams of the first: tfrt frtf rtfr tfrt frtf rtfr(no: ran the fox ran) ... */
    assert_near(d.repetition, 0.5 * 3 / 7, 1e-9);
    Diversity swapped;
    assert_true(diversity_measure((Text[]){texts[1], texts[0]}, 2, &swapped, &fault));
    assert_near(swapped.distinct[1], d.distinct[1], 1e-12);
    assert_near(swapped.repetition, d.repetition, 1e-12);
    texts[1] = texts[0];
    assert_true(diversity_measure(texts, 2, &d, &fault));
    assert_near(d.self_similarity, 1, 1e-9);
}

RUN(TEST(beams_are_what_the_textbook_finds), TEST(groups_avoid_each_other),
    TEST(beams_end_as_the_loop_does), TEST(beams_obey_a_grammar), TEST(beams_leave_no_circle),
    TEST(beams_take_turns_in_a_small_memory), TEST(beams_can_be_followed),
    TEST(healing_goes_back_to_where_a_word_begins), TEST(beams_spell_the_prompt_too),
    TEST(healing_keeps_the_letters), TEST(further_ends), TEST(the_automaton_is_right),
    TEST(the_queue_delivers_in_order), TEST(diversity_by_hand))
