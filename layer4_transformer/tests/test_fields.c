/* each field of Attention, FeedForward and Block, and each pair, through a block: as in double
 * precision, or refused */
#include "exact.h"
#include "exact_norm.h"
#include "fields.h"
#include "open_kv.h"

enum {
    D = 12,
    HIDDEN = 10,
    HEADS = 4,
    KV = 2,
    HD = 8,
    VD = 5,
    T = 6,
    MAX = 64,
    ROOM = 1 << 18
};

static float store[ROOM];
static size_t used;

static float *noise(size_t n, double size, double middle) {
    float *x = store + used;
    assert_true((used += n) <= ROOM);
    for (size_t i = 0; i < n; i++)
        x[i] = (float)(size * (rng_unit(1, used, i) * 2 - 1) + middle);
    return x;
}

static Linear matrix(size_t out, size_t in) {
    return (Linear){.w =
                        tensor_view(DTYPE_F32, 2, (size_t[]){out, in}, noise(out * in, 0.6, 0)),
                    .bias = noise(out, 0.1, 0)};
}

static Norm norm(NormKind kind, size_t width, size_t gains) {
    return (Norm){.kind = kind,
                  .width = width,
                  .eps = 1e-4f,
                  .own_gain = gains > width,
                  .gain = noise(gains, 0.5, 1),
                  .bias = noise(gains, 0.1, 0)};
}

static double freq[] = {1, 0.4, 0.1};
static const Rope rope = {
    .style = ROPE_HALF_SPLIT, .rotary = 6, .freq = freq, .magnitude = 1.1f};

/* The plain block has what a field needs to act: norms, a rotation, a temperature, a gate. */
static Block plain_block(size_t from) {
    used = from;
    Block b = {.wiring = &sequential_wiring,
               .mixer = {&attention_part},
               .network = &dense_part,
               .attn_norm = norm(NORM_RMS, D, D),
               .ffn_norm = norm(NORM_RMS, D, D)};
    b.attention = (Attention){.q = matrix(HEADS * HD, D),
                              .k = matrix(KV * HD, D),
                              .v = matrix(KV * HD, D),
                              .o = matrix(D, HEADS * HD),
                              .q_norm = norm(NORM_RMS, HD, HD),
                              .k_norm = norm(NORM_RMS, KV * HD, KV * HD),
                              .rope = &rope,
                              .q_temperature = 0.5f,
                              .temperature_ctx = 2};
    b.attention.shape = (AttentionShape){
        .heads = HEADS, .kv_heads = KV, .head_dim = HD, .scale = 0.4f, .mask.causal = true};
    b.ffn = (FeedForward){.act = ACT_SILU,
                          .gated = true,
                          .net = {matrix(HIDDEN, D), matrix(HIDDEN, D), matrix(D, HIDDEN)}};
    return b;
}

/* ------------------------------------------------------------------ the fields */

