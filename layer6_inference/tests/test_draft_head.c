/* drafts that a draft head makes, the model's own, or one in a file of its own */
#include "draft_head.h"
#include "families.h"
#include "check.h"
#include "inference_extras.h"
#include "make_model.h"
#include "run_draft.h"

typedef struct Pair {
    Model model, head;
    Session session, drafts;
    unsigned char *bytes, *own; /* own: the file of the head, where it has one */
    const char *text;           /* what is read first */
} Pair;

static void open_sessions(Pair *p, SessionConfig config, SessionConfig drafts) {
    Fault fault;
    p->text = "a text of which a part is read in pieces, for it is longer than that";
    assert_true(session_open(&p->session, &p->model, NULL, config, &fault));
    assert_true(session_open(&p->drafts, &p->head, NULL, drafts, &fault));
}

static void open_made(Pair *p, unsigned char *bytes, size_t size, SessionConfig config,
                      SessionConfig drafts) {
    Fault fault;
    p->bytes = bytes, p->own = NULL;
    if (!model_open_memory(&p->model, bytes, size, &fault)) fail_msg("%s", fault.text);
    assert_true(draft_head_open(&p->head, &p->model, &fault));
    open_sessions(p, config, drafts);
}

static const SessionConfig wide = {
    .sequences = 1, .max_tokens = 64, .max_logits = 32, .rewind = 8};

static MakeModel made(const char *arch, const char *more) {
    MakeModel m = make_model_of(arch, more);
    m.ctx = 192;
    return m;
}

static void open_pair(Pair *p, const char *arch, const char *more) {
    MakeModel m = made(arch, more);
    size_t size;
    unsigned char *bytes = make_model(&m, &size);
    open_made(p, bytes, size, wide, wide);
}

static void close_pair(Pair *p) {
    session_close(&p->drafts), session_close(&p->session);
    if (p->own) model_close(&p->head);
    model_close(&p->model), free(p->bytes), free(p->own);
}

static unsigned char *open_file(Model *model, const char *arch, const char *more) {
    MakeModel m = made(arch, more);
    size_t size;
    Fault fault;
    unsigned char *bytes = make_model(&m, &size);
    if (!model_open_memory(model, bytes, size, &fault)) fail_msg("%s", fault.text);
    return bytes;
}

static float *numbers_of(const Gguf *g, const char *name, size_t *count) {
    const GgufTensor *t = gguf_find_tensor(g, name);
    assert_non_null(t);
    *count = t->bytes / sizeof(float);
    return (float *)t->data;
}

static void fill(const Gguf *g, const char *name, float value) {
    size_t n;
    float *x = numbers_of(g, name, &n);
    for (size_t i = 0; i < n; i++) x[i] = value;
}

/* A map of which each row takes one number of what it reads, as it is. */
static void pass_on(const Gguf *g, const char *name, size_t rows, float value) {
    size_t n;
    float *map = numbers_of(g, name, &n);
    memset(map, 0, n * sizeof *map);
    for (size_t i = 0; i < rows; i++) map[i * (n / rows) + i] = value;
}

/* Blocks that add nothing: the last token alone says what comes next. */
static void empty_blocks(const Gguf *g, size_t layers) {
    char name[96];
    for (size_t l = 0; l < layers; l++) {
        fill(g, block_tensor_name(name, sizeof name, l, "attn_output", "weight"), 0);
        fill(g, block_tensor_name(name, sizeof name, l, "ffn_down", "weight"), 0);
    }
}

/* A head that looks at its own token, sharply, and passes it on, and so knows what a model of
 * empty blocks says; but what it reads of that one, in part, leads it astray. */
