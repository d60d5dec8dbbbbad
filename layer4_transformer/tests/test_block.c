/* the block: its wirings, norms and scales */
#include "check.h"
#include "transformer_extras.h"

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

static Norm norm(size_t n) {
    return (Norm){.kind = NORM_RMS, .width = n, .eps = 1e-5f, .gain = noise(n, 1)};
}

static Block make_block(void) {
    used = 0;
    Block b = {
        .wiring = &sequential_wiring, .mixer = {&attention_part}, .network = &dense_part};
    b.attention.shape = (AttentionShape){
        .heads = 2, .kv_heads = 1, .head_dim = 4, .scale = 0.5f, .mask = {.causal = true}};
    b.attention.q = matrix(8, DIM), b.attention.k = matrix(4, DIM);
    b.attention.v = matrix(4, DIM), b.attention.o = matrix(DIM, 8);
    b.ffn = (FeedForward){.act = ACT_SILU,
                          .gated = true,
                          .net = {.gate = matrix(HIDDEN, DIM),
                                  .up = matrix(HIDDEN, DIM),
                                  .down = matrix(DIM, HIDDEN)}};
    b.attn_norm = norm(DIM);
    b.ffn_norm = norm(DIM);
    return b;
}

/* Run a block over TOKENS rows of the same x; `added` gets what it adds. */
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
        const AttentionShape *a = &b->attention.shape;
        KvShape shape = {
            .kv_heads = a->kv_heads, .key_dim = a->head_dim, .value_dim = a->head_dim};
        const BlockPlan plan = {
            .blocks = b, .count = 1, .dim = DIM, .rows = TOKENS, .ctx = 64, .arena = &arena};
        kv_init(&kv, &(KvConfig){.shapes = &shape, .layers = 1, .sequences = 1, .ctx = 64},
                &arena);
        block_run_init(&work, &plan);
    }
    for (int i = 0; i < TOKENS * DIM; i++) x[i] = sinf((float)i);
    int32_t sequence[TOKENS] = {0}, position[TOKENS] = {0, 1, 2, 3, 4};
    assert_true(kv_extend(&kv, 0, TOKENS));
    const Batch batch = {TOKENS, NULL, sequence, position, NULL, NULL};
    block_forward(b, &(Pass){&work, &kv, 0, &batch, DIM}, x);
    for (int i = 0; i < TOKENS * DIM; i++) added[i] = x[i] - sinf((float)i);
    arena_free(&arena);
}

/* With one norm for both, the parallel block adds the sum of what each branch alone adds. */
static void parallel_is_the_sum_of_both_branches(void **state) {
    (void)state;
    float both[TOKENS * DIM], attn[TOKENS * DIM], ffn[TOKENS * DIM], sequential[TOKENS * DIM];
    Block b = make_block();
    run(&b, sequential);
    b.wiring = &parallel_wiring;
    run(&b, both);
    Block only = b;
    only.ffn.net.down.w = tensor_view(DTYPE_F32, 2, (size_t[]){DIM, HIDDEN}, store + 15000),
    only.ffn.net.down.bias = NULL;
    run(&only, attn);
    only = b, only.attention.o.w = tensor_view(DTYPE_F32, 2, (size_t[]){DIM, 8}, store + 15000),
    only.attention.o.bias = NULL;
    run(&only, ffn);
    double differs = 0;
    for (int i = 0; i < TOKENS * DIM; i++) {
        assert_near(both[i], attn[i] + ffn[i], 1e-5);
        differs += fabs((double)(both[i] - sequential[i]));
    }
    assert_true(differs > 0.01);
    b.ffn_norm.kind = NORM_NONE; /* then attn_norm serves both */
    run(&b, sequential);
    b.ffn_norm = b.attn_norm;
    run(&b, both);
    assert_memory_equal(both, sequential, sizeof both);
}

static void post_norms_rescale_branches(void **state) {
    (void)state;
    Block b = make_block();
    float ones[DIM], added[TOKENS * DIM];
    for (int i = 0; i < DIM; i++) ones[i] = 1;
    b.attn_post_norm = (Norm){.kind = NORM_RMS, .width = DIM, .eps = 1e-5f, .gain = ones};
    memset(store + 15000, 0, sizeof(float) * DIM * HIDDEN);
    b.ffn.net.down.w = tensor_view(DTYPE_F32, 2, (size_t[]){DIM, HIDDEN}, store + 15000),
    b.ffn.net.down.bias = NULL;
    run(&b, added);
    for (int t = 0; t < TOKENS; t++)
        assert_near(dot_f32(added + t * DIM, added + t * DIM, DIM) / DIM, 1, 1e-3);
}

