/* The graders of attention page by page. */
#include "shapes.h"

/* Typical mistakes in the loop over pages. */
typedef enum Slip {
    NO_SLIP,
    SUM_STAYS,
    MEAN_STAYS,
    PAGE_BY_ITSELF,
    NOT_DIVIDED_BY_SUM,
    WHOLE_PAGES,
    LAST_PAGE_ONLY,
    FIRST_PAGE_ONLY,
    TO_PAGES_END,
    SLIPS
} Slip;

static const char *const slip_hints[SLIPS] = {
    [SUM_STAYS] = "when a larger score comes, the sum so far shrinks by exp(old max - new max)",
    [MEAN_STAYS] = "when a larger score comes, what was added up of the values shrinks by "
                   "exp(old max - new max)",
    [PAGE_BY_ITSELF] = "each page is measured by its own maximum: it must be the largest score "
                       "of all so far, and what "
                       "came before shrinks to it",
    [NOT_DIVIDED_BY_SUM] = "in the end the mean is divided by the sum of all weights",
    [WHOLE_PAGES] =
        "the first page begins where the mask begins, not at the page's first position",
    [LAST_PAGE_ONLY] =
        "only the last page is left in the result: sum and mean go on from page to page",
    [TO_PAGES_END] =
        "later tokens of the last page are seen: the walk ends where the mask ends",
    [FIRST_PAGE_ONLY] =
        "the walk ends after its first page: it must go on to the end of what the mask shows",
};

/* One row of one head, page by page, from the textbook's scores. */
static void walk_row(const AttentionShape *s, size_t n, size_t i, size_t head, Slip slip,
                     float *result) {
    size_t vd = attention_value_dim(s), hd = s->head_dim,
           shared = head / (s->heads / s->kv_heads);
    Range seen = mask_range(s->mask, i, n);
    double max = s->sinks ? (double)s->sinks[head] : -INFINITY, sum = s->sinks ? 1 : 0,
           mean[MOST_DIM] = {0};
    if (slip == WHOLE_PAGES) seen.begin = seen.begin / KV_PAGE * KV_PAGE;
    for (size_t first = seen.begin; first < seen.end;) {
        size_t end = (first / KV_PAGE + 1) * KV_PAGE;
        double most = -INFINITY, score[KV_PAGE];
        size_t last = slip == TO_PAGES_END ? n : seen.end;
        if (end > last) end = last;
        for (size_t j = first; j < end; j++) {
            score[j - first] =
                textbook_score(s, head, i, j,
                               textbook_dot(q + (i * s->heads + head) * hd,
                                            k + (j * s->kv_heads + shared) * hd, hd),
                               NO_MISTAKE);
            most = fmax(most, score[j - first]);
        }
        double now = slip == PAGE_BY_ITSELF ? most : fmax(most, max), shrink = exp(max - now);
        if (slip == PAGE_BY_ITSELF) shrink = 1;
        if (slip != SUM_STAYS) sum *= slip == LAST_PAGE_ONLY ? 0 : shrink;
        for (size_t d = 0; d < vd && slip != MEAN_STAYS; d++)
            mean[d] *= slip == LAST_PAGE_ONLY ? 0 : shrink;
        max = now;
        for (size_t j = first; j < end; j++) {
            double weight = exp(score[j - first] - max);
            sum += weight;
            for (size_t d = 0; d < vd; d++)
                mean[d] += weight * (double)v[(j * s->kv_heads + shared) * vd + d];
        }
        first = slip == FIRST_PAGE_ONLY ? seen.end : end;
    }
    for (size_t d = 0; d < vd; d++)
        result[d] = (float)(mean[d] / (slip == NOT_DIVIDED_BY_SUM ? 1 : sum));
}

static Dtype stored = DTYPE_F32; /* format of the cache */

/* A cache of two sequences and two layers, which differ in shape: n tokens of k and v in the
 * second, others in the first. */
