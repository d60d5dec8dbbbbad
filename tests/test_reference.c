/* the whole model against the double-precision reference; and bit-identity across threads,
 * chunks and batches */
#include "draft_head.h"
#include "families.h"
#include "every_isa.h"
#include "inference.h"
#include "make_model.h"
#include "reference_draft.h"
#include "reference_text.h"
#include "run_draft.h"
#include "pooling.h"

enum { TOKENS = 90, LONG = 200, SOURCE = 37 /* of them, for an encoder */ };

static int32_t tokens[LONG];

static void make_tokens(void) {
    for (int i = 0; i < LONG; i++)
        tokens[i] = (int32_t)(rng_hash(3, 0, (uint64_t)i) % MAKE_VOCAB);
}

/* What there is of each token: logits, or, of an encoder, its row. */
static size_t width_of(const Model *m) {
    return model_writes(m) ? m->sizes.vocab : m->sizes.dim;
}

static const float *rows_of(const Session *s) { return s->hidden_only ? s->hidden : s->logits; }

/* Rows of all tokens in chunks of `chunk`, into out (TOKENS, width); a source is read at once, and its rows
 * are 0. */
static void run_with(const Model *model, KvFormat kv, int threads, size_t chunk, float *out) {
    Session session;
    Fault fault;
    Pool *pool = pool_open(threads, false, &fault);
    size_t width = width_of(model), source = model_source(model, tokens, TOKENS);
    SessionConfig config = {
        .sequences = 1, .max_tokens = TOKENS, .max_logits = TOKENS, .kv = kv};
    config.bidirectional = model_extras(model)->quirks->bidirectional,
    config.vectors = !model_writes(model);
    assert_true(session_open(&session, model, pool, config, &fault));
    memset(out, 0, source * width * sizeof *out);
    for (size_t at = 0, n; at < TOKENS; at += n) {
        size_t silent = at ? 0 : source;
        n = min_size(TOKENS - at, silent + chunk);
        assert_true(session_eval(&session, tokens + at, n, true, &fault));
        memcpy(out + (at + silent) * width, rows_of(&session),
               (n - silent) * width * sizeof *out);
    }
    session_close(&session);
    pool_close(pool);
}

static void run(const Model *model, int threads, size_t chunk, float *out) {
    run_with(model, (KvFormat){DTYPE_F32, false}, threads, chunk, out);
}

/* The caller closes the model, then frees the file. */
static unsigned char *open_made(const MakeModel *m, Model *model) {
    Fault fault;
    size_t size;
    unsigned char *bytes = make_model(m, &size);
    make_tokens();
    if (!model_open_memory(model, bytes, size, &fault))
        fail_msg("%s %s: %s", m->arch, m->more ? m->more : "", fault.text);
    if (model_extras(model)->encoder) tokens[SOURCE] = model_extras(model)->start;
    return bytes;
}

static void compare(MakeModel m) {
    Model model;
    Reference reference;
    unsigned char *bytes = open_made(&m, &model);
    size_t count = TOKENS * width_of(&model);
    float *got = malloc(count * sizeof *got);
    double *want = malloc(count * sizeof *want), error = 0, power = 0;
    run(&model, 2, TOKENS, got);
    reference_open(&reference, &model.gguf);
    reference.rounds_bf16 = kernels_input(m.dtype, 1 + 0x1p-20f) == 1;
    (model_writes(&model) ? reference_logits : reference_hidden)(&reference, tokens, TOKENS,
                                                                 want);
    for (size_t i = model_source(&model, tokens, TOKENS) * width_of(&model); i < count; i++)
        error += pow((double)got[i] - want[i], 2), power += want[i] * want[i];
    /* Where two roundings fall to different sides of a half, one input differs by a step: with
     * BF16 that is 2^-8 of one of 64 inputs, (2^-8)^2 / 64 = 2e-7 of an output's power, in one
     * input of some ten thousand.  Not rounding the reference's inputs gives 5e-5. */
    double bound = m.dtype == DTYPE_Q8_0 ? 1e-5 : reference.rounds_bf16 ? 1e-7 : 3e-11;
    if (m.layers > 20) bound *= (double)m.layers / 20; /* each layer rounds */
    if (!(error / power < bound))
        fail_msg("%s %s: normalized error %g", m.arch, m.more ? m.more : "", error / power);
    reference_close(&reference);
    model_close(&model);
    free(got), free(want), free(bytes);
}