static void set_q(Block *b) { b->attention.q = matrix(HEADS * HD, D); }
static void set_k(Block *b) { b->attention.k = matrix(KV * HD, D); }
static void set_v(Block *b) { b->attention.v = (Linear){.bias = NULL}; }
static void set_o(Block *b) { b->attention.o.bias = NULL; }
static void set_clamp(Block *b) { b->attention.clamp = 0.3f; }
static void set_q_norm(Block *b) { b->attention.q_norm = norm(NORM_LAYER, HD, HEADS * HD); }
static void set_k_norm(Block *b) { b->attention.k_norm.kind = NORM_NONE; }
static void set_v_norm(Block *b) { b->attention.v_norm = norm(NORM_RMS, HD, HD); }
static void set_kv_back(Block *b) {
    b->attention.kv_back = 1;
    b->attention.k = b->attention.v = (Linear){.bias = NULL};
}
static void set_late(Block *b) { b->attention.norm_after_rope = true; }
static void set_rope(Block *b) { b->attention.rope = NULL; }
static void set_warm(Block *b) { b->attention.q_temperature = 2; }
static void set_warm_ctx(Block *b) { b->attention.temperature_ctx = 4; }
static void set_warm_from(Block *b) { b->attention.temperature_from = 1; }
static void set_gate(Block *b) { b->attention.gate = matrix(HEADS, D); }
static void set_gate_wide(Block *b) { b->attention.gate = matrix(HEADS * HD, D); }
static void set_gate_in_q(Block *b) {
    b->attention.gate_in_q = true, b->attention.q = matrix(2 * HEADS * HD, D);
}
static void set_v_scale(Block *b) { b->attention.v_scale = -1.5f; }
static void set_sub_norm(Block *b) { b->attention.sub_norm = norm(NORM_RMS, HD, HD); }
static void set_values(Block *b) {
    b->attention.shape.value_dim = VD;
    b->attention.v = matrix(KV * VD, D), b->attention.o = matrix(D, HEADS * VD);
}
static void set_act(Block *b) { b->ffn.act = ACT_RELU_SQUARED; }
static void set_plain(Block *b) {
    b->ffn.gated = false, b->ffn.net.gate = (Linear){.bias = NULL};
}
static void set_up(Block *b) { b->ffn.net.up = matrix(HIDDEN, D); }
static void set_ffn_norm(Block *b) { b->ffn.sub_norm = norm(NORM_LAYER, HIDDEN / 2, HIDDEN); }
static void set_limit(Block *b) { b->ffn.limit = 0.2f; }
static void set_cut(Block *b) { b->ffn.cut = 0.5f; }
static void set_xielu(Block *b) {
    set_plain(b), b->ffn.act = ACT_XIELU, b->ffn.xielu = (Xielu){0.8f, 0.9f, 0.5f, -1e-6f};
}
static void set_wiring(Block *b) { b->wiring = &parallel_wiring; }
static void set_mixer(Block *b) { b->mixer[1] = &attention_part; }
static void set_network(Block *b) { b->network = NULL; }
static void set_attn_norm(Block *b) { b->attn_norm.kind = NORM_NONE; }
static void set_second_norm(Block *b) { b->ffn_norm.kind = NORM_NONE; }
static void set_post(Block *b) { b->attn_post_norm = norm(NORM_RMS, D, D); }
static void set_ffn_post(Block *b) { b->ffn_post_norm = norm(NORM_LAYER, D, D); }
static void set_residual(Block *b) { b->residual_scale = -0.5f; }

static const struct Row {
    const char *field;
    void (*set)(Block *);
} rows[] = {
    {FIELD(Attention, q), set_q},
    {FIELD(Attention, k), set_k},
    {FIELD(Attention, o), set_o},
    {FIELD(Attention, v), set_v},
    {FIELD(Attention, clamp), set_clamp},
    {FIELD(Attention, q_norm), set_q_norm},
    {FIELD(Attention, k_norm), set_k_norm},
    {FIELD(Attention, v_norm), set_v_norm},
    {FIELD(Attention, norm_after_rope), set_late},
    {FIELD(Attention, rope), set_rope},
    {FIELD(Attention, q_temperature), set_warm},
    {FIELD(Attention, temperature_ctx), set_warm_ctx},
    {FIELD(Attention, temperature_from), set_warm_from},
    {FIELD(Attention, gate), set_gate},
    {FIELD(Attention, gate), set_gate_wide},
    {FIELD(Attention, gate_in_q), set_gate_in_q},
    {FIELD(Attention, v_scale), set_v_scale},
    {FIELD(Attention, sub_norm), set_sub_norm},
    {FIELD(Attention, shape), set_values},
    {FIELD(Attention, kv_back), set_kv_back},
    {FIELD(FeedForward, act), set_act},
    {FIELD(FeedForward, gated), set_plain},
    {FIELD(FeedForward, net), set_up},
    {FIELD(FeedForward, sub_norm), set_ffn_norm},
    {FIELD(FeedForward, limit), set_limit},
    {FIELD(FeedForward, cut), set_cut},
    {FIELD(FeedForward, xielu), set_xielu},
    {FIELD(Block, wiring), set_wiring},
    {FIELD(Block, mixer), set_mixer},
    {FIELD(Block, network), set_network},
    {FIELD(Block, attn_norm), set_attn_norm},
    {FIELD(Block, ffn_norm), set_second_norm},
    {FIELD(Block, attn_post_norm), set_post},
    {FIELD(Block, ffn_post_norm), set_ffn_post},
    {FIELD(Block, residual_scale), set_residual},
};
enum { ROWS = sizeof rows / sizeof *rows };