/* A branch's output is scaled, x itself is not. */
static void a_scale_acts_on_branches(void **state) {
    (void)state;
    float once[TOKENS * DIM], half[TOKENS * DIM];
    Block b = make_block();
    b.wiring = &parallel_wiring;
    run(&b, once);
    b.residual_scale = 0.5f;
    run(&b, half);
    for (int i = 0; i < TOKENS * DIM; i++) assert_near(half[i], 0.5 * (double)once[i], 1e-5);
}

/* Norms after the sum leave rows of unit size, whatever x was. */
static void norms_after_the_sum(void **state) {
    (void)state;
    float ones[DIM], added[TOKENS * DIM];
    Block b = make_block();
    for (int i = 0; i < DIM; i++) ones[i] = 1;
    BlockExtras more = {.attn_norm_2.kind = NORM_NONE};
    b.extras = &more, b.wiring = &after_wiring;
    b.ffn_norm.gain = ones;
    run(&b, added);
    for (int t = 0; t < TOKENS; t++) {
        double sum = 0;
        for (int i = 0; i < DIM; i++) {
            double x = (double)added[t * DIM + i] + sin(t * DIM + i);
            sum += x * x / DIM;
        }
        assert_near(sum, 1, 1e-3);
    }
}

/* Queries and keys are clamped and normed. */
static void queries_and_keys_are_clamped_and_normed(void **state) {
    (void)state;
    float plain[TOKENS * DIM], clamped[TOKENS * DIM], loose[TOKENS * DIM], before[TOKENS * DIM],
        after[TOKENS * DIM];
    double freq[2] = {1, 0.1};
    Rope rope = {.style = ROPE_HALF_SPLIT, .rotary = 4, .freq = freq, .magnitude = 1};
    Block b = make_block();
    run(&b, plain);
    b.attention.clamp = 1e9f;
    run(&b, loose);
    b.attention.clamp = 0.1f;
    run(&b, clamped);
    assert_memory_equal(plain, loose, sizeof plain);
    assert_memory_not_equal(plain, clamped, sizeof plain);
    b.attention.clamp = 0, b.attention.rope = &rope;
    b.attention.q_norm = norm(4);
    run(&b, before);
    b.attention.norm_after_rope = true; /* with gains they do not commute */
    run(&b, after);
    assert_memory_not_equal(before, after, sizeof before);
    b.attention.q_norm.gain = NULL; /* without gains they do, up to rounding */
    run(&b, after);
    b.attention.norm_after_rope = false;
    run(&b, before);
    for (int i = 0; i < TOKENS * DIM; i++) assert_near(before[i], after[i], 1e-5);
}

static int opened;
static char mixers_memory, networks_memory;
static void *open_for_mixer(const BlockPlan *plan) {
    return opened += plan->dim == DIM, &mixers_memory;
}
static void *open_for_network(const BlockPlan *plan) {
    return opened += plan->dim == DIM, &networks_memory;
}
static BlockRun lacking;
static void ask_for_unopened(void) { block_memory(&lacking, open_for_mixer); }

/* Each part of each block gets its memory; parts that open the same memory share it. */
static void parts_open_memory_once(void **state) {
    (void)state;
    const PartKind mixer = {.name = "mixer", .open = open_for_mixer},
                   network = {.name = "network", .open = open_for_network};
    Block blocks[2] = {make_block(), make_block()};
    blocks[1].mixer[0] = blocks[1].mixer[1] = &mixer, blocks[1].network = &network;
    Arena arena;
    arena_measure(&arena);
    const BlockPlan plan = {
        .blocks = blocks, .count = 2, .dim = DIM, .rows = 1, .arena = &arena};
    BlockRun work;
    block_run_init(&work, &plan);
    assert_int_equal(opened, 2);
    assert_ptr_equal(block_memory(&work, open_for_mixer), &mixers_memory);
    assert_ptr_equal(block_memory(&work, open_for_network), &networks_memory);
    check_abort(ask_for_unopened, "no block has the kind whose memory this is");
}

RUN(TEST(parallel_is_the_sum_of_both_branches), TEST(post_norms_rescale_branches),
    TEST(a_scale_acts_on_branches), TEST(norms_after_the_sum),
    TEST(queries_and_keys_are_clamped_and_normed), TEST(parts_open_memory_once))