static void every_family(void **state) {
    (void)state;
    const Recipe *row;
    for (size_t i = 0; (row = recipe_row(i)); i++) /* what reads pictures: test_vision.c */
        if (!quirks_of(row)->is_vision_tower && !quirks_of(row)->is_draft_head &&
            !quirks_of(row)->assists)
            compare(make_model_defaults(row->arch));
}

/* What a family's files may say besides. */
static void every_variant(void **state) {
    (void)state;
    static const char *const variants[][2] = {
        {"llama", "tied biases rope_freqs"},
        {"llama", "yarn kv_heads:1 head_dim:32"},
        {"llama", "yarn partial rope.scaling.attn_factor=1.2 rope.scaling.yarn_beta_fast=4.0 "
                  "rope.scaling.yarn_beta_slow=0.5"},
        {"mistral3", "rope.scaling.yarn_log_multiplier=0.5 rope.scaling.attn_factor=1.2"},
        {"llama", "yarn rope.scaling.factor=1.0 rope.scaling.attn_factor=2.0"},
        {"gemma3", "yarn rope.scaling.attn_factor=1.5"},
        {"olmo2", "rope.scaling.attn_factor=1.5"}, /* not in windows */
        {"llama", "rope.scaling.factor=4.0 rope.freq_base=500000.0"},
        {"llama", "uneven narrow_values layers:4"},
        {"llama", "experts:4 layers:3"}, /* Mixtral */
        {"llama", "experts:4 uneven experts_every:2 layers:4 biases expert_biases"},
        {"llama4", "choice_bias rope_freqs"},
        {"mistral3", "experts:4 rope_freqs"},
        {"granite", "experts:4 rope_freqs"},
        {"qwen2", "fused_qkv kv_heads:4"},
        {"qwen3moe", "expert_key"},
        {"llama", "map_scales biases"}, /* as files in NVFP4 have */
        {"phi3", "map_scales"},
        {"bitnet", "map_scales"},
        {"qwen3moe", "map_scales"},
        {"granitemoe", "map_scales"},
        {"deepseek2", "map_scales"},
        {"qwen3next", "map_scales"},
        {"rwkv6", "map_scales apart_mu"}, /* five mu, as in old files */
        {"rwkv6qwen2", "=rwkv:6 distilled layers:3"},
        {"arwkv7", "bare_mix"},
        {"gemma4", "map_scales"},
        {"gemma4", "joined_experts"}, /* 26B */
        {"gemma4", "joined_experts map_scales"},
        {"qwen3moe", "joined_experts map_scales"},
        {"step35", "joined_experts"},
        {"granite", "rope.scaling.finetuned=false"},
        {"granitemoe", "rope.scaling.finetuned=false"},
        {"gptneox", "use_parallel_residual=false"},
        {"stablelm", "one_norm"},
        {"falcon", "two_norms kv_heads:2"}, /* 40B */
        {"bloom", "heads:6 kv_heads:6"},
        {"baichuan", "layers:40"}, /* 13B: ALiBi */
        {"internlm2", "fused_qkv"},
        {"codeshell", "=layer norm_biases biases plain"}, /* an embedding of its own */
        {"refact", "biases"},
        {"nemotron", "biases tied"},
        {"mpt", "biases norm_biases attention.max_alibi_bias=0.0 attention.clamp_kqv=0.0"},
        {"gemma2", "layers:46 head_dim:32"}, /* 27B */
        {"gemma2", "attn_logit_softcapping=9.0 final_logit_softcapping=7.0"},
        {"gemma3", "layers:62 head_dim:32"}, /* 27B */
        {"gemma3", "attention.sliding_window_pattern=2 rope.freq_base_swa=5000.0"},
        {"exaone4", "layers:64 window:6"}, /* 32B */
        {"llama", "window:6"},             /* Mistral 7B of 2023 */
        {"phi3", "long_rope:64"},          /* a window of 6 in each layer besides */
        {"phi3", "long_rope:256"},         /* the session is no longer than that */
        {"minicpm", "long_rope:100"},
        {"gemma3n", "layers:12 own_kv:8 streams:4"},
        {"gemma4", "dense_first:7"}, /* E2B, E4B: no experts */
        {"gemma4", "dense_first:7 idle_kv"},
        {"gemma4", "layers:5 own_kv:5 experts_every:1 kv_heads:1"},
        {"glm4moe", "head_norms expert_gating_func=1"},
        {"dots1", "expert_gating_func=3"},
        {"deepseek", "expert_weights_norm=true expert_weights_scale=2.5 rope_freqs"},
        {"smallthinker", "=layers:4 experts:4 expert_key expert_gating_func=1"}, /* 4B */
        {"grok", "=output_norms experts:4 tied"}, /* as the first files */
        {"dbrx", "attention.clamp_kqv=0.0 kv_heads:4"},
        {"mimo2", "attention.value_scale=1.0 rope.freq_base_swa=5000.0"},
        {"afmoe", "rope.scaling.factor=4.0"},
        {"deepseek32", "indexer:64 yarn"},
        {"deepseek32", "indexer:1"},
        {"minicpm3", "absorbed"}, /* the same numbers in another way */
        {"minicpm3", "yarn rope.scaling.attn_factor=1.2"},
        {"bailingmoe2", "expert_weights_norm=false expert_weights_scale=1.0"},
        {"minicpm", "embedding_scale=3.0 residual_scale=0.4"},
        {"mamba", "ssm.dt_b_c_rms=true"},
        {"granitehybrid", "rope.scaling.finetuned=false"}, /* as Granite 4 H does */
        {"t5", "plain tied"}, /* T5 1.0: ReLU, and the embedding is the head */
        {"t5", "own_distances head_dim:24 written:1 decoder_block_count=1"}, /* umT5 */
        {"t5encoder", "plain"},
        {"bert", "fused_qkv"},
        {"jina-bert-v2", "plain"},
        {"jina-bert-v2", "gate_in_up"},
        {"jina-bert-v2", "row_norms two_norms"}, /* for code */
        {"modern-bert", "attention.sliding_window_pattern=2 rope.freq_base_swa=500.0"},
        {"modern-bert", "rope.scaling.factor=4.0"},
        {"gemma-embedding", "rope.freq_base_swa=500.0"},
    };
    for (size_t i = 0; i < sizeof variants / sizeof *variants; i++)
        compare(make_model_of(variants[i][0], variants[i][1]));
    MakeModel m = make_model_defaults("olmo2");
    m.window = 0; /* OLMo 2; with a window, OLMo 3 */
    compare(m);
}