/* Walked above, or by the tests of its own kinds (test_moe, test_mamba, ...). */
static const char *const elsewhere[] = {FIELD(Block, attention), FIELD(Block, ffn),
                                        FIELD(Block, extras)};

/* What a block must refuse, and what it says then; NULL: nothing. */
static const char *refusal(const Block *b) {
    const Attention *a = &b->attention;
    size_t vd = attention_value_dim(&a->shape);
    bool q = a->q.w.shape[0] == (a->gate_in_q ? 2 : 1) * HEADS * HD,
         o = a->o.w.shape[1] == HEADS * vd,
         kv = a->kv_back ? !a->k.w.data && !a->v.w.data
                         : (a->v.w.data ? a->v.w.shape[0] : KV * HD) == KV * vd;
    if (!q || !o || !kv) return "of other sizes than the heads";
    if (a->gate_in_q && (a->gate.w.data || vd != HD)) return "gates for 4 heads";
    if (a->gate.w.data && a->gate.w.shape[0] != HEADS && a->gate.w.shape[0] != HEADS * vd)
        return "32 gates for 4 heads";
    if (a->v_norm.kind && !a->kv_back && KV * vd % HD) return "10 numbers in norms of 8";
    if (a->sub_norm.kind && HEADS * vd % HD) return "20 numbers in norms of 8";
    if (!b->network) return NULL;
    if (!b->ffn.gated && (b->ffn.limit > 0 || b->ffn.cut > 0)) return "limit and cut act on";
    return NULL;
}

/* ------------------------------------------------------------------ the oracle */

static void exact_map(const Linear *m, const double *x, double *y) {
    const float *w = m->w.data;
    size_t out = m->w.shape[0], in = m->w.shape[1];
    for (size_t r = 0; r < out; r++) {
        y[r] = m->bias ? (double)m->bias[r] : 0;
        for (size_t i = 0; i < in; i++) y[r] += (double)w[r * in + i] * x[i];
    }
}

static void exact_place(const Attention *a, const Norm *norm, size_t position, size_t heads,
                        double *x) {
    if (!a->norm_after_rope) exact_norm(norm, x, heads * HD);
    for (size_t h = 0; a->rope && h < heads; h++)
        for (size_t i = 0; i < a->rope->rotary / 2; i++) {
            double angle = (double)position * freq[i], size = (double)a->rope->magnitude,
                   *re = x + h * HD + i, *im = re + a->rope->rotary / 2, old = *re;
            *re = size * (old * cos(angle) - *im * sin(angle));
            *im = size * (old * sin(angle) + *im * cos(angle));
        }
    if (a->norm_after_rope) exact_norm(norm, x, heads * HD);
}

static void exact_clamp(const Attention *a, double *x, size_t n) {
    const double limit = a->clamp > 0 ? (double)a->clamp : INFINITY;
    for (size_t i = 0; i < n; i++) x[i] = fmax(-limit, fmin(limit, x[i]));
}

