/* The graders of the block and its two branches.
 *
 * A branch is compared with the library's own.  Where they differ, the library's is asked again with one part left out: the
 * one that then agrees is the part that is missing. */
#include "textbook.h"

DECLARE_SHIPPED(attention_forward);
DECLARE_SHIPPED(block_forward);

enum { DIM = 10, HEAD = 6, HIDDEN = 21, ROWS = 9, LAYERS = 3, ROOM = 60000 };

static float store[ROOM];
static size_t used;

static float *noise(size_t n, double size) {
    float *x = store + used;
    used += n;
    NEED(used <= ROOM);
    fresh_floats(x, n, -size, size);
    return x;
}

static Linear linear_map(size_t out, size_t in) {
    return (Linear){.w = tensor_view(DTYPE_F32, 2, (size_t[]){out, in}, noise(out * in, 0.6)),
                    .bias = noise(out, 0.3)};
}

static Norm rms(size_t width) {
    return (Norm){.kind = NORM_RMS, .width = width, .eps = 1e-5f, .gain = noise(width, 1.5)};
}

/* ------------------------------------------------------------------ the feed-forward network */

typedef enum Bend { RIGHT, OF_UP, NONE, SUM, GATE_ALONE, UP_ALONE, BENDS } Bend;

static const char *const bend_hints[BENDS] = {
    [OF_UP] = "the activation is of the gate, not of up",
    [NONE] = "the activation is missing: without it two maps in a row are one",
    [SUM] = "gate and up are multiplied, not added",
    [GATE_ALONE] = "up is missing: act(gate x) decides how much of up x passes",
    [UP_ALONE] = "the gate is missing: act(gate x) times up x",
};

static void map_row(const Linear *map, const float *x, float *y) {
    for (size_t i = 0; i < map->w.shape[0]; i++)
        y[i] = (float)((double)map->bias[i] +
                       textbook_dot((const float *)map->w.data + i * map->w.shape[1], x,
                                    map->w.shape[1]));
}

static void network_row(const FeedForward *f, const float *x, Bend bend, float *out) {
    float a[64], b[64], c[64];
    size_t hidden = f->net.up.w.shape[0];
    map_row(&f->net.up, x, b);
    if (f->gated) map_row(&f->net.gate, x, a);
    const float *gate = !f->gated || bend == OF_UP || bend == UP_ALONE ? b : a,
                *up = bend == OF_UP ? a : b;
    activate(f->act, c, gate, hidden);
    for (size_t i = 0; i < hidden; i++) {
        float bent = bend == NONE ? gate[i] : c[i];
        if (!f->gated || bend == GATE_ALONE || bend == UP_ALONE)
            a[i] = bent;
        else
            a[i] = bend == SUM ? bent + up[i] : bent * up[i];
    }
    map_row(&f->net.down, a, out);
}

static FeedForward make_network(bool gated, size_t hidden) {
    static const Activation kinds[] = {ACT_RELU, ACT_GELU_ERF, ACT_GELU_TANH, ACT_SILU};
    return (FeedForward){.act = kinds[fresh_below(4)],
                         .gated = gated,
                         .net = {.gate = linear_map(hidden, DIM),
                                 .up = linear_map(hidden, DIM),
                                 .down = linear_map(DIM, hidden)}};
}

static void grade_network(Pool *pool, bool gated) {
    enum { N = 70 };
    static float out[N * DIM], want[N * DIM], other[N * DIM];
    used = 0;
    FeedForward f = make_network(gated, HIDDEN + fresh_below(20));
    float *x = noise(N * DIM, 2);
    FfnSizes sizes = {0};
    FfnRun run;
    Arena arena;
    Fault fault;
    ffn_sizes_include(&sizes, &f);
    arena_measure(&arena), ffn_run_init(&run, N, &sizes, &arena);
    NEED(arena_init(&arena, arena.used, &fault));
    ffn_run_init(&run, N, &sizes, &arena);
    memset(out, 0x7f, sizeof out);
    dense_forward(pool, &f, &f.net, x, N, out, &run);
    arena_free(&arena);
    for (Bend bend = RIGHT; bend < BENDS; bend++) {
        for (size_t i = 0; i < N; i++)
            network_row(&f, x + i * DIM, bend, (bend ? other : want) + i * DIM);
        if (bend == RIGHT && all_near(out, want, N * DIM, 1e-3)) return;
        HINT(!bend || (!gated && bend != NONE) || !all_near(out, other, N * DIM, 1e-3),
             "%s: %s", gated ? "with a gate" : "without a gate", bend_hints[bend]);
    }
    NUMBERS(out, want, N * DIM, 1e-3, "%s, for %d rows of %d numbers",
            gated ? "with a gate: out = down(act(gate x) * up x)"
                  : "without a gate: out = down(act(up x))",
            N, DIM);
}