/* What a draft head says, and that the model says what it says without one. */
static void compare_draft(const char *arch, const char *more) {
    MakeModel m = make_model_of(arch, more);
    Model model;
    Reference reference;
    unsigned char *bytes = open_made(&m, &model);
    size_t count = TOKENS * model.sizes.vocab;
    float *got = malloc(count * sizeof *got);
    double *want = malloc(count * sizeof *want), error = 0, power = 0;
    Pool *pool = pool_open(2, false, NULL);
    run_draft(&model, tokens, TOKENS, pool, got);
    reference_open(&reference, &model.gguf);
    reference_draft(&reference, tokens, TOKENS, want);
    for (size_t i = 0; i < count; i++)
        error += pow((double)got[i] - want[i], 2), power += want[i] * want[i];
    if (!(error / power < 3e-11))
        fail_msg("%s %s: normalized error %g of the draft head", arch, more, error / power);
    pool_close(pool), reference_close(&reference), model_close(&model);
    free(got), free(want), free(bytes);
    compare(m);
}

static void draft_heads(void **state) {
    (void)state;
    const Recipe *row;
    for (size_t i = 0; (row = recipe_row(i)); i++)
        if (quirks_of(row)->draft_heads) compare_draft(row->arch, "drafts:1 draft_ends");
    compare_draft("glm4moe", "drafts:1"); /* embedding, norm and head are the model's */
    compare_draft("mimo2", "drafts:3");   /* the first one is used */
    compare_draft("exaone4", "layers:64 drafts:1 window:6"); /* 64 layers, and a draft head */
}

/* A draft head, and nothing else, changes when it is left out or damaged. */
static void draft_heads_are_whole(void **state) {
    (void)state;
    static const char *const missing[][2] = {
        {"nextn_predict_layers=1", "blk.1.nextn.enorm.weight' is missing"},
        {"nextn_predict_layers=2", "nextn_predict_layers"}, /* of two blocks */
    };
    for (size_t i = 0; i < 2; i++) {
        MakeModel m = make_model_of("glm4", missing[i][0]);
        Model model;
        Fault fault;
        size_t size;
        unsigned char *bytes = make_model(&m, &size);
        assert_false(model_open_memory(&model, bytes, size, &fault));
        assert_contains(fault.text, missing[i][1]);
        free(bytes);
    }
    MakeModel m = make_model_defaults("llama");
    Model model, head;
    Fault fault;
    unsigned char *bytes = open_made(&m, &model);
    assert_false(draft_head_open(&head, &model, &fault));
    assert_contains(fault.text, "no draft head");
    model_close(&model), free(bytes);
}