/* q, and in gate what opens the outputs (1: all) */
static void exact_query(const Attention *a, size_t position, const double *x, double *q,
                        double *gate) {
    const size_t vd = attention_value_dim(&a->shape);
    double both[2 * HEADS * HD], raw[HEADS * HD];
    for (size_t i = 0; i < HEADS * vd; i++) gate[i] = 1;
    exact_map(&a->q, x, a->gate_in_q ? both : q);
    for (size_t i = 0; a->gate_in_q && i < HEADS * HD; i++) {
        q[i] = both[i / HD * 2 * HD + i % HD];
        gate[i] = 1 / (1 + exp(-both[i / HD * 2 * HD + HD + i % HD]));
    }
    if (a->gate.w.data) exact_map(&a->gate, x, raw);
    for (size_t i = 0; a->gate.w.data && i < HEADS * vd; i++)
        gate[i] = 1 / (1 + exp(-raw[a->gate.w.shape[0] == HEADS ? i / vd : i]));
    exact_clamp(a, q, HEADS * HD);
    exact_place(a, &a->q_norm, position, HEADS, q);
    double from = (double)(position + a->temperature_from);
    for (size_t i = 0; i < HEADS * HD; i++)
        q[i] *=
            1 + (double)a->q_temperature * log(1 + floor(from / (double)a->temperature_ctx));
}

static void exact_key(const Attention *a, size_t position, const double *x, double *k,
                      double *v) {
    const size_t n = attention_v_width(&a->shape);
    exact_map(&a->k, x, k);
    if (a->v.w.data)
        exact_map(&a->v, x, v);
    else
        memcpy(v, k, n * sizeof *v);
    exact_norm(&a->v_norm, v, n);
    for (size_t i = 0; i < n; i++) v[i] *= a->v_scale != 0 ? (double)a->v_scale : 1;
    exact_clamp(a, k, KV * HD), exact_clamp(a, v, n);
    exact_place(a, &a->k_norm, position, KV, k);
}

/* out (T, D): attention of normed rows; keys and values of `from` (kv_back), or its own. */
static void exact_mixer(const Attention *a, const double *x, const double *old_k,
                        const double *old_v, double *out) {
    const size_t vd = attention_value_dim(&a->shape);
    double k[T * KV * HD], v[T * KV * HD], q[HEADS * HD], gate[HEADS * HD], mixed[HEADS * HD];
    for (size_t i = 0; i < T && !a->kv_back; i++)
        exact_key(a, i, x + i * D, k + i * KV * HD, v + i * KV * vd);
    for (size_t i = 0; i < T; i++) {
        exact_query(a, i, x + i * D, q, gate);
        for (size_t h = 0; h < HEADS; h++) {
            const ExactQuery at = {h, i, mask_range(a->shape.mask, i, T), NULL};
            exact_head(&a->shape, &at, q, a->kv_back ? old_k : k, a->kv_back ? old_v : v,
                       mixed + h * vd);
        }
        for (size_t n = 0; n < HEADS * vd; n++) mixed[n] *= gate[n];
        exact_norm(&a->sub_norm, mixed, HEADS * vd);
        exact_map(&a->o, mixed, out + i * D);
    }
}

static double exact_act(const FeedForward *f, double x) {
    if (f->act == ACT_RELU_SQUARED) return x > 0 ? x * x : 0;
    if (f->act == ACT_SILU) return x / (1 + exp(-x));
    const double p = (double)f->xielu.p, n = (double)f->xielu.n, beta = (double)f->xielu.beta;
    return beta * x + (x > 0 ? p * x * x : n * (expm1(fmin(x, (double)f->xielu.eps)) - x));
}