static void remember(KvCache *kv, Arena *arena, const AttentionShape *s, size_t n) {
    static float noise[WIDE];
    Fault fault;
    KvShape shape = {.kv_heads = s->kv_heads,
                     .key_dim = s->head_dim,
                     .value_dim = attention_value_dim(s)},
            shapes[2] = {shape, shape};
    KvConfig config = {
        .shapes = shapes, .layers = 2, .sequences = 2, .ctx = N, .dtype = stored};
    shapes[0].key_dim = div_up(shape.key_dim, 2);
    arena_measure(arena);
    kv_init(kv, &config, arena);
    NEED(arena_init(arena, arena->used, &fault));
    kv_init(kv, &config, arena);
    NEED(kv_extend(kv, 0, 70) && kv_extend(kv, 1, n));
    fresh_floats(noise, WIDE, -9, 9);
    for (size_t i = 0; i < n; i++) {
        kv_store(kv, 0, 1, i, noise, noise);
        kv_store(kv, 1, 1, i, k + i * s->kv_heads * s->head_dim,
                 v + i * s->kv_heads * attention_value_dim(s));
    }
}

static void ask(const AttentionShape *s, const KvCache *kv, size_t first, size_t count) {
    int32_t sequence[N], position[N];
    for (size_t i = 0; i < count; i++) sequence[i] = 1, position[i] = (int32_t)(first + i);
    attention_online(
        NULL, s, kv, 1, &(Batch){.count = count, .sequence = sequence, .position = position},
        q + first * s->heads * s->head_dim, out + first * s->heads * attention_value_dim(s));
}

/* The same queries in another order, the first of the other sequence. */
static void ask_shuffled(const AttentionShape *s, const KvCache *kv, size_t n, double bound,
                         const char *where) {
    static float turned[N * WIDE], got[N * WIDE];
    int32_t sequence[N] = {0}, position[N] = {0};
    size_t in = s->heads * s->head_dim, row = s->heads * attention_value_dim(s);
    for (size_t i = 1; i < n; i++) sequence[i] = 1, position[i] = (int32_t)i;
    for (size_t i = n - 1; i > 1; i--) {
        size_t at = 1 + fresh_below(i);
        int32_t keep = position[i];
        position[i] = position[at], position[at] = keep;
    }
    for (size_t i = 0; i < n; i++)
        memcpy(turned + i * in, q + (size_t)position[i] * in, in * sizeof *q);
    attention_online(NULL, s, kv, 1,
                     &(Batch){.count = n, .sequence = sequence, .position = position}, turned,
                     got);
    for (size_t i = 1; i < n; i++)
        HINT(all_near(got + i * row, want + (size_t)position[i] * row, row, bound),
             "%s: rows of a batch may be in any order and belong to several texts: row %zu is "
             "at position[%zu] = %d of sequence[%zu] = %d",
             where, i, i, position[i], i, sequence[i]);
}

/* One query, whose heads are split among threads. */
static void ask_divided(Pool *pool, const AttentionShape *s, const KvCache *kv, double bound,
                        const char *where) {
    enum { AT = 2 }; /* where a sink has weight */
    size_t row = s->heads * attention_value_dim(s);
    attention_online(
        pool, s, kv, 1,
        &(Batch){.count = 1, .sequence = (int32_t[]){1}, .position = (int32_t[]){AT}},
        q + AT * s->heads * s->head_dim, other);
    HINT(all_near(other, want + AT * row, row, bound),
         "%s: one query, whose query heads are divided among threads: a task has `heads` of "
         "them, from `head` on, and these need not be all of their group",
         where);
}

/* NaN must propagate to every query that sees its key. */
static void ask_nan(const AttentionShape *s, KvCache *kv, size_t n, const char *where) {
    size_t row = s->heads * attention_value_dim(s), at = n / 2,
           width = s->kv_heads * s->head_dim;
    static float spoiled[WIDE];
    memcpy(spoiled, k + at * width, width * sizeof *k), spoiled[0] = NAN;
    kv_store(kv, 1, 1, at, spoiled, v + at * s->kv_heads * attention_value_dim(s));
    ask(s, kv, 0, n);
    for (size_t i = 0; i < n; i++) {
        Range seen = mask_range(s->mask, i, n);
        HINT(seen.begin > at || seen.end <= at || isnan(out[i * row]),
             "%s: a score that is NaN passes through to the result, which is %g", where,
             (double)out[i * row]);
    }
}