/* What a head in a file of its own says, where the model knows the text, and behind that. */
static void compare_draft_head(const MakeModel *of, const char *more) {
    enum { KNOWN = TOKENS - 5 };
    MakeModel m = make_model_of("eagle3", more);
    Model model, head;
    Reference target, reference;
    Fault fault;
    size_t size;
    unsigned char *bytes = open_made(of, &model), *own = make_model(&m, &size);
    if (!model_open_memory(&head, own, size, &fault)) fail_msg("%s: %s", more, fault.text);
    size_t count = (TOKENS - 1) * model_extras(&head)->draft_head.count;
    float *got = malloc(count * sizeof *got);
    double *want = malloc(count * sizeof *want), error = 0, power = 0;
    Pool *pool = pool_open(2, false, NULL);
    run_guesses(&head, &model, tokens, TOKENS, KNOWN, pool, got);
    reference_open(&target, &model.gguf), reference_open(&reference, &head.gguf);
    reference_guesses(&reference, &target, tokens, TOKENS, KNOWN, want);
    for (size_t i = 0; i < count; i++)
        error += pow((double)got[i] - want[i], 2), power += want[i] * want[i];
    if (!(error / power < 3e-11))
        fail_msg("%s: normalized error %g of the draft head", more, error / power);
    pool_close(pool), reference_close(&reference), reference_close(&target);
    model_close(&head), model_close(&model);
    free(got), free(want), free(bytes), free(own);
}

static void draft_heads_in_files_of_their_own(void **state) {
    (void)state;
    MakeModel of = make_model_of("llama", "layers:5"), narrow = of,
              tied = make_model_of("gemma3", NULL);
    narrow.dim = 48;
    compare_draft_head(&of, "");
    compare_draft_head(&of, "norm_before_residual=true rope_freqs yarn");
    compare_draft_head(&of, "=guesses layers:1"); /* all tokens */
    compare_draft_head(&of, "=guesses layers:1 borrows");
    compare_draft_head(&tied, "=guesses layers:1 borrows");
    compare_draft_head(&narrow, "target:48 kv_heads:4");
}

/* What an assistant says behind the tokens that its model has read. */
static void compare_assistant(const char *target, const char *more, size_t known, KvFormat kv) {
    MakeModel of = make_model_of("gemma4", target), m = make_model_of("gemma4-assistant", more);
    enum { LAST = 30 };
    Model model, head;
    Reference with, reference;
    Fault fault;
    size_t size, count = (LAST - known) * MAKE_VOCAB;
    unsigned char *bytes = open_made(&of, &model), *own = make_model(&m, &size);
    if (!model_open_memory(&head, own, size, &fault)) fail_msg("%s: %s", more, fault.text);
    float *got = malloc(count * sizeof *got);
    double *want = malloc(count * sizeof *want), error = 0, power = 0;
    run_assistant(&head, &model, tokens, LAST, known, kv, got);
    reference_open(&with, &model.gguf), reference_open(&reference, &head.gguf);
    reference_assistant(&reference, &with, tokens, LAST, (int)known, want);
    for (size_t i = 0; i < count; i++)
        error += pow((double)got[i] - want[i], 2), power += want[i] * want[i];
    if (!(error / power < (kv.dtype == DTYPE_F32 ? 3e-11 : 1e-2)))
        fail_msg("%s, %s, %zu: normalized error %g", target, more, known, error / power);
    reference_close(&reference), reference_close(&with);
    model_close(&head), model_close(&model);
    free(got), free(want), free(bytes), free(own);
}

static void assistants(void **state) {
    (void)state;
    const KvFormat full = {DTYPE_F32, false};
    for (size_t known = 1; known < 28; known += known < 8 ? 1 : 5) /* a window is 6 */
        compare_assistant("", "", known, full);
    compare_assistant(GEMMA4, "dim:64", 20, full);               /* all layers have keys */
    compare_assistant("window:2", "window:2 layers:2", 9, full); /* sees one of them */
    compare_assistant("dim:80 kv_heads:1", "assists:80 kv_heads:1 layers:3", 9, full);
    compare_assistant("rope.freq_base=500.0", "rope.freq_base=500.0", 20, full);
    compare_assistant("", "", 20, (KvFormat){DTYPE_F16, false});
    compare_assistant("", "", 20, (KvFormat){DTYPE_Q8_0, true});
}