static void exact_network(const FeedForward *f, const double *x, double *out) {
    double a[HIDDEN], b[HIDDEN], mean = 0, square = 0,
                                 limit = f->limit > 0 ? (double)f->limit : INFINITY;
    exact_map(&f->net.up, x, b);
    if (f->gated) exact_map(&f->net.gate, x, a);
    for (size_t i = 0; f->cut > 0 && i < HIDDEN; i++) mean += a[i] / HIDDEN;
    for (size_t i = 0; f->cut > 0 && i < HIDDEN; i++)
        square += pow(a[i] - mean, 2) / (HIDDEN - 1);
    for (size_t i = 0; f->cut > 0 && i < HIDDEN; i++)
        a[i] = fmax(0, a[i] - mean - (double)f->cut * sqrt(square));
    for (size_t i = 0; i < HIDDEN; i++)
        a[i] = f->gated ? fmin(limit, exact_act(f, a[i])) * fmax(-limit, fmin(limit, b[i]))
                        : exact_act(f, b[i]);
    exact_norm(&f->sub_norm, a, HIDDEN);
    exact_map(&f->net.down, a, out);
}

static void exact_add(const Block *b, const Norm *post, double *branch, double *x) {
    for (size_t i = 0; i < T; i++) exact_norm(post, branch + i * D, D);
    for (size_t i = 0; i < T * D; i++)
        x[i] += (b->residual_scale != 0 ? (double)b->residual_scale : 1) * branch[i];
}

static void exact_normed(const Norm *norm, const double *x, double *out) {
    memcpy(out, x, T * D * sizeof *x);
    for (size_t i = 0; i < T; i++) exact_norm(norm, out + i * D, D);
}

static void exact_block(const Block *b, const double *old_k, const double *old_v, double *x) {
    double first[T * D], second[T * D], branch[T * D];
    bool parallel = b->wiring == &parallel_wiring;
    exact_normed(&b->attn_norm, x, first);
    exact_normed(parallel && !b->ffn_norm.kind ? &b->attn_norm : &b->ffn_norm, x, second);
    for (size_t m = 0; m < BLOCK_MIXERS && b->mixer[m]; m++) {
        exact_mixer(&b->attention, first, old_k, old_v, branch);
        exact_add(b, &b->attn_post_norm, branch, x);
    }
    if (!b->network) return;
    if (!parallel) exact_normed(&b->ffn_norm, x, second);
    for (size_t i = 0; i < T; i++) exact_network(&b->ffn, second + i * D, branch + i * D);
    exact_add(b, &b->ffn_post_norm, branch, x);
}

/* ------------------------------------------------------------------ the walk */

static float input(size_t i) { return sinf((float)i) + 0.2f; }

/* Layer 0 holds the plain block's keys and values, layer 1 is the block. */
static void run(const Block *b, const Block *below, float *x) {
    const Block both[2] = {*below, *b};
    KvShape shapes[2];
    Arena arena;
    KvCache kv;
    BlockRun work;
    int32_t sequence[T] = {0}, position[T];
    for (int l = 0; l < 2; l++) {
        const AttentionShape *s = &both[l].attention.shape;
        shapes[l] = (KvShape){.kv_heads = s->kv_heads,
                              .key_dim = s->head_dim,
                              .value_dim = attention_value_dim(s)};
    }
    for (int pass = 0; pass < 2; pass++) {
        if (pass == 0) arena_measure(&arena);
        if (pass == 1) assert_true(arena_init(&arena, arena.used, NULL));
        const BlockPlan plan = {
            .blocks = both, .count = 2, .dim = D, .rows = T, .ctx = MAX, .arena = &arena};
        kv_init(&kv, &(KvConfig){.shapes = shapes, .layers = 2, .sequences = 1, .ctx = MAX},
                &arena);
        block_run_init(&work, &plan);
    }
    assert_true(kv_extend(&kv, 0, T));
    for (int i = 0; i < T; i++) position[i] = i;
    const Batch batch = {.count = T, .sequence = sequence, .position = position};
    for (size_t l = 0; l < 2; l++) {
        for (size_t i = 0; i < T * D; i++) x[i] = input(i);
        block_forward(&both[l], &(Pass){&work, &kv, l, &batch, D}, x);
    }
    arena_free(&arena);
}

/* The block below has other weights and the same heads, so that its cache can be read. */
static Block block_below(const Block *b) {
    Block below = plain_block(ROOM / 2);
    if (b->attention.shape.value_dim) set_values(&below);
    return below;
}

