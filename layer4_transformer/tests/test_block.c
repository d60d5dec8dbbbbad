/* feed-forward and block: the parallel form, experts, post-norms */
#include "check.h"
#include "transformer.h"

enum { DIM = 12, HIDDEN = 20, TOKENS = 5 };

static float store[20000];
static size_t used;

static float *noise(size_t n, double size) {
    float *x = store + used;
    assert_true((used += n) <= 20000);
    for (size_t i = 0; i < n; i++) x[i] = (float)(size * (rng_unit(1, used, i) * 2 - 1));
    return x;
}

static Linear matrix(size_t out, size_t in) {
    return (Linear){.w = tensor_view(DTYPE_F32, 2, (size_t[]){out, in}, noise(out * in, 0.5)),
                    .bias = noise(out, 0.1)};
}

static Norm norm(size_t n) { return (Norm){noise(n, 1), NULL}; }

static Block make_block(const Rope *rope) {
    used = 0;
    Block b = {.norm_kind = NORM_RMS, .eps = 1e-5f, .rope = rope};
    b.attn = (AttentionShape){
        .heads = 2, .kv_heads = 1, .head_dim = 4, .scale = 0.5f, .mask = {.causal = true}};
    b.q = matrix(8, DIM), b.k = matrix(4, DIM), b.v = matrix(4, DIM), b.o = matrix(DIM, 8);
    b.ffn = (FeedForward){.act = ACT_SILU,
                          .gated = true,
                          .gate = matrix(HIDDEN, DIM),
                          .up = matrix(HIDDEN, DIM),
                          .down = matrix(DIM, HIDDEN)};
    b.attn_norm = norm(DIM);
    b.ffn_norm = norm(DIM);
    return b;
}

/* Run a block over TOKENS rows of the same x and leave what it added in `added`. */
static void run(const Block *b, float *added) {
    Arena arena;
    KvCache kv;
    BlockRun work;
    float x[TOKENS * DIM];
    for (int pass = 0; pass < 2; pass++) {
        if (pass == 0)
            arena_measure(&arena);
        else
            assert_true(arena_init(&arena, arena.used, NULL));
        KvShape shape = {b->attn.kv_heads, b->attn.head_dim, b->attn.head_dim, 0};
        kv_init(&kv, &(KvConfig){.shapes = &shape, .layers = 1, .sequences = 1, .ctx = 64},
                &arena);
        block_run_init(&work, NULL, TOKENS, &(FfnSizes){DIM, HIDDEN, 0, 0}, &b->attn, 4,
                       &arena);
    }
    for (int i = 0; i < TOKENS * DIM; i++) x[i] = sinf((float)i);
    int32_t sequence[TOKENS] = {0}, position[TOKENS] = {0, 1, 2, 3, 4};
    assert_true(kv_extend(&kv, 0, TOKENS));
    block_forward(b, &work, &kv, 0, &(Batch){TOKENS, NULL, sequence, position, NULL}, x, DIM);
    for (int i = 0; i < TOKENS * DIM; i++) added[i] = x[i] - sinf((float)i);
    arena_free(&arena);
}

/* With one norm for both, the parallel block adds what each branch alone would add. */
static void parallel_is_the_sum_of_both_branches(void **state) {
    (void)state;
    Rope rope = {.style = ROPE_NONE};
    float both[TOKENS * DIM], attn[TOKENS * DIM], ffn[TOKENS * DIM], sequential[TOKENS * DIM];
    Block b = make_block(&rope);
    run(&b, sequential);
    b.parallel = true;
    run(&b, both);
    Block only = b;
    only.ffn.down.w = tensor_view(DTYPE_F32, 2, (size_t[]){DIM, HIDDEN}, store + 15000),
    only.ffn.down.bias = NULL;
    run(&only, attn);
    only = b, only.o.w = tensor_view(DTYPE_F32, 2, (size_t[]){DIM, 8}, store + 15000),
    only.o.bias = NULL;
    run(&only, ffn);
    double differs = 0;
    for (int i = 0; i < TOKENS * DIM; i++) {
        assert_near(both[i], attn[i] + ffn[i], 1e-5);
        differs += fabs((double)(both[i] - sequential[i]));
    }
    assert_true(differs > 0.01);
    b.ffn_norm.gain = NULL; /* then attn_norm serves both */
    run(&b, sequential);
    b.ffn_norm = b.attn_norm;
    run(&b, both);
    assert_memory_equal(both, sequential, sizeof both);
}