/* Of one text, or of two. */
static void compare_texts(const char *arch, const char *more, size_t second) {
    static const Pooling all[] = {POOLING_MEAN, POOLING_CLS, POOLING_LAST, POOLING_RANK};
    enum { LENGTH = 40, DIM = 64 };
    MakeModel m = make_model_of(arch, more);
    Model model;
    Session session;
    Reference reference;
    unsigned char *bytes = open_made(&m, &model);
    assert_true(session_open(&session, &model, NULL, pooling_session(&model, LENGTH), NULL));
    reference_open(&reference, &model.gguf);
    reference.second = (int)second;
    for (size_t i = 0; i < 4; i++) {
        float got[DIM];
        double want[DIM], error = 0, power = 0;
        size_t width = pooling_width(&model, all[i]);
        if (width == 0) continue;
        assert_true(pooling_run(&session, all[i], tokens, LENGTH, second, got, NULL));
        if (all[i] == POOLING_RANK)
            reference_scores(&reference, tokens, LENGTH, (int)width, want);
        else
            reference_vector(&reference, tokens, LENGTH, (int)all[i], want);
        for (size_t k = 0; k < width; k++)
            error += pow((double)got[k] - want[k], 2), power += want[k] * want[k];
        if (!(error / power < 3e-11))
            fail_msg("%s %s, %s: error %g", arch, more, pooling_name(all[i]), error / power);
    }
    session_close(&session), reference_close(&reference);
    model_close(&model), free(bytes);
}

static void texts_become_vectors_and_scores(void **state) {
    (void)state;
    compare_texts("llama", "", 0);
    compare_texts("bert", "", 0);
    compare_texts("bert", "scores:1 pooling_type=4", 17);
    compare_texts("bert", "scores:3 scores_hidden", 17);
    compare_texts("jina-bert-v2", "scores:1 scores_alone", 17);
    compare_texts("modern-bert", "scores:1 scores_hidden scores_norm", 17);
    compare_texts("neo-bert", "scores:2 scores_hidden", 0);
    compare_texts("gemma-embedding", "", 0);
    compare_texts("qwen3", "scores:2 pooling_type=4", 0);
    compare_texts("qwen3", "pooling_type=3", 0);
}

static void every_format(void **state) {
    (void)state;
    static const Dtype formats[] = {DTYPE_F16, DTYPE_BF16, DTYPE_Q8_0};
    for (int f = 0; f < 3; f++) {
        MakeModel m = make_model_defaults("llama");
        m.dtype = formats[f];
        compare(m);
    }
}

/* A memory that rounds, turned or not, moves the logits by little: a query that were not turned as
 * its keys are would find others.  Models without experts: which are chosen turns on a bit. */
static void a_rounded_memory_is_near(void **state) {
    (void)state;
    static const char *const models[][2] = {{"llama", NULL},    {"gemma3", NULL},
                                            {"minicpm3", NULL}, {"minicpm3", "absorbed"},
                                            {"gemma3n", NULL},  {"gemma4", "dense_first:7"}};
    static const KvFormat formats[] = {{DTYPE_Q8_0, false}, {DTYPE_Q8_0, true}};
    for (size_t i = 0; i < sizeof models / sizeof *models; i++) {
        MakeModel m = make_model_of(models[i][0], models[i][1]);
        Model model;
        unsigned char *bytes = open_made(&m, &model);
        size_t count = TOKENS * model.sizes.vocab;
        float *got = malloc(count * sizeof *got), *want = malloc(count * sizeof *want);
        run(&model, 2, TOKENS, want);
        for (size_t f = 0; f < 2; f++) {
            double error = 0, power = 0;
            run_with(&model, formats[f], 2, TOKENS, got);
            for (size_t k = 0; k < count; k++)
                error += pow((double)got[k] - want[k], 2), power += pow(want[k], 2);
            if (!(error > 0 && error / power < 1e-3))
                fail_msg("%s, turned %d: %g", models[i][0], formats[f].hadamard, error / power);
        }
        model_close(&model);
        free(got), free(want), free(bytes);
    }
}

