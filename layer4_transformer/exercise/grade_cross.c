/* The graders of relative positions and of cross attention. */
#include "parts.h"

#include <math.h>

/* ------------------------------------------------------------------ buckets of distances */

/* The bucket of distance n among `own`, by comparing with the logarithm's borders. */
static size_t bucket_wanted(size_t n, size_t own) {
    double e = (double)(own / 2), far = e;
    if ((double)n < e) return n;
    while (far + 1 < (double)own &&
           log((double)n / e) * ((double)own - e) >= (far + 1 - e) * log(128 / e) - 1e-9)
        far++;
    return (size_t)far;
}

static void check_buckets(size_t buckets, bool both) {
    const size_t own = both ? buckets / 2 : buckets;
    COUNT(relative_bucket(0, buckets, both), 0, "%zu buckets: that of the query itself",
          buckets);
    for (ptrdiff_t n = 1; n < 400; n++) {
        size_t before = relative_bucket(-n, buckets, both),
               after = relative_bucket(n, buckets, both),
               wanted = bucket_wanted((size_t)n, own);
        HINT(both || after == 0,
             "%zu buckets, text that is written: a key %td tokens later has bucket %zu; no "
             "query "
             "looks there, so all of them share bucket 0",
             buckets, n, after);
        HINT(!both || after != before,
             "both ways: keys %td tokens before and after share bucket %zu; each direction has "
             "half of the buckets",
             n, before);
        HINT(before < own || n < 128,
             "%zu buckets: a distance of %td has bucket %zu: the last "
             "one has no end",
             buckets, n, before);
        HINT(
            !both || after < buckets || n >= 128,
            "both ways, %zu buckets: a key %td tokens later has bucket %zu; each direction has "
            "half of the buckets",
            buckets, n, after);
        HINT(
            !both || before < own,
            "both ways: distance is key - query, so a key %td tokens before it is at -%td, and "
            "those have the first half of the buckets",
            n, n);
        HINT((size_t)n >= own / 2 || before == (size_t)n,
             "%zu buckets for this direction: a distance of %td has bucket %zu; short ones, "
             "below half of the buckets, have one each",
             own, n, before);
        HINT(before != (size_t)n || wanted == (size_t)n,
             "%zu buckets for this direction: a distance of %td has one of its own; only short "
             "ones, below half of the buckets, do",
             own, n);
        double exact = (double)(own / 2),
               step = log((double)n / exact) * ((double)own - exact) / log(128 / exact);
        if ((size_t)n > own / 2 && (size_t)n < 128 && fabs(step - round(step)) < 1e-6)
            continue; /* a border that rounding decides */
        COUNT(
            before, wanted,
            "%zu buckets for this direction: that of a distance of %td (e + floor(ln(n / e) / "
            "ln(128 / e) * (%zu - e)), e = %zu)",
            own, n, own, own / 2);
        if (both)
            COUNT(after, own + wanted, "both ways, %zu buckets: that of a key %td tokens later",
                  buckets, n);
    }
}

static void check_added(size_t heads, size_t buckets, bool both) {
    enum { KEYS = 40 };
    float table[16 * RELATIVE_BUCKETS], scores[KEYS], was[KEYS];
    Relative r = {.table = table};
    size_t query = fresh_below(600), first = fresh_below(600), head = fresh_below(heads);
    if (fresh_below(8) == 0) query += 40000 + 65536 * fresh_below(2);
    fresh_floats(table, heads * buckets, -2, 2), fresh_floats(was, KEYS, -5, 5);
    memcpy(scores, was, sizeof scores);
    relative_init(&r, heads, buckets, both);
    relative_add(&r, head, query, first, KEYS - 1, scores);
    for (size_t j = 0; j + 1 < KEYS; j++) {
        size_t bucket =
            relative_bucket((ptrdiff_t)(first + j) - (ptrdiff_t)query, buckets, both);
        float bias = table[bucket * heads + head];
        HINT(scores[j] != bias, "the bias is added to the score, it does not replace it");
        NUMBER(scores[j], was[j] + bias, 1e-6,
               "head %zu of %zu, query %zu, key %zu: the score of key first + j with "
               "table[bucket * heads + head]; farther than RELATIVE_FAR the map ends",
               head, heads, query, first + j);
    }
    HINT(scores[KEYS - 1] == was[KEYS - 1],
         "there are n scores: the one behind them is not yours");
}