GRADE(network) {
    Fault fault;
    Pool *pool = pool_open(3, false, &fault);
    NEED(pool);
    for (int round = 0; round < 3; round++) {
        grade_network(NULL, true);
        grade_network(NULL, false);
        grade_network(pool, true);
        grade_network(pool, false);
    }
    pool_close(pool);
}

/* ------------------------------------------------------------------ attention in its place */

typedef struct Place {
    KvCache kv;
    BlockRun run;
    Arena arena;
    float x[ROWS * DIM];
} Place;

static void place_open(Place *p, const Block *b) {
    Fault fault;
    const AttentionShape *s = &b->attention.shape;
    KvShape shape = {.kv_heads = s->kv_heads,
                     .key_dim = s->head_dim,
                     .value_dim = attention_value_dim(s)},
            shapes[LAYERS] = {shape, shape, shape};
    KvConfig config = {.shapes = shapes, .layers = LAYERS, .sequences = 2, .ctx = 80};
    BlockSizes sizes = {0};
    block_sizes_include(&sizes, b, DIM);
    for (int pass = 0; pass < 2; pass++) {
        if (pass)
            NEED(arena_init(&p->arena, p->arena.used, &fault));
        else
            arena_measure(&p->arena);
        kv_init(&p->kv, &config, &p->arena);
        block_run_init(&p->run, NULL, ROWS, &sizes, &p->arena);
    }
    NEED(kv_extend(&p->kv, 0, 70) && kv_extend(&p->kv, 1, 80));
}

static Block make_block(void) {
    static Rope rope;
    static double freq[2] = {1, 0.1};
    used = 0;
    rope = (Rope){.style = ROPE_HALF_SPLIT, .rotary = 4, .freq = freq, .magnitude = 1};
    Block b = {.wiring = WIRING_SEQUENTIAL, .residual_scale = 0.7f};
    b.attention = (Attention){.q = linear_map(4 * HEAD, DIM),
                              .k = linear_map(2 * HEAD, DIM),
                              .v = linear_map(2 * HEAD, DIM),
                              .o = linear_map(DIM, 4 * HEAD),
                              .clamp = 1.5f,
                              .q_norm = rms(HEAD),
                              .k_norm = rms(HEAD),
                              .rope = &rope,
                              .q_temperature = 0.4f,
                              .temperature_ctx = 8,
                              .temperature_from = 1,
                              .shape = {.heads = 4,
                                        .kv_heads = 2,
                                        .head_dim = HEAD,
                                        .scale = 0.5f,
                                        .mask = {.causal = true}}};
    b.ffn = make_network(true, HIDDEN);
    b.attn_norm = rms(DIM), b.ffn_norm = rms(DIM);
    b.attn_post_norm = rms(DIM), b.ffn_post_norm = rms(DIM);
    return b;
}

/* Rows of two sequences, taking turns; the second begins far on. */
static Batch rows_of_two(int32_t *sequence, int32_t *position) {
    for (int32_t i = 0; i < ROWS; i++)
        sequence[i] = i % 2, position[i] = i % 2 ? 60 + i / 2 : i / 2;
    return (Batch){ROWS, NULL, sequence, position, NULL, NULL};
}

typedef enum Part {
    WHOLE,
    CLAMP,
    Q_NORM,
    K_NORM,
    ORDER,
    TURN,
    WARM,
    WARM_FROM,
    PARTS_OF_IT
} Part;

static const char *const part_hints[PARTS_OF_IT] = {
    [CLAMP] = "q, k and v are not clamped to -clamp .. clamp (where it is above 0)",
    [Q_NORM] = "the norm of the queries is missing",
    [K_NORM] = "the norm of the keys is missing",
    [ORDER] = "norm and rotation stand in the wrong order: norm_after_rope says which",
    [TURN] = "queries and keys are not turned",
    [WARM] = "q_temperature is missing: the queries grow with their position",
    [WARM_FROM] = "temperature_from is missing: the first position counts as that",
};

static Attention without(const Attention *a, Part part) {
    Attention b = *a;
    if (part == CLAMP) b.clamp = 0;
    if (part == Q_NORM) b.q_norm.kind = NORM_NONE;
    if (part == K_NORM) b.k_norm.kind = NORM_NONE;
    if (part == ORDER) b.norm_after_rope = !b.norm_after_rope;
    if (part == TURN) b.rope = NULL;
    if (part == WARM) b.q_temperature = 0;
    if (part == WARM_FROM) b.temperature_from = 0;
    return b;
}

