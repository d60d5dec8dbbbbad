/* parts.h - random weights and working memory of a block, for the graders of blocks. */
#ifndef STRATA_PARTS_H
#define STRATA_PARTS_H

#include "textbook.h"

enum { DIM = 10, HEAD = 6, HIDDEN = 21, ROWS = 9, LAYERS = 12, ROOM = 60000 };

static float store[ROOM];
static size_t used;

static inline float *noise(size_t n, double size) {
    float *x = store + used;
    used += n;
    NEED(used <= ROOM);
    fresh_floats(x, n, -size, size);
    return x;
}

static inline Linear linear_map(size_t out, size_t in) {
    return (Linear){.w = tensor_view(DTYPE_F32, 2, (size_t[]){out, in}, noise(out * in, 0.6)),
                    .bias = noise(out, 0.3)};
}

static inline Norm rms(size_t width) {
    return (Norm){.kind = NORM_RMS, .width = width, .eps = 1e-5f, .gain = noise(width, 1.5)};
}

static inline FeedForward make_network(bool gated, size_t hidden) {
    static const Activation kinds[] = {ACT_RELU, ACT_GELU_ERF, ACT_GELU_TANH, ACT_SILU};
    return (FeedForward){.act = kinds[fresh_below(4)],
                         .gated = gated,
                         .net = {.gate = linear_map(hidden, DIM),
                                 .up = linear_map(hidden, DIM),
                                 .down = linear_map(DIM, hidden)}};
}

typedef struct Place {
    KvCache kv;
    BlockRun run;
    Arena arena;
    float x[ROWS * DIM];
} Place;

static inline void place_open_for(Place *p, const Block *b, size_t rows, size_t sequences) {
    Fault fault;
    const AttentionShape *s = &b->attention.shape;
    KvShape shape = {.kv_heads = s->kv_heads,
                     .key_dim = s->head_dim,
                     .value_dim = attention_value_dim(s)},
            shapes[LAYERS];
    for (size_t i = 0; i < LAYERS; i++) shapes[i] = shape;
    KvConfig config = {.shapes = shapes, .layers = LAYERS, .sequences = sequences, .ctx = 80};
    const BlockPlan plan = {
        .blocks = b, .count = 1, .dim = DIM, .rows = rows, .ctx = 80, .arena = &p->arena};
    for (int pass = 0; pass < 2; pass++) {
        if (pass)
            NEED(arena_init(&p->arena, p->arena.used, &fault));
        else
            arena_measure(&p->arena);
        kv_init(&p->kv, &config, &p->arena);
        block_run_init(&p->run, &plan);
    }
    for (size_t i = 0; i < sequences; i++) NEED(kv_extend(&p->kv, i, i ? 80 : 70));
}
static inline void place_open(Place *p, const Block *b) { place_open_for(p, b, ROWS, 2); }

static inline Block make_block(void) {
    static Rope rope;
    static double freq[2] = {1, 0.1};
    used = 0;
    rope = (Rope){.style = ROPE_HALF_SPLIT, .rotary = 4, .freq = freq, .magnitude = 1};
    Block b = {.wiring = &sequential_wiring,
               .mixer = {&attention_part},
               .network = &dense_part,
               .residual_scale = 0.7f};
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

/* Rows of two sequences, interleaved; the second starts far on. */
static inline Batch rows_of_two(int32_t *sequence, int32_t *position) {
    for (int32_t i = 0; i < ROWS; i++)
        sequence[i] = i % 2, position[i] = i % 2 ? 60 + i / 2 : i / 2;
    return (Batch){ROWS, NULL, sequence, position, NULL, NULL};
}

/* The first position of the cache that is wrong. */
static inline void same_memory(const KvCache *mine, const KvCache *ours, const Batch *batch,
                               bool keys) {
    for (size_t layer = 0; layer < LAYERS; layer++)
        for (size_t i = 0; i < batch->count; i++)
            for (size_t head = 0; head < mine->shape[layer].kv_heads; head++)
                for (size_t d = 0;
                     d < (keys ? mine->shape[layer].key_dim : mine->shape[layer].value_dim);
                     d++) {
                    size_t s = (size_t)batch->sequence[i], p = (size_t)batch->position[i];
                    const float *a = keys ? kv_key(mine, (KvHead){layer, s, head}, p)
                                          : kv_value(mine, (KvHead){layer, s, head}, p),
                                *b = keys ? kv_key(ours, (KvHead){layer, s, head}, p)
                                          : kv_value(ours, (KvHead){layer, s, head}, p);
                    size_t at = keys ? STRIP * d : d;
                    NUMBER(a[at], b[at], 1e-4,
                           "row %zu of the batch, sequence %zu, position %zu, layer %zu of the "
                           "memory (the batch is for layer "
                           "1): number %zu of the %s of head %zu: %s",
                           i, s, p, layer, d, keys ? "key" : "value", head,
                           keys ? "store it after it has been clamped, normed and rotated"
                                : "it is stored scaled and clamped, but never normed or "
                                  "rotated; row i of v begins at i * v_dim()");
                }
}

#endif