GRADE(distances) {
    check_buckets(32, true), check_buckets(32, false), check_buckets(8, true);
    check_buckets(10, true), check_buckets(22, true), check_buckets(7, true),
        check_buckets(7, false);
    check_buckets(RELATIVE_BUCKETS, false);
    for (int round = 0; round < 200; round++)
        check_added(1 + fresh_below(6), 4 + 2 * fresh_below(20), round % 2);
}

/* ------------------------------------------------------------------ cross attention */

enum { HEADS = 4, KV = 2, LONG = 70, SHORT = 5, SOURCES = LONG + SHORT, TEXT = 7, WIDE = 90 };

static float rows[SOURCES * DIM], asked[TEXT * DIM], got[TEXT * DIM];
static int32_t of[SOURCES], at[SOURCES], from[TEXT], behind[TEXT];

/* Rows of two sources, shuffled, and tokens of both texts. */
static void fresh_rows(void) {
    int32_t next[2] = {0, 0}, left[2] = {SHORT, LONG};
    for (int i = 0; i < SOURCES; i++) {
        int s = !left[0] || (left[1] && fresh_below(SOURCES) >= SHORT);
        of[i] = s, at[i] = next[s]++, left[s]--;
    }
    for (int i = 0; i < TEXT; i++) {
        from[i] = (int32_t)fresh_below(2);
        behind[i] = (int32_t)(from[i] ? LONG : SHORT) + (int32_t)fresh_below(3);
    }
    fresh_floats(rows, SOURCES * DIM, -1, 1), fresh_floats(asked, TEXT * DIM, -1, 1);
}

static void map_of(const Linear *m, const float *x, double *y) {
    for (size_t r = 0; r < m->w.shape[0]; r++) {
        y[r] = (double)m->bias[r];
        for (size_t c = 0; c < m->w.shape[1]; c++)
            y[r] += (double)((const float *)m->w.data)[r * m->w.shape[1] + c] * (double)x[c];
    }
}

typedef enum { LOOKS, RAW_Q, NO_OUT, ALL_SOURCES, LOOK_SLIPS } Look;
static const char *const look_hints[LOOK_SLIPS] = {
    [RAW_Q] = "queries are q times the text's rows, not these rows themselves",
    [NO_OUT] = "what the heads bring goes through o",
    [ALL_SOURCES] = "a token looks at the source of its own sequence alone"};

/* What token i gets (DIM), in double. */
static void look_wanted(const Attention *a, int i, Look slip, double *out) {
    double q[WIDE], k[WIDE], v[WIDE], mixed[WIDE] = {0};
    float narrow[WIDE];
    size_t hd = a->shape.head_dim, vd = attention_value_dim(&a->shape);
    map_of(&a->q, asked + i * DIM, q);
    for (size_t d = 0; d < WIDE && slip == RAW_Q; d++)
        q[d] = d < DIM ? (double)asked[i * DIM + (int)d] : 0;
    for (size_t h = 0; h < HEADS; h++) {
        double sum = 0;
        for (int s = 0; s < SOURCES; s++) {
            if (of[s] != from[i] && slip != ALL_SOURCES) continue;
            double score = 0;
            map_of(&a->k, rows + s * DIM, k), map_of(&a->v, rows + s * DIM, v);
            const size_t of_kv = h / (HEADS / KV);
            for (size_t d = 0; d < hd; d++) score += q[h * hd + d] * k[of_kv * hd + d];
            double weight = exp(score * (double)a->shape.scale);
            sum += weight;
            for (size_t d = 0; d < vd; d++) mixed[h * vd + d] += weight * v[of_kv * vd + d];
        }
        for (size_t d = 0; d < vd; d++) mixed[h * vd + d] /= sum;
    }
    for (size_t d = 0; d < HEADS * vd; d++) narrow[d] = (float)mixed[d];
    map_of(&a->o, narrow, out);
    for (int d = 0; d < DIM && slip == NO_OUT; d++) out[d] = mixed[d];
}

static bool as_wanted(const Attention *a, Look slip) {
    for (int i = 0; i < TEXT; i++) {
        double want[DIM];
        look_wanted(a, i, slip, want);
        for (int d = 0; d < DIM; d++)
            if (!close_to((double)got[i * DIM + d], want[d], 1e-4)) return false;
    }
    return true;
}