static void half_knows(const Model *head, const Model *model) {
    const Gguf *g = &head->gguf;
    size_t n, dim = head->sizes.dim;
    float *norm = numbers_of(g, "output_norm.weight", &n);
    memcpy(norm, numbers_of(&model->gguf, "output_norm.weight", &n), n * sizeof *norm);
    fill(g, "blk.0.attn_norm.weight", 1), fill(g, "blk.0.ffn_down.weight", 0);
    pass_on(g, "blk.0.attn_q.weight", dim, 5), pass_on(g, "blk.0.attn_k.weight", dim, 5);
    pass_on(g, "blk.0.attn_v.weight", dim, 1), pass_on(g, "blk.0.attn_output.weight", dim, 1);
    float *map = numbers_of(g, "fc.weight", &n);
    for (size_t i = 0; i < n; i++) map[i] *= 0.05f;
}

/* A head in a file of its own, and a model that says what it half knows. */
static void open_apart(Pair *p, SessionConfig config, SessionConfig drafts) {
    Fault fault;
    p->bytes = open_file(&p->model, "llama", "layers:4");
    p->own = open_file(&p->head, "eagle3", "=guesses layers:1 borrows kv_heads:4");
    empty_blocks(&p->model.gguf, 4), half_knows(&p->head, &p->model);
    if (!draft_head_fit(&p->head, &p->model, &fault)) fail_msg("%s", fault.text);
    open_sessions(p, config, drafts);
}

/* Gemma 4 without inputs of layers, and with a head of its own. */
#define TARGET                                                                     \
    "=post_norms small_gains window:6 windows_listed window_heads keys_as_values " \
    "rope_freqs layers:7 own_kv:4 end_scale embedding_length_per_layer_input=0 "   \
    "final_logit_softcapping=20.0"

/* The same of an assistant: it passes on its token, and what it reads of the model's row, keys
 * and values leads it astray. */
static void half_assists(const Model *head, const Model *model) {
    const Gguf *g = &head->gguf, *of = &model->gguf;
    size_t n, dim = head->sizes.dim;
    float *rows = numbers_of(g, "token_embd.weight", &n);
    memcpy(rows, numbers_of(of, "output.weight", &n), n * sizeof *rows);
    float *norm = numbers_of(g, "output_norm.weight", &n);
    memcpy(norm, numbers_of(of, "output_norm.weight", &n), n * sizeof *norm);
    for (size_t l = 0; l < head->sizes.layers; l++) {
        char name[96];
        fill(g, block_tensor_name(name, sizeof name, l, "ffn_down", "weight"), 0);
        block_tensor_name(name, sizeof name, l, "post_attention_norm", "weight");
        norm = numbers_of(g, name, &n);
        for (size_t i = 0; i < n; i++) norm[i] *= 0.5f;
    }
    float *map = numbers_of(g, "nextn.pre_projection.weight", &n);
    for (size_t i = 0; i < n; i++)
        map[i] = i % (2 * dim) >= dim ? map[i] : i % (2 * dim) == i / (2 * dim);
}

/* An assistant, and a model that says what it half knows. */
static void open_assisted(Pair *p, SessionConfig config, SessionConfig drafts) {
    Fault fault;
    p->bytes = open_file(&p->model, "gemma4", TARGET);
    p->own = open_file(&p->head, "gemma4-assistant", "dim:64");
    empty_blocks(&p->model.gguf, 7), half_assists(&p->head, &p->model);
    if (!draft_head_fit(&p->head, &p->model, &fault)) fail_msg("%s", fault.text);
    open_sessions(p, config, drafts);
}

static GenerateResult speak(Pair *p, const char *spec, Speculation *speculation, uint64_t seed,
                            TokenList *tokens, size_t max_tokens) {
    Chain chain;
    Fault fault;
    GenerateResult result;
    assert_true(chain_parse(&chain, spec, p->model.tokenizer, &fault));
    GenerateOptions o = {.chain = &chain, .seed = seed, .limits.max_tokens = max_tokens};
    if (speculation) with_draft(&o, speculation);
    tokens->count = 0;
    for (const char *c = p->text; *c; c++) token_list_add(tokens, *c);
    if (!generate(&p->session, tokens, &o, &result, &fault)) fail_msg("%s", fault.text);
    chain_close(&chain);
    return result;
}