static void by_pages(Pool *pool, const AttentionShape *s, size_t n, double bound,
                     const char *where) {
    KvCache kv;
    Arena arena;
    size_t row = s->heads * attention_value_dim(s);
    remember(&kv, &arena, s, n);
    for (size_t i = 0; i < n * row; i++) out[i] = NAN;
    ask(s, &kv, 0, n);
    textbook(s, n, q, k, v, NO_MISTAKE, want);
    if (all_near(out, want, n * row, bound)) {
        ask_shuffled(s, &kv, n, bound, where);
        ask_divided(pool, s, &kv, bound, where);
        ask_nan(s, &kv, n, where);
        arena_free(&arena);
        return;
    }
    HINT(all_finite(out, n * row) || attention_value_dim(s) == s->head_dim,
         "%s: numbers of out are NaN or infinite, or were not written: a value has "
         "attention_value_dim() numbers, which need not be head_dim",
         where);
    HINT(all_finite(out, n * row),
         "%s: some numbers are NaN or infinite: exp of a score is too large for a "
         "float, or the sum is 0; take the largest score of all so far away before exp, and "
         "let what "
         "came before shrink by exp(old max - new max)",
         where);
    for (Slip slip = 1; slip < SLIPS; slip++) {
        for (size_t i = 0; i < n; i++)
            for (size_t head = 0; head < s->heads; head++)
                walk_row(s, n, i, head, slip, other + i * row + head * attention_value_dim(s));
        HINT(!all_near(out, other, n * row, bound), "%s: %s", where, slip_hints[slip]);
    }
    name_mistake(s, n, bound, where);
}

/* A text behind a source, both causal; then attention across, which reads the whole source. */
static void ask_source(AttentionShape s, size_t n, size_t source) {
    size_t row = s.heads * attention_value_dim(&s), in = s.heads * s.head_dim,
           keys = s.kv_heads * s.head_dim, values = s.kv_heads * attention_value_dim(&s);
    KvCache kv;
    Arena arena;
    make_numbers(&s, n, 4);
    remember(&kv, &arena, &s, n);
    kv.source[1] = source;
    ask(&s, &kv, 0, n);
    textbook(&s, source, q, k, v, NO_MISTAKE, want);
    textbook(&s, n - source, q + source * in, k + source * keys, v + source * values,
             NO_MISTAKE, want + source * row);
    HINT(all_near(out, want, n * row, 1e-4),
         "a cache that begins with a source of %zu tokens (kv->source), and a text behind it: "
         "a row reads what attention_range() says, and the text does not see the source",
         source);
    s.cross = true;
    ask(&s, &kv, 0, source);
    s.mask.causal = false;
    textbook(&s, source, q, k, v, NO_MISTAKE, want);
    arena_free(&arena);
    HINT(all_near(out, want, source * row, 1e-4),
         "cross attention: each row reads the whole source (%zu tokens), whatever the mask "
         "says: ask attention_range() for the positions",
         source);
}

/* Keys and queries in bytes: how they are prepared depends on the layer's key_dim. */
static void ask_bytes(void) {
    enum { TOKENS = 100 };
    AttentionShape s = shape_number(1);
    s.heads = 4, s.head_dim = 64;
    KvCache kv;
    Arena arena;
    make_numbers(&s, TOKENS, 4);
    stored = DTYPE_Q8_0;
    remember(&kv, &arena, &s, TOKENS);
    stored = DTYPE_F32;
    ask(&s, &kv, 0, TOKENS);
    arena_free(&arena);
    textbook(&s, TOKENS, q, k, v, NO_MISTAKE, want);
    HINT(all_near(out, want, TOKENS * s.heads * s.head_dim, 0.1),
         "a cache in Q8_0, whose layers differ in key_dim: kv_query() prepares the queries for "
         "the layer of the task (t->layer)");
}