static void threads_and_chunks_change_no_bit(void **state) {
    (void)state;
    static const struct {
        const char *arch, *more;
        Dtype dtype;
    } models[] = {{"llama", NULL, DTYPE_F16},
                  {"llama", "uneven narrow_values", DTYPE_F32},
                  {"gemma2", NULL, DTYPE_Q8_0},
                  {"gpt2", NULL, DTYPE_Q8_0},
                  {"cohere2", NULL, DTYPE_F32}, /* windows, both branches at once */
                  {"deepseek2", NULL, DTYPE_F16},
                  {"deepseek32", NULL, DTYPE_Q8_0},
                  {"qwen35", NULL, DTYPE_Q8_0},
                  {"qwen3next", NULL, DTYPE_F32},
                  {"gemma3n", NULL, DTYPE_Q8_0},
                  {"gemma4", NULL, DTYPE_F16}, /* keys and values of earlier layers */
                  {"nemotron_h_moe", NULL, DTYPE_F32},
                  {"kimi-linear", NULL, DTYPE_F16},
                  {"bitnet", NULL, DTYPE_Q8_0},
                  {"minicpm3", NULL, DTYPE_F32},
                  {"qwen2moe", NULL, DTYPE_Q8_0}, /* experts and a shared one with a gate */
                  {"llama4", NULL, DTYPE_F16},    /* weights on what experts read */
                  {"gpt-oss", NULL, DTYPE_Q8_0},  /* sinks */
                  {"mamba", "ssm.dt_b_c_rms=true", DTYPE_F16},
                  {"mamba2", NULL, DTYPE_Q8_0},
                  {"falcon-h1", NULL, DTYPE_F32}, /* pages and states */
                  {"bert", NULL, DTYPE_Q8_0},     /* in one piece */
                  {"modern-bert", NULL, DTYPE_F16},
                  {"t5", NULL, DTYPE_Q8_0}, /* a source in one piece */
                  {"rwkv6", NULL, DTYPE_Q8_0},
                  {"rwkv6qwen2", NULL, DTYPE_F16},
                  {"rwkv7", NULL, DTYPE_Q8_0},
                  {"arwkv7", NULL, DTYPE_F32},
                  {"lfm2moe", NULL, DTYPE_F16}};
    static const size_t chunks[] = {1, 7, 64};
    for (size_t i = 0; i < sizeof models / sizeof *models; i++) {
        MakeModel m = make_model_of(models[i].arch, models[i].more);
        m.dtype = models[i].dtype;
        Model model;
        unsigned char *bytes = open_made(&m, &model);
        size_t all = TOKENS * width_of(&model) * sizeof(float);
        float *one = malloc(all), *other = malloc(all);
        run(&model, 1, TOKENS, one);
        for (int threads = 2; threads <= 4; threads++) {
            run(&model, threads, TOKENS, other);
            assert_memory_equal(one, other, all);
        }
        for (int c = 0; c < 3 && !model_extras(&model)->quirks->bidirectional; c++) {
            run(&model, 1 + c, chunks[c], other);
            assert_memory_equal(one, other, all);
        }
        model_close(&model);
        free(one), free(other), free(bytes);
    }
}

/* Sequence 2 goes back to token 70, or to a snapshot before it, and reads on to the same bits. */
static void take_the_same_road_again(Session *session, const float *alone) {
    size_t vocab = session->model->sizes.vocab;
    for (int32_t at = (int32_t)session_rewind(session, 2, 70); at <= 70; at++) {
        Batch again = {1, &tokens[at], (int32_t[]){2}, &at, (bool[]){true}, NULL};
        assert_true(at >= 64 && session_forward(session, &again, NULL));
        assert_memory_equal(session->logits, alone + (size_t)at * vocab, vocab * sizeof(float));
    }
}

/* Three sequences of different texts, interleaved in every batch, and each as if alone; of the
 * others now one is wanted, now both or none, so in the last layer other rows are neighbours. */