/* The keys are stored at the right positions. */
static void check_keys(const KvCache *kv, const Attention *a) {
    const size_t hd = a->shape.head_dim;
    float key[HEAD];
    double want[WIDE], value[WIDE];
    for (int i = 0; i < SOURCES; i++) {
        map_of(&a->k, rows + i * DIM, want), map_of(&a->v, rows + i * DIM, value);
        for (size_t h = 0; h < KV; h++) {
            kv_read_key(kv, (KvHead){1, (size_t)of[i], h}, (size_t)at[i], key);
            HINT(!close_to((double)key[0], value[h * hd], 1e-5) ||
                     close_to((double)key[0], want[h * hd], 1e-5),
                 "what is kept as a key is v times the row: keys are k times it");
            for (size_t d = 0; d < hd; d++)
                NUMBER(
                    key[d], want[h * hd + d], 1e-5,
                    "row %d of the batch is position %d of sequence %d: number %zu of its key "
                    "in head %zu of layer 1 of the memory",
                    i, at[i], of[i], d, h);
        }
    }
}

static void keep_and_look(Pool *pool, const Cross *c, Arena *arena, KvCache *kv) {
    const AttentionShape *s = &c->attention.shape;
    const KvShape shape = {s->kv_heads, s->head_dim, attention_value_dim(s), 0, 0},
                  shapes[2] = {shape, shape};
    KvConfig config = {.shapes = shapes, .layers = 2, .sequences = 2, .ctx = 128};
    AttentionSizes sizes = {0};
    AttentionRun run;
    Fault fault;
    attention_sizes_include(&sizes, &c->attention);
    for (int pass = 0; pass < 2; pass++) {
        if (pass == 0) arena_measure(arena);
        if (pass == 1) NEED(arena_init(arena, arena->used, &fault));
        kv_init(kv, &config, arena), attention_run_init(&run, SOURCES, &sizes, arena);
    }
    NEED(kv_extend(kv, 0, 100) && kv_extend(kv, 1, 100));
    kv->source[0] = SHORT, kv->source[1] = LONG;
    Batch source = {SOURCES, NULL, of, at, NULL, NULL},
          text = {TEXT, NULL, from, behind, NULL, NULL};
    cross_keep(pool, c, &run, kv, 1, &source, rows);
    check_keys(kv, &c->attention);
    cross_forward(pool, c, &run, kv, 1, &text, asked, got);
}

GRADE(cross) {
    float gain[DIM];
    Fault fault;
    Pool *pool = pool_open(3, false, &fault);
    NEED(pool);
    for (int round = 0; round < 6; round++) {
        size_t own = round == 2 ? 0 : 3 + fresh_below(6), value = own ? own : HEAD;
        Arena arena;
        KvCache kv;
        used = 0, fresh_rows();
        Cross c = {.attention = {.q = linear_map(HEADS * HEAD, DIM),
                                 .k = linear_map(KV * HEAD, DIM),
                                 .v = linear_map(KV * value, DIM),
                                 .o = linear_map(DIM, HEADS * value),
                                 .shape = {.heads = HEADS,
                                           .kv_heads = KV,
                                           .head_dim = HEAD,
                                           .value_dim = own,
                                           .scale = 0.3f,
                                           .cross = true}}};
        fresh_floats(gain, DIM, 2, 3);
        c.norm = (Norm){.kind = NORM_RMS, .width = DIM, .eps = 1e-5f, .gain = gain};
        keep_and_look(round % 2 ? pool : NULL, &c, &arena, &kv);
        for (Look s = RAW_Q; s < LOOK_SLIPS && !as_wanted(&c.attention, LOOKS); s++)
            HINT(!as_wanted(&c.attention, s), "%s", look_hints[s]);
        for (int i = 0; i < TEXT; i++) {
            double want[DIM];
            look_wanted(&c.attention, i, LOOKS, want);
            for (int d = 0; d < DIM; d++)
                NUMBER(got[i * DIM + d], want[d], 1e-4,
                       "keys are where they belong, and what token %d of the text gets is not "
                       "the source's values, weighted, through o: number %d (x is normed "
                       "already, and a value is "
                       "kv_heads * value_dim numbers of a row of v)",
                       i, d);
        }
        arena_free(&arena);
    }
    pool_close(pool);
}

GRADES({"4.22", distances}, {"4.23", cross})