/* The first place of the memory that is not what it should be. */
static void same_memory(const KvCache *mine, const KvCache *ours, const Batch *batch,
                        bool keys) {
    for (size_t layer = 0; layer < LAYERS; layer++)
        for (size_t i = 0; i < batch->count; i++)
            for (size_t head = 0; head < 2; head++)
                for (size_t d = 0; d < HEAD; d++) {
                    size_t s = (size_t)batch->sequence[i], p = (size_t)batch->position[i];
                    const float *a = keys ? kv_key(mine, layer, s, head, p)
                                          : kv_value(mine, layer, s, head, p),
                                *b = keys ? kv_key(ours, layer, s, head, p)
                                          : kv_value(ours, layer, s, head, p);
                    size_t at = keys ? STRIP * d : d;
                    NUMBER(a[at], b[at], 1e-4,
                           "row %zu of the batch, sequence %zu, position %zu, layer %zu of the "
                           "memory (the batch is for layer "
                           "1): number %zu of the %s of head %zu: %s",
                           i, s, p, layer, d, keys ? "key" : "value", head,
                           keys ? "it is stored when it has been clamped, normed and turned"
                                : "it is stored clamped, but never normed or turned");
                }
}

static void grade_mixer(const Block *b) {
    static Place mine, ours;
    static float got[ROWS * DIM], want[ROWS * DIM], other[ROWS * DIM];
    int32_t sequence[ROWS], position[ROWS];
    Batch batch = rows_of_two(sequence, position);
    float *x = noise(ROWS * DIM, 2);
    place_open(&mine, b), place_open(&ours, b);
    memset(got, 0x7f, sizeof got);
    attention_forward(NULL, &b->attention, &mine.run.attention, &mine.kv, 1, &batch, x, got);
    SHIPPED(attention_forward)
    (NULL, &b->attention, &ours.run.attention, &ours.kv, 1, &batch, x, want);
    bool right = all_near(got, want, ROWS * DIM, 1e-3);
    for (Part part = 1; part < PARTS_OF_IT && !right; part++) {
        Attention less = without(&b->attention, part);
        SHIPPED(attention_forward)
        (NULL, &less, &ours.run.attention, &ours.kv, 1, &batch, x, other);
        HINT(!all_near(got, other, ROWS * DIM, 1e-3), "%s", part_hints[part]);
    }
    SHIPPED(attention_forward)
    (NULL, &b->attention, &ours.run.attention, &ours.kv, 1, &batch, x, want);
    same_memory(&mine.kv, &ours.kv, &batch, false);
    same_memory(&mine.kv, &ours.kv, &batch, true);
    NUMBERS(got, want, ROWS * DIM, 1e-3,
            "the memory is right, what comes out is not: q is clamped, normed, turned and "
            "warmed; then attention_online() into "
            "run->mixed, and that through o");
    arena_free(&mine.arena), arena_free(&ours.arena);
}

GRADE(mixer) {
    for (int round = 0; round < 2; round++) {
        Block b = make_block();
        b.attention.norm_after_rope = round;
        grade_mixer(&b);
        b.attention.clamp = 0, b.attention.q_temperature = 0,
        b.attention.q_norm.kind = NORM_NONE;
        grade_mixer(&b);
        b.attention.rope = NULL;
        grade_mixer(&b);
    }
}

/* ------------------------------------------------------------------ the block */

enum {
    B_WHOLE,
    B_ATTN_NORM,
    B_FFN_NORM,
    B_ATTN_POST,
    B_FFN_POST,
    B_SCALE,
    B_ATTENTION,
    B_FFN,
    B_EXPERTS,
    B_PARTS
};

static const char *const block_hints[B_PARTS] = {
    [B_ATTN_NORM] = "attention reads x without its norm (attn_norm)",
    [B_FFN_NORM] = "the feed-forward network reads x without its norm (ffn_norm)",
    [B_ATTN_POST] = "what attention returns goes through attn_post_norm before it is added",
    [B_FFN_POST] =
        "what the feed-forward network returns goes through ffn_post_norm before it is added",
    [B_SCALE] = "what a branch returns is scaled by residual_scale before it is added",
    [B_ATTENTION] = "attention adds nothing to x",
    [B_FFN] = "the feed-forward network adds nothing to x",
    [B_EXPERTS] =
        "the block has experts (its router's map has data), and its dense network was asked",
};