/* Whatever the head says, and however much of it. */
static void greedy_texts_are_the_same(void **state) {
    (void)state;
    static const char *const models[][2] = {{"glm4moe", "drafts:1"},
                                            {"mimo2", "drafts:2 draft_ends"}, /* windows */
                                            {"qwen35", "drafts:1"},           /* states */
                                            {"deepseek32", "drafts:1"},       /* latents */
                                            {"step35", "drafts:1"}};
    for (size_t i = 0; i < sizeof models / sizeof *models; i++) {
        Pair p;
        TokenList plain = {0}, drafted = {0};
        open_pair(&p, models[i][0], models[i][1]);
        speak(&p, "penalties:rep=1.3,greedy", NULL, 1, &plain, SIZE_MAX); /* to the end */
        for (size_t length = 1; length <= SPECULATE_MAX; length += 7) {
            Speculation s = {.draft = &p.drafts, .length = length};
            speak(&p, "penalties:rep=1.3,greedy", &s, 1, &drafted, SIZE_MAX);
            assert_int_equal(drafted.count, plain.count);
            assert_memory_equal(drafted.ids, plain.ids, plain.count * sizeof *plain.ids);
            assert_true(s.drafted > s.rounds / 2 && s.accepted < s.drafted);
        }
        token_list_free(&plain), token_list_free(&drafted);
        close_pair(&p);
    }
}

/* The second token of many runs has the same distribution with drafts and without. */
static void same_distribution(Pair *p) {
    enum { RUNS = 1200 };
    TokenList tokens = {0};
    double counts[2][MAKE_VOCAB] = {{0}}, chi = 0;
    int kinds = 0;
    p->text = "a text";
    for (int with = 0; with < 2; with++)
        for (uint64_t seed = 0; seed < RUNS; seed++) {
            Speculation s = {.draft = &p->drafts, .length = 2};
            speak(p, "top_k:4,temp:1.5", with ? &s : NULL, seed, &tokens, 2);
            counts[with][tokens.ids[tokens.count - 1]]++;
        }
    for (int i = 0; i < MAKE_VOCAB; i++) {
        double a = counts[0][i], b = counts[1][i];
        if (a + b < 20) continue;
        chi += (a - b) * (a - b) / (a + b), kinds++;
    }
    assert_true(kinds > 3 && chi < kinds + 4 * sqrt(2.0 * kinds));
    token_list_free(&tokens);
}

static void drawn_texts_have_the_same_distribution(void **state) {
    (void)state;
    Pair p;
    open_pair(&p, "exaone4", "drafts:1");
    same_distribution(&p), close_pair(&p);
    open_apart(&p, wide, wide);
    same_distribution(&p), close_pair(&p);
    open_assisted(&p, wide, wide);
    same_distribution(&p), close_pair(&p);
}

/* A model whose blocks add nothing chooses by the last token alone; so does a head that takes
 * the token, leaves h out, and adds nothing either.  It knows what the model will say. */