static void post_norms_rescale_branches(void **state) {
    (void)state;
    Rope rope = {.style = ROPE_NONE};
    Block b = make_block(&rope);
    float ones[DIM], added[TOKENS * DIM];
    for (int i = 0; i < DIM; i++) ones[i] = 1;
    b.attn_post_norm.gain = ones;
    memset(store + 15000, 0, sizeof(float) * DIM * HIDDEN);
    b.ffn.down.w = tensor_view(DTYPE_F32, 2, (size_t[]){DIM, HIDDEN}, store + 15000),
    b.ffn.down.bias = NULL;
    run(&b, added);
    for (int t = 0; t < TOKENS; t++)
        assert_near(dot_f32(added + t * DIM, added + t * DIM, DIM) / DIM, 1, 1e-3);
}

enum { EXPERTS = 7, CHOSEN = 3 };

static FeedForward make_mixture(void) {
    FeedForward f = {.act = ACT_GELU_ERF, .gated = true, .experts_used = CHOSEN};
    size_t up[3] = {EXPERTS, HIDDEN, DIM}, down[3] = {EXPERTS, DIM, HIDDEN};
    used = 0;
    f.router = matrix(EXPERTS, DIM);
    f.gate_experts.w = tensor_view(DTYPE_F32, 3, up, noise(EXPERTS * HIDDEN * DIM, 0.5));
    f.up_experts.w = tensor_view(DTYPE_F32, 3, up, noise(EXPERTS * HIDDEN * DIM, 0.5));
    f.down_experts.w = tensor_view(DTYPE_F32, 3, down, noise(EXPERTS * DIM * HIDDEN, 0.5));
    return f;
}

static void open_run(FfnRun *run, Arena *arena, const FfnSizes *sizes) {
    arena_measure(arena);
    ffn_run_init(run, TOKENS, sizes, arena);
    assert_true(arena_init(arena, arena->used, NULL));
    ffn_run_init(run, TOKENS, sizes, arena);
}

/* What expert e alone makes of x. */
static void ask_one(const FeedForward *f, size_t e, const float *x, float *out, FfnRun *run) {
    FeedForward one = {.act = f->act, .gated = true};
    const float *gate = f->gate_experts.w.data, *up = f->up_experts.w.data,
                *down = f->down_experts.w.data;
    size_t n = HIDDEN * DIM;
    one.gate.w = tensor_view(DTYPE_F32, 2, (size_t[]){HIDDEN, DIM}, (void *)(gate + e * n));
    one.up.w = tensor_view(DTYPE_F32, 2, (size_t[]){HIDDEN, DIM}, (void *)(up + e * n));
    one.down.w = tensor_view(DTYPE_F32, 2, (size_t[]){DIM, HIDDEN}, (void *)(down + e * n));
    feed_forward(NULL, &one, x, 1, out, run);
}

/* The best few experts, weighted by the softmax over their scores. */
static void check_mixture(const FeedForward *f, const float *x, const float *got, FfnRun *run) {
    float score[EXPERTS], each[DIM];
    double total = 0, want[DIM] = {0};
    linear(NULL, &f->router, x, 1, score, NULL);
    for (size_t e = 0; e < EXPERTS; e++) {
        int better = 0;
        for (int o = 0; o < EXPERTS; o++) better += score[o] > score[e];
        if (better >= CHOSEN) continue;
        ask_one(f, e, x, each, run);
        total += exp((double)score[e]);
        for (int i = 0; i < DIM; i++) want[i] += exp((double)score[e]) * (double)each[i];
    }
    for (int i = 0; i < DIM; i++) assert_near(got[i], want[i] / total, 1e-5);
}

/* Tokens that share experts are computed together: each gets what it gets alone, to the bit. */
static void experts_are_chosen_and_weighted(void **state) {
    (void)state;
    float x[TOKENS * DIM], out[TOKENS * DIM], alone[DIM];
    FfnRun run;
    Arena arena;
    FeedForward f = make_mixture();
    open_run(&run, &arena, &(FfnSizes){DIM, HIDDEN, EXPERTS, CHOSEN});
    for (int i = 0; i < TOKENS * DIM; i++) x[i] = 3 * cosf((float)i);
    feed_forward(NULL, &f, x, TOKENS, out, &run);
    size_t shared = 0;
    for (size_t e = 0; e < EXPERTS; e++) shared += run.first[e + 1] - run.first[e] > 1;
    assert_true(shared > 0);
    for (size_t t = 0; t < TOKENS; t++) {
        check_mixture(&f, x + t * DIM, out + t * DIM, &run);
        feed_forward(NULL, &f, x + t * DIM, 1, alone, &run);
        assert_memory_equal(alone, out + t * DIM, sizeof alone);
    }
    arena_free(&arena);
}

RUN(TEST(parallel_is_the_sum_of_both_branches), TEST(post_norms_rescale_branches),
    TEST(experts_are_chosen_and_weighted))