static Block block_without(const Block *b, int part) {
    Block c = *b;
    if (part == B_ATTN_NORM) c.attn_norm.kind = NORM_NONE;
    if (part == B_FFN_NORM) c.ffn_norm.kind = NORM_NONE;
    if (part == B_ATTN_POST) c.attn_post_norm.kind = NORM_NONE;
    if (part == B_FFN_POST) c.ffn_post_norm.kind = NORM_NONE;
    if (part == B_SCALE) c.residual_scale = 1;
    if (part == B_ATTENTION) c.attn_post_norm = (Norm){NORM_RMS, DIM, false, 1e30f, NULL, NULL};
    if (part == B_FFN) c.ffn_post_norm = (Norm){NORM_RMS, DIM, false, 1e30f, NULL, NULL};
    if (part == B_EXPERTS) c.ffn.router.map.w.data = NULL;
    return c;
}

/* Two batches through layer 1, the second of which reads what the first left; what is added to x. */
static void through(Place *p, const Block *b, const Block *first, const float *x, bool shipped,
                    float *added) {
    int32_t sequence[ROWS], position[ROWS];
    Batch batch = rows_of_two(sequence, position);
    for (int round = 0; round < 2; round++) {
        const Block *now = round ? b : first;
        memcpy(p->x, x, sizeof p->x);
        if (shipped)
            SHIPPED(block_forward)(now, &p->run, &p->kv, 1, &batch, p->x, DIM);
        else
            block_forward(now, &p->run, &p->kv, 1, &batch, p->x, DIM);
        for (int i = 0; i < ROWS; i++) position[i] += 5;
    }
    for (size_t i = 0; i < ROWS * DIM; i++) added[i] = p->x[i] - x[i];
}

static void grade_block(const Block *b, const char *kind) {
    static Place mine, ours, less_one;
    static float got[ROWS * DIM], want[ROWS * DIM], other[ROWS * DIM];
    int32_t sequence[ROWS], position[ROWS];
    Batch batch = rows_of_two(sequence, position);
    float *x = noise(ROWS * DIM, 2);
    place_open(&mine, b), place_open(&ours, b);
    through(&mine, b, b, x, false, got), through(&ours, b, b, x, true, want);
    bool right = all_near(got, want, ROWS * DIM, 2e-3);
    for (int part = 1; part < B_PARTS && !right; part++) {
        Block less = block_without(b, part);
        place_open(&less_one, b);
        through(&less_one, &less, &less, x, true, other);
        arena_free(&less_one.arena);
        HINT(!all_near(got, other, ROWS * DIM, 2e-3), "%s block: %s", kind, block_hints[part]);
    }
    bool replaced = true;
    for (size_t i = 0; i < ROWS * DIM && !right; i++)
        replaced &= close_to(got[i] + x[i], want[i], 2e-3);
    HINT(right || !replaced,
         "%s block: x is written over: what a branch returns is added to it", kind);
    same_memory(&mine.kv, &ours.kv, &batch, true);
    NUMBERS(got, want, ROWS * DIM, 2e-3,
            "%s block, what it adds to %d rows of %d numbers: x += attention(norm(x)), then x "
            "+= ffn(norm'(x)), which reads the "
            "new x",
            kind, ROWS, DIM);
    arena_free(&mine.arena), arena_free(&ours.arena);
}

static void add_experts(Block *b) {
    enum { EXPERTS = 4 };
    size_t wide[] = {EXPERTS, HIDDEN, DIM}, narrow[] = {EXPERTS, DIM, HIDDEN};
    b->ffn.router = (Router){.map = linear_map(EXPERTS, DIM), .used = 2};
    b->ffn.experts.gate.w = tensor_view(DTYPE_F32, 3, wide, noise(EXPERTS * HIDDEN * DIM, 0.6));
    b->ffn.experts.up.w = tensor_view(DTYPE_F32, 3, wide, noise(EXPERTS * HIDDEN * DIM, 0.6));
    b->ffn.experts.down.w =
        tensor_view(DTYPE_F32, 3, narrow, noise(EXPERTS * HIDDEN * DIM, 0.6));
}

GRADE(block) {
    for (int round = 0; round < 2; round++) {
        Block b = make_block();
        grade_block(&b, "a sequential");
        b.attn_post_norm.kind = NORM_NONE, b.ffn_post_norm.kind = NORM_NONE,
        b.residual_scale = 0;
        grade_block(&b, "a plain sequential");
        b.wiring = WIRING_PARALLEL;
        grade_block(&b, "a parallel");
        b.wiring = WIRING_NORM_AFTER;
        grade_block(&b, "a norm-after");
        b = make_block();
        add_experts(&b);
        grade_block(&b, "a mixture's");
    }
}

GRADES({"4.8", network}, {"4.9", mixer}, {"4.10", block})