static void a_head_that_knows_is_accepted(void **state) {
    (void)state;
    MakeModel m = made("exaone4", "drafts:1");
    size_t size, count = 0;
    unsigned char *bytes = make_model(&m, &size);
    Gguf g;
    assert_true(gguf_parse(&g, bytes, size, NULL));
    empty_blocks(&g, m.layers), fill(&g, "blk.2.nextn.enorm.weight", 1);
    pass_on(&g, "blk.2.nextn.eh_proj.weight", m.dim, 1);
    Pair p;
    TokenList plain = {0}, drafted = {0};
    open_made(&p, bytes, size, wide, wide);
    speak(&p, "greedy", NULL, 1, &plain, 60);
    Speculation s = {.draft = &p.drafts, .length = 4};
    GenerateResult r = speak(&p, "greedy", &s, 1, &drafted, 60);
    assert_memory_equal(drafted.ids, plain.ids, plain.count * sizeof *plain.ids);
    assert_int_equal(s.accepted + 4 >= s.drafted, true);
    assert_true(s.rounds <= 13 && r.tokens == 60); /* five tokens in each */
    for (uint64_t seed = 0; seed < 9; seed++) {    /* p and q are one distribution */
        Speculation drawn = {.draft = &p.drafts, .length = 3};
        speak(&p, "temp:1.5", &drawn, seed, &drafted, 30);
        count += drawn.drafted - drawn.accepted;
    }
    assert_true(count < 30);
    token_list_free(&plain), token_list_free(&drafted);
    gguf_free(&g), close_pair(&p);
}

/* ------------------------------------------------------------------ a file of its own */

/* logits (vocab): what the head says of the last of n tokens, when the model has read all but
 * the last one of the first `at`. */
static void guess(Pair *p, const int32_t *tokens, size_t n, size_t at, float *logits) {
    const size_t vocab = p->model.sizes.vocab;
    float *all = malloc(192 * vocab * sizeof *all);
    if (assistant_is(&p->head))
        run_assistant(&p->head, &p->model, tokens, n, at - 1, (KvFormat){0}, all);
    else
        run_guesses(&p->head, &p->model, tokens, n, at - 1, NULL, all);
    memcpy(logits, all + (assistant_is(&p->head) ? n - at : n - 2) * vocab,
           vocab * sizeof *all);
    free(all);
}

/* How many of a draft's tokens, each the likeliest, are what the text says; one text, drafts
 * from all of its places. */
static size_t count_right(Pair *p, const TokenList *text, size_t at, size_t length) {
    const size_t vocab = p->model.sizes.vocab;
    int32_t tokens[192];
    float row[MAKE_VOCAB];
    size_t right = 0;
    memcpy(tokens, text->ids, at * sizeof *tokens);
    for (size_t n = at; n < at + length && n < text->count; n++) {
        guess(p, tokens, n, at, row);
        tokens[n] = 0;
        for (size_t t = 1; t < vocab; t++)
            if (row[t] > row[tokens[n]]) tokens[n] = (int32_t)t;
        if (tokens[n] != text->ids[n]) break;
        right++;
    }
    return right;
}

/* The engine drafts what the head says, read by read: rows of the model where there are some,
 * else its own. */
static void drafts_are_said(Pair *p) {
    enum { LENGTH = 4 };
    TokenList plain = {0}, drafted = {0};
    GenerateResult r = speak(p, "greedy", NULL, 1, &plain, 60);
    Speculation s = {.draft = &p->drafts, .length = LENGTH};
    speak(p, "greedy", &s, 1, &drafted, 60);
    assert_int_equal(drafted.count, plain.count);
    assert_memory_equal(drafted.ids, plain.ids, plain.count * sizeof *plain.ids);
    size_t accepted = 0, rounds = 0;
    for (size_t at = r.prompt_tokens; at < plain.count; rounds++) {
        size_t right = count_right(p, &plain, at, LENGTH);
        accepted += right, at += right + 1;
    }
    assert_int_equal(s.accepted, accepted), assert_int_equal(s.rounds, rounds);
    assert_true(s.accepted > s.drafted / 4 && s.accepted < s.drafted * 3 / 4);
    token_list_free(&plain), token_list_free(&drafted), close_pair(p);
}

static void drafts_are_what_the_head_says(void **state) {
    (void)state;
    Pair p;
    open_apart(&p, wide, wide);
    drafts_are_said(&p);
    open_assisted(&p, wide, wide);
    drafts_are_said(&p);
}

/* In any format of its model's keys and values; from a text of one token, too, of which there
 * are none yet. */