static void neighbours_change_no_bit(void **state) {
    (void)state;
    static const char *const archs[] = {
        "llama",  "gpt-oss",     "qwen2moe",     "cohere2", "gemma2",     "olmo2",
        "olmo",   "arctic",      "gptj",         "mamba",   "mamba2",     "qwen35",
        "gemma4", "kimi-linear", "smallthinker", "gemma3n", "deepseek32", "rwkv6",
        "rwkv7",  "rwkv6qwen2",  "arwkv7"};
    for (size_t a = 0; a < sizeof archs / sizeof *archs; a++) {
        MakeModel m = make_model_defaults(archs[a]);
        Model model;
        Session session;
        Fault fault;
        unsigned char *bytes = open_made(&m, &model);
        size_t vocab = model.sizes.vocab;
        float *alone = malloc(TOKENS * vocab * sizeof *alone);
        run(&model, 1, TOKENS, alone);
        Pool *pool = pool_open(2, false, &fault);
        assert_true(session_open(
            &session, &model, pool,
            (SessionConfig){.sequences = 3, .max_tokens = 8, .max_logits = 8}, &fault));
        for (int i = 0; i < TOKENS; i++) {
            int32_t other = (int32_t)(rng_hash(9, 1, (uint64_t)i) % MAKE_VOCAB), place = i;
            Batch batch = {3,
                           (int32_t[]){other, tokens[i], 5},
                           (int32_t[]){0, 2, 1},
                           (int32_t[]){place, place, place},
                           (bool[]){i % 2, true, i % 3 == 0},
                           NULL};
            assert_true(session_forward(&session, &batch, &fault));
            assert_memory_equal(session.logits + (size_t)(i % 2) * vocab,
                                alone + (size_t)i * vocab, vocab * sizeof(float));
        }
        take_the_same_road_again(&session, alone);
        session_close(&session);
        pool_close(pool);
        model_close(&model);
        free(alone), free(bytes);
    }
}

/* Pages that the windowed layers of sequence 0 have given back. */
static size_t pages_given_back(const Session *session) {
    size_t sum = 0;
    for (size_t l = 0; l < session->kv.config.layers; l++) sum += (size_t)session->kv.gone[l];
    return sum;
}

/* Read tokens `at` to LONG one by one; each must give the logits of `want` (LONG, vocab). */
static void read_like(Session *session, size_t at, const float *want) {
    size_t vocab = session->model->sizes.vocab;
    for (; at < LONG; at++) {
        assert_true(session_eval(session, tokens + at, 1, true, NULL));
        assert_memory_equal(session->logits, want + at * vocab, vocab * sizeof *want);
    }
}

/* Windowed layers release pages outside their window, and no output changes. */
static void windows_that_slide_change_no_bit(void **state) {
    (void)state;
    static const char *const archs[] = {"gemma2", "cohere2", "gpt-oss", "olmo2"};
    for (int a = 0; a < 4; a++) {
        MakeModel m = make_model_defaults(archs[a]);
        Model model;
        Session whole, slides;
        unsigned char *bytes = open_made(&m, &model);
        SessionConfig config = {.sequences = 1, .max_tokens = LONG, .max_logits = LONG};
        assert_true(session_open(&whole, &model, NULL, config, NULL));
        assert_true(session_eval(&whole, tokens, LONG, true, NULL));
        assert_int_equal(pages_given_back(&whole), 0); /* one batch, nothing slides */
        config.max_tokens = config.max_logits = 1;
        assert_true(session_open(&slides, &model, NULL, config, NULL));
        assert_true(slides.kv.pages.count <
                    whole.kv.pages.count); /* nor is room taken for it */
        read_like(&slides, 0, whole.logits);
        assert_true(pages_given_back(&slides) > 0);
        assert_int_equal(session_rewind(&slides, 0, LONG - KV_REWIND), LONG - KV_REWIND);
        read_like(&slides, LONG - KV_REWIND, whole.logits);
        assert_int_equal(session_rewind(&slides, 0, 70), 0); /* too far: from the start */
        read_like(&slides, 0, whole.logits);
        session_close(&slides), session_close(&whole);
        model_close(&model);
        free(bytes);
    }
}

/* States go back to the tokens whose logits were wanted, as far as the session was asked for. */
static void take_back_what_was_drafted(const char *arch) {
    enum { TEXT = 30, BACK = 6 };
    MakeModel m = make_model_defaults(arch);
    Model model;
    unsigned char *bytes = open_made(&m, &model);
    size_t vocab = model.sizes.vocab;
    for (size_t rewind = 0; rewind <= BACK; rewind += BACK) {
        Session session;
        SessionConfig config = {
            .sequences = 1, .max_tokens = TEXT, .max_logits = TEXT, .rewind = rewind};
        assert_true(session_open(&session, &model, NULL, config, NULL));
        float *want = malloc(TEXT * vocab * sizeof *want);
        for (size_t back = 1; back < BACK; back++) {
            session_reset(&session);
            assert_true(session_eval(&session, tokens, TEXT, true, NULL));
            memcpy(want, session.logits, TEXT * vocab * sizeof *want);
            size_t at = session_rewind(&session, 0, TEXT - back);
            assert_int_equal(at, back <= (rewind ? rewind : 1) ? TEXT - back : 0);
            assert_true(session_eval(&session, tokens + at, TEXT - at, true, NULL));
            assert_memory_equal(session.logits, want + at * vocab,
                                (TEXT - at) * vocab * sizeof *want);
        }
        free(want), session_close(&session);
    }
    model_close(&model), free(bytes);
}