/* Scores that rise from page to page, fall, or peak in the middle one. */
static void tilt(const AttentionShape *s, size_t n, int way) {
    for (size_t j = 0; j < n; j++) {
        size_t page = j / KV_PAGE;
        double level = way == 0 ? (double)page : way == 1 ? -(double)page : page == 1 ? 2 : 0;
        for (size_t d = 0; d < s->kv_heads * s->head_dim; d++)
            k[j * s->kv_heads * s->head_dim + d] = (float)(level + fresh_between(-0.1, 0.1));
    }
    for (size_t i = 0; i < n * s->heads * s->head_dim; i++)
        q[i] = (float)fresh_between(150, 200) / (s->scale * (float)s->head_dim);
}

GRADE(online) {
    Fault fault;
    Pool *pool = pool_open(8, false, &fault);
    NEED(pool);
    static const char *const ways[] = {"scores that rise by 200 from page to page",
                                       "scores that fall by 200 from page to page",
                                       "the largest scores in the second of three pages"};
    AttentionShape s = shape_number(1);
    for (int way = 0; way < 3; way++) {
        make_numbers(&s, 200, 4);
        tilt(&s, 200, way);
        by_pages(pool, &s, 200, 2e-2, ways[way]);
    }
    for (size_t i = 0; i < 200 * s.kv_heads * s.head_dim; i++) k[i] = -1;
    for (size_t i = 0; i < 200 * s.heads * s.head_dim; i++)
        q[i] = 1000 / (s.scale * (float)s.head_dim);
    by_pages(pool, &s, 200, 5e-3, "all scores at -1000");
    AttentionShape many = {
        .heads = 20, .kv_heads = 1, .head_dim = 8, .scale = 0.3f, .mask = {.causal = true}};
    make_numbers(&many, 70, 4);
    by_pages(pool, &many, 70, 1e-4, "twenty query heads of one key-value head");
    s = shape_number(0);
    make_numbers(&s, 590, 4);
    by_pages(pool, &s, 590, 1e-4, "ten pages");
    make_numbers(&s, N, 4);
    by_pages(pool, &s, N, 1e-4, "a long text");
    for (int part = 0; part < PARTS; part++) {
        s = shape_number(part);
        size_t n = 140 + fresh_below(60);
        if (part == 2) s.mask.window = 90 + fresh_below(30);
        if (part == 8) s.mask.chunk = 100;
        make_numbers(&s, n, 4);
        by_pages(pool, &s, n, 1e-4, part_names[part]);
    }
    ask_source(shape_number(1), 190, 100);
    ask_bytes();
    pool_close(pool);
}

/* ------------------------------------------------------------------ what is broken */

GRADE(ahead) {
    AttentionShape s = shape_number(1);
    KvCache kv;
    Arena arena;
    size_t n = 90, row = s.heads * s.head_dim;
    make_numbers(&s, n, 4);
    remember(&kv, &arena, &s, n);
    for (size_t i = 0; i < n; i++) {
        kv_truncate(&kv, 1, 0);
        NEED(kv_extend(&kv, 1, i + 1)); /* the same pages again, up to the mistake */
        for (size_t j = 0; j <= i; j++)
            kv_store(&kv, 1, 1, j, k + j * s.kv_heads * s.head_dim,
                     v + j * s.kv_heads * s.head_dim);
        ask(&s, &kv, i, 1);
    }
    memcpy(want, out, n * row * sizeof *out);
    ask(&s, &kv, 0, n);
    arena_free(&arena);
    for (size_t i = 0; i < n; i++)
        SYMPTOM(memcmp(out + i * row, want + i * row, row * sizeof *out) == 0,
                "the same text read in one batch and token by token should give the same to "
                "the bit.  Token %zu: %g in "
                "one batch, %g token by token (the last token is the same in both)",
                i, (double)out[i * row], (double)want[i * row]);
    textbook(&s, n, q, k, v, NO_MISTAKE, other);
    SYMPTOM(all_near(out, other, n * row, 1e-4),
            "a text read in one batch and token by token gives the same now, but not what the "
            "textbook's attention "
            "gives: %g, not %g",
            (double)out[0], (double)other[0]);
}

GRADES({"4.6", online}, {"4.7", ahead})