static void assisted_texts_are_the_same(void **state) {
    (void)state;
    static const char *const texts[] = {"a", "ab", "a text that is longer than any window"};
    static const KvFormat formats[] = {
        {DTYPE_F32, false}, {DTYPE_F16, false}, {DTYPE_Q8_0, false}, {DTYPE_Q4_0, true}};
    for (size_t f = 0; f < sizeof formats / sizeof *formats; f++) {
        Pair p;
        TokenList plain = {0}, drafted = {0};
        SessionConfig config = wide;
        config.kv = formats[f];
        open_assisted(&p, config, config);
        for (size_t i = 0; i < 3; i++) {
            p.text = texts[i];
            for (size_t length = 1; length <= SPECULATE_MAX; length += 9) {
                Speculation s = {.draft = &p.drafts, .length = length};
                speak(&p, "penalties:rep=1.3,greedy", NULL, 1, &plain, 90);
                speak(&p, "penalties:rep=1.3,greedy", &s, 1, &drafted, 90);
                assert_int_equal(drafted.count, plain.count);
                assert_memory_equal(drafted.ids, plain.ids, plain.count * sizeof *plain.ids);
                assert_true(s.accepted > 0 && s.accepted < s.drafted);
            }
        }
        token_list_free(&plain), token_list_free(&drafted), close_pair(&p);
    }
}

/* Does a draft fit a model?  fit: the model's family and words, the draft's words, and the
 * sentence of a refusal; NULL: it fits. */
static void check_fit(const char *draft, const char *const fit[4]) {
    Model model, head;
    Session session;
    Fault fault = {""};
    unsigned char *bytes = open_file(&model, fit[0], fit[1]),
                  *own = open_file(&head, draft, fit[2]);
    bool fits = draft_head_fit(&head, &model, &fault);
    if (fits != !fit[3]) fail_msg("%s", fault.text);
    if (!fits) assert_contains(fault.text, fit[3]);
    assert_int_equal(session_open(&session, &head, NULL, wide, &fault), fits);
    if (fits)
        session_close(&session);
    else
        assert_contains(fault.text, "is a draft head, no model by itself");
    assert_false(draft_head_fit(&model, &head, &fault) && fits);
    model_close(&head), model_close(&model), free(bytes), free(own);
}

static void heads_that_do_not_fit_are_refused(void **state) {
    (void)state;
    static const char *const cases[][4] = {
        {"llama", "layers:4", "target:48",
         "of 48 numbers (target_hidden_size), those of the model have 64"},
        {"llama", "layers:3", "",
         "into layer 3 (target_layers), those of the model are 0 to 2"},
        {"bert", "layers:4", "", "reads rows of a bert model"},
        {"gemma3n", "", "", "reads rows of a gemma3n model"},
        {"eagle3", "", "", "reads rows of a eagle3 model"},
        {"llama", "layers:4", "", NULL},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) check_fit("eagle3", cases[i]);
}