static void states_take_back_what_was_drafted(void **state) {
    (void)state;
    take_back_what_was_drafted("mamba2");
    take_back_what_was_drafted("rwkv6");
    take_back_what_was_drafted("rwkv6qwen2");
    take_back_what_was_drafted("rwkv7");
    take_back_what_was_drafted("arwkv7");
}

static void instruction_sets_agree_within_rounding(void **state) {
    (void)state;
    MakeModel m = make_model_defaults("llama");
    EACH_ISA (isa) compare(m);
    m.dtype = DTYPE_BF16;
    EACH_ISA (isa) compare(m);
}

static void full_context_and_wrong_tokens_are_said(void **state) {
    (void)state;
    MakeModel m = make_model_defaults("llama");
    Model model;
    Session session;
    Fault fault;
    size_t size, cache, work;
    unsigned char *bytes = make_model(&m, &size);
    assert_true(model_open_memory(&model, bytes, size, &fault));
    make_tokens();
    SessionConfig config = {.ctx = 89, .sequences = 1, .max_tokens = TOKENS, .max_logits = 1};
    session_plan(&model, config, &cache, &work);
    assert_true(session_open(&session, &model, NULL, config, &fault));
    assert_int_equal(session.arena.used, cache + work);
    assert_false(session_eval(&session, tokens, TOKENS, false, &fault));
    assert_contains(fault.text, "context is full");
    assert_int_equal(session_length(&session, 0), 0);
    assert_false(session_eval(&session, (int32_t[]){MAKE_VOCAB}, 1, false, &fault));
    assert_contains(fault.text, "vocabulary");
    session_close(&session);
    assert_false(session_open(
        &session, &model, NULL,
        (SessionConfig){
            .ctx = (size_t)1 << 40, .sequences = 1, .max_tokens = 1, .max_logits = 1},
        &fault));
    assert_contains(fault.text, "memory");
    model_close(&model);
    free(bytes);
}

/* What comes after a token changes it: so a text is one batch, or refused. */
static void looking_both_ways_takes_the_whole_text(void **state) {
    (void)state;
    MakeModel m = make_model_defaults("bert");
    Model model;
    Session session;
    Fault fault;
    float vector[64];
    unsigned char *bytes = open_made(&m, &model);
    SessionConfig config = {
        .vectors = true, .sequences = 1, .max_tokens = TOKENS, .max_logits = 20};
    assert_true(session_open(&session, &model, NULL, config, &fault));
    assert_true(session_eval(&session, tokens, 20, true, &fault));
    assert_false(session_eval(&session, tokens, 21, true, &fault));
    assert_contains(fault.text, "21 tokens does not fit into a batch of 20");
    assert_false(pooling_run(&session, POOLING_MEAN, tokens, 21, 0, vector, &fault));
    assert_contains(fault.text, "does not fit");
    assert_false(pooling_run(&session, POOLING_RANK, tokens, 2, 0, vector, &fault));
    assert_contains(fault.text, "no head that scores");
    session_close(&session);
    config.vectors = false;
    assert_false(session_open(&session, &model, NULL, config, &fault));
    assert_contains(fault.text, "does not write");
    model_close(&model), free(bytes);
}

RUN(TEST(every_family), TEST(every_variant), TEST(draft_heads), TEST(draft_heads_are_whole),
    TEST(draft_heads_in_files_of_their_own), TEST(assistants),
    TEST(texts_become_vectors_and_scores), TEST(looking_both_ways_takes_the_whole_text),
    TEST(every_format), TEST(a_rounded_memory_is_near), TEST(threads_and_chunks_change_no_bit),
    TEST(neighbours_change_no_bit), TEST(windows_that_slide_change_no_bit),
    TEST(states_take_back_what_was_drafted), TEST(instruction_sets_agree_within_rounding),
    TEST(full_context_and_wrong_tokens_are_said))