static void exact(const Block *b, double *x) {
    double normed[T * D], k[T * KV * HD], v[T * KV * HD];
    Block below = block_below(b);
    for (size_t i = 0; i < T * D; i++) x[i] = (double)input(i);
    exact_normed(&below.attn_norm, x, normed);
    for (size_t i = 0; i < T; i++)
        exact_key(&below.attention, i, normed + i * D, k + i * KV * HD,
                  v + i * attention_v_width(&below.attention.shape));
    exact_block(b, k, v, x);
}

static Block asked_block;
static void ask(void) {
    float x[T * D];
    Block below = block_below(&asked_block);
    run(&asked_block, &below, x);
}

static void check_block(const Block *b, const char *first, const char *second) {
    float x[T * D];
    double want[T * D];
    const char *says = refusal(b);
    if (says) {
        asked_block = *b;
        check_abort(ask, says);
        return;
    }
    exact(b, want);
    Block below = block_below(b);
    run(b, &below, x);
    for (size_t i = 0; i < T * D; i++)
        if (!(fabs((double)x[i] - want[i]) <= 2e-5 * (1 + fabs(want[i]))))
            fail_msg("%s and %s: number %zu is %g, not %g", first, second, i, (double)x[i],
                     want[i]);
}

static void every_pair_acts(void **state) {
    (void)state;
    double before[T * D], after[T * D];
    Block plain = plain_block(0);
    exact(&plain, before);
    for (size_t i = 0; i < sizeof elsewhere / sizeof *elsewhere; i++)
        assert_non_null(elsewhere[i]);
    for (int i = 0; i < ROWS; i++)
        for (int j = i; j < ROWS; j++) {
            Block b = plain_block(0);
            rows[i].set(&b);
            if (i == j && !refusal(&b))
                exact(&b, after), check_acts(rows[i].field, before, after, T * D);
            if (i != j) rows[j].set(&b);
            check_block(&b, rows[i].field, rows[j].field);
        }
}

/* ------------------------------------------------------------------ values that are refused */

static void odd_rotary(Block *b) {
    static Rope wide;
    wide = rope, wide.rotary = HD + 2, b->attention.rope = &wide;
}
static void odd_clamp(Block *b) { b->attention.clamp = -1; }
static void odd_ctx(Block *b) { b->attention.temperature_ctx = 0; }
static void odd_down(Block *b) { b->ffn.net.down = matrix(D, HIDDEN + 1); }
static void odd_gate(Block *b) { b->ffn.gated = false; }
static void no_gate(Block *b) { b->ffn.net.gate = (Linear){.bias = NULL}; }
static void odd_xielu(Block *b) { b->ffn.act = ACT_XIELU; }
static void odd_clamped(Block *b) { set_plain(b), b->ffn.act = ACT_SWIGLU_CLAMPED; }
static void odd_limit(Block *b) { set_limit(b), b->ffn.act = ACT_SWIGLU_CLAMPED; }

static void sizes_that_do_not_fit_are_refused(void **state) {
    (void)state;
    static const struct Odd {
        void (*set)(Block *);
        const char *says;
    } odd[] = {{odd_rotary, "rotary of"},        {odd_clamp, "clamp or"},
               {odd_ctx, "temperature_ctx"},     {odd_down, "a network of 10 gates"},
               {odd_gate, "a network of 10"},    {no_gate, "a network of 0 gates"},
               {odd_xielu, "xIELU without one"}, {odd_clamped, "needs a gate"},
               {odd_limit, "needs a gate"}};
    for (size_t i = 0; i < sizeof odd / sizeof *odd; i++) {
        Block b = plain_block(0);
        odd[i].set(&b);
        asked_block = b;
        check_abort(ask, odd[i].says);
    }
}

RUN(TEST(every_pair_acts), TEST(sizes_that_do_not_fit_are_refused))