/* Only Gemma 4 of the same width has the keys and values that an assistant reads. */
static void assistants_that_do_not_fit_are_refused(void **state) {
    (void)state;
    static const char *const cases[][4] = {
        {"llama", "", "", "drafts for a gemma4 model, whose keys and values it reads: this is"},
        {"gemma4", "dim:48", "",
         "of 64 numbers (embedding_length_out), those of the model have 48"},
        {"gemma4", "kv_heads:1", "", "layer 0 of the assistant reads 2 keys and values of 16"},
        {"gemma4", "head_dim:24", "", "layer 6 of the model has 2 of 24 and 24 in one of 0"},
        {"gemma4", "window:7", "",
         "layer 1 of the assistant reads 2 keys and values of 8 and 8 numbers in a window of "
         "6"},
        {"gemma4", "layers:1 own_kv:1", "", "of a layer with a window, and the model has none"},
        {"gemma4", "window:1", "window:1", "a window of 1 shows an assistant no keys"},
        {"gemma4-assistant", "", "", "this is a gemma4-assistant model"},
        {"gemma4", TARGET, "", NULL},
        {"gemma4", "", "", NULL},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        check_fit("gemma4-assistant", cases[i]);
}

/* d2t is a list of different tokens. */
static void tokens_of_a_head_are_checked(void **state) {
    (void)state;
    static const int64_t wrong[] = {-1, MAKE_VOCAB, INT64_MAX, 97}; /* 97: the first one's */
    MakeModel m = made("eagle3", NULL);
    size_t size;
    Model model;
    Fault fault;
    unsigned char *bytes = make_model(&m, &size);
    Gguf g;
    assert_true(gguf_parse(&g, bytes, size, NULL));
    unsigned char *tokens = (unsigned char *)gguf_find_tensor(&g, "d2t")->data;
    for (size_t i = 0; i < 4; i++) {
        memcpy(tokens + 8 * 7, &wrong[i], 8);
        assert_false(model_open_memory(&model, bytes, size, &fault));
        assert_contains(fault.text, "in row 7, wanted from 0 to 257, each at most once");
    }
    gguf_free(&g), free(bytes);
}

/* A chain that leaves no token that the head can guess. */
static void other_tokens_are_drafted_when_nothing_else_is_left(void **state) {
    (void)state;
    Pair p = {.own = NULL};
    TokenList tokens = {0};
    Fault fault;
    p.bytes = open_file(&p.model, "llama", "layers:4");
    p.own = open_file(&p.head, "eagle3", NULL);
    assert_true(draft_head_fit(&p.head, &p.model, &fault));
    open_sessions(&p, wide, wide);
    Speculation s = {.draft = &p.drafts, .length = 4};
    assert_true(model_extras(&p.head)->draft_head.row_of['b'] < 0);
    speak(&p, "regex:b{40},temp:1.5", &s, 1, &tokens, 9);
    assert_int_equal(tokens.ids[tokens.count - 1], 'b');
    assert_true(s.accepted > 0 && s.accepted + 2 >= s.drafted);
    token_list_free(&tokens), close_pair(&p);
}

/* ------------------------------------------------------------------ with others */

enum { TEXTS = 6 };

typedef struct Told {
    Sequence *sequence;
    TokenList tokens;
    Chain chain;
    Speculation speculation;
    size_t begins;
} Told;

static void prepare(Told *t, size_t i, Pair *p) {
    Rng rng = {31, i / 2, 0}; /* each two have the same prompt, and join one after the other */
    *t = (Told){.begins = rng_below(&rng, 9) + 4 * (i % 2),
                .speculation = {.draft = &p->drafts, .length = 2 + i % 4}};
    for (size_t n = 1 + rng_below(&rng, 60); n > 0; n--)
        token_list_add(&t->tokens, (int32_t)(97 + rng_below(&rng, 26)));
    assert_true(
        chain_parse(&t->chain, i % 3 ? "temp:1.4" : "greedy", p->model.tokenizer, NULL));
}

static GenerateOptions options_of(Told *t, size_t i) {
    GenerateOptions o = {.chain = &t->chain,
                         .seed = i,
                         .limits.max_tokens = 20 + 5 * i,
                         .limits.only_bos_ends = true};
    with_draft(&o, &t->speculation);
    return o;
}

static void tell_together(Told *texts, Pair *p) {
    Engine engine;
    Fault fault;
    assert_true(engine_open(&engine, &p->session, &fault));
    for (size_t step = 0, over = 0; over < TEXTS; step++) {
        for (size_t i = 0; i < TEXTS; i++) {
            Told *t = &texts[i];
            if (t->begins > step || t->sequence) continue;
            GenerateOptions o = options_of(t, i);
            t->sequence = engine_add(&engine, &t->tokens, &o, &fault);
            if (!t->sequence) assert_contains(fault.text, "in use");
        }
        if (!engine_step(&engine, &fault)) fail_msg("%s", fault.text);
        for (Told *t = texts; t < texts + TEXTS; t++)
            if (t->sequence && !t->sequence->live && t->begins != SIZE_MAX) {
                if (t->sequence->failed) fail_msg("%s", t->sequence->fault.text);
                engine_remove(&engine, t->sequence);
                t->sequence = NULL, t->begins = SIZE_MAX, over++;
            }
        assert_true(step < 2000);
    }
    engine_close(&engine);
}

/* Many at once, in small batches, with memory for one and a half: the same texts, and the same
 * guesses. */
typedef void OpenPair(Pair *p, SessionConfig config, SessionConfig drafts);

/* apart: opens a head in a file of its own, whose model's texts need so many pages; or NULL. */
static void check_neighbours(OpenPair *apart, size_t pages) {
    static const SessionConfig rooms[] = {
        {.sequences = 6, .max_tokens = 64, .max_logits = 64, .rewind = 5},
        {.sequences = 6, .max_tokens = 9, .max_logits = 7, .rewind = 5},
        {.sequences = 6, .max_tokens = 64, .max_logits = 64, .pages = 5, .rewind = 5},
        {.sequences = 3, .max_tokens = 11, .max_logits = 9, .prefixes = 20}};
    MakeModel m = made("qwen35", "drafts:1 layers:3");
    Told alone[TEXTS], together[TEXTS];
    Pair one;
    size_t size;
    if (apart)
        apart(&one, wide, wide);
    else
        open_pair(&one, "qwen35", "drafts:1 layers:3");
    for (size_t i = 0; i < TEXTS; i++) {
        GenerateResult result;
        Fault fault;
        prepare(&alone[i], i, &one);
        GenerateOptions o = options_of(&alone[i], i);
        if (!generate(&one.session, &alone[i].tokens, &o, &result, &fault))
            fail_msg("%s", fault.text);
    }
    for (size_t r = 0; r < sizeof rooms / sizeof *rooms; r++) {
        Pair many;
        SessionConfig room = rooms[r], drafts = room;
        if (apart && room.pages) room.pages = pages; /* several layers keep keys, not one */
        drafts.pages = 0, drafts.max_tokens = r % 2 ? 5 : 16;
        unsigned char *bytes = apart ? NULL : make_model(&m, &size);
        if (apart)
            apart(&many, room, drafts);
        else
            open_made(&many, bytes, size, room, drafts);
        for (size_t i = 0; i < TEXTS; i++) prepare(&together[i], i, &many);
        tell_together(together, &many);
        for (size_t i = 0; i < TEXTS; i++) {
            Told *a = &alone[i], *b = &together[i];
            assert_int_equal(a->tokens.count, b->tokens.count);
            assert_memory_equal(a->tokens.ids, b->tokens.ids,
                                a->tokens.count * sizeof *a->tokens.ids);
            assert_int_equal(a->speculation.accepted, b->speculation.accepted);
            chain_close(&b->chain), token_list_free(&b->tokens);
        }
        close_pair(&many);
    }
    for (Told *t = alone; t < alone + TEXTS; t++)
        chain_close(&t->chain), token_list_free(&t->tokens);
    close_pair(&one);
}

static void neighbours_change_nothing(void **state) {
    (void)state;
    check_neighbours(NULL, 0), check_neighbours(open_apart, 10);
    check_neighbours(open_assisted, 10);
}

RUN(TEST(greedy_texts_are_the_same), TEST(drawn_texts_have_the_same_distribution),
    TEST(a_head_that_knows_is_accepted), TEST(drafts_are_what_the_head_says),
    TEST(assisted_texts_are_the_same), TEST(heads_that_do_not_fit_are_refused),
    TEST(assistants_that_do_not_fit_are_refused), TEST(tokens_of_a_head_are_checked),
    TEST(other_tokens_are_drafted_when_nothing_else_is_left), TEST(neighbours_change_nothing))
