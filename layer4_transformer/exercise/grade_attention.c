/* The graders of attention: by the textbook, its mask, and page by page. */
#include "textbook.h"

enum { N = 210, WIDE = 20 * 16 };

static float q[N * WIDE], k[N * WIDE], v[N * WIDE], out[N * WIDE], want[N * WIDE],
    other[N * WIDE], scores[N + 2];

/* Random numbers for n tokens of a shape; scores are within `size`. */
static void make_numbers(const AttentionShape *s, size_t n, double size) {
    double each = sqrt(size / ((double)s->head_dim * (double)s->scale));
    fresh_floats(q, n * s->heads * s->head_dim, -each, each);
    fresh_floats(k, n * s->kv_heads * s->head_dim, -each, each);
    fresh_floats(v, n * s->kv_heads * attention_value_dim(s), -2, 2);
}

/* The shape in whole: every part of it in turn. */
static AttentionShape shape_number(int part) {
    static float sinks[20];
    AttentionShape s = {.heads = 2, .kv_heads = 2, .head_dim = 3, .mask = {.causal = true}};
    if (part > 0) s.heads = 6, s.kv_heads = 2, s.head_dim = 4 + fresh_below(8);
    if (part == 2) s.mask.window = 2 + fresh_below(3);
    if (part == 3) s.mask.causal = false;
    if (part == 4) s.value_dim = s.head_dim + 1 + fresh_below(3);
    if (part == 5) s.softcap = 2;
    if (part == 6) s.max_bias = 8;
    if (part == 7) s.sinks = sinks, fresh_floats(sinks, 6, -2, 2);
    if (part == 8) s.mask.chunk = 3;
    s.scale = (float)fresh_between(0.2, 0.5);
    return s;
}
enum { PARTS = 9 };
static const char *const part_names[PARTS] = {"each head with keys of its own",
                                              "heads that share keys",
                                              "a window",
                                              "a mask that looks both ways",
                                              "values wider than keys",
                                              "a soft cap",
                                              "a bias by distance",
                                              "a sink in every softmax",
                                              "chunks"};

/* Name the mistake if it is a known one, else show both numbers. */
static void name_mistake(const AttentionShape *s, size_t n, double bound, const char *where) {
    size_t numbers = n * s->heads * attention_value_dim(s);
    textbook(s, n, q, k, v, NO_MISTAKE, want);
    if (all_near(out, want, numbers, bound)) return;
    HINT(all_finite(out, numbers),
         "%s: there are numbers that are none (nan or inf): is out 0 before anything is added, "
         "does the softmax take only scores that were computed, and is the largest taken away "
         "before exp?",
         where);
    for (Mistake m = 1; m < MISTAKES; m++) {
        textbook(s, n, q, k, v, m, other);
        HINT(!all_near(out, other, numbers, bound), "%s: %s", where, mistake_hints[m]);
    }
    NUMBERS(out, want, numbers, bound,
            "%s: score = attention_score(scale * q.k), softmax over the keys in range, then "
            "the sum of weight * value; "
            "row %zu numbers of heads side by side",
            where, s->heads * attention_value_dim(s));
}

static void by_textbook(const AttentionShape *s, size_t n, double bound, const char *where) {
    for (size_t i = 0; i < n * s->heads * attention_value_dim(s); i++) out[i] = NAN;
    scores[n + 1] = 7;
    attention(s, n, q, k, v, out, scores);
    HINT(scores[n + 1] == 7, "scores has room for n + 1 numbers: for the keys, and for a sink");
    name_mistake(s, n, bound, where);
}

GRADE(three_loops) {
    for (int part = 0; part < PARTS; part++)
        for (int round = 0; round < 2; round++) { /* the same addresses, other numbers */
            AttentionShape s = shape_number(part);
            size_t n = 4 + fresh_below(8);
            make_numbers(&s, n, 4);
            by_textbook(&s, n, 1e-4, part_names[part]);
        }
    AttentionShape s = shape_number(1);
    make_numbers(&s, 20, 1000);
    by_textbook(&s, 20, 5e-3, "scores up to 200 and beyond");
    for (size_t i = 0; i < 20 * s.kv_heads * s.head_dim; i++) k[i] = -1;
    for (size_t i = 0; i < 20 * s.heads * s.head_dim; i++)
        q[i] = 1000 / (s.scale * (float)s.head_dim);
    by_textbook(&s, 20, 5e-3, "all scores at -1000");
    s = shape_number(1);
    make_numbers(&s, 90, 4);
    by_textbook(&s, 90, 1e-4, "ninety tokens");
}

/* ------------------------------------------------------------------ masks */

/* A mask's picture, one place of it. */
static bool sees(Mask m, size_t query, size_t key) {
    size_t away = key > query ? key - query : query - key;
    if (!m.causal) return !m.window || away <= m.window / 2;
    return key <= query && (!m.window || query - key < m.window) &&
           (!m.chunk || key / m.chunk == query / m.chunk);
}

static const char *mask_words(Mask m, Range got, size_t query) {
    if (!m.causal) return "without a causal mask both_ways() says what a token sees";
    if (got.end == query) return "a token sees itself, too: end is one past the last it sees";
    if (got.end != query + 1)
        return "a causal mask ends with the token itself: end is query + 1";
    if (m.window && got.begin == query + 2 - m.window)
        return "a window of w is the token itself and w - 1 before it";
    if (got.begin > query)
        return "a window larger than the text begins at 0: unsigned numbers have no -1";
    if (m.window && m.chunk)
        return "with a window and chunks both hold: the later beginning counts";
    if (m.chunk) return "a chunk begins at the last multiple of its size";
    return m.window ? "a window of w is the token itself and w - 1 before it"
                    : "without a window a token sees all before it";
}

GRADE(mask) {
    for (size_t length = 1; length < 14; length++)
        for (size_t query = 0; query < length; query++)
            for (size_t at = 0; at < 2 * 16 * 7; at++) {
                Mask m = {.causal = at % 2 == 0, .window = at / 2 % 16, .chunk = at / 32};
                Range r = mask_range(m, query, length), w = {length, 0};
                for (size_t key = length; key-- > 0;)
                    if (sees(m, query, key)) w = (Range){key, w.end ? w.end : key + 1};
                HINT(r.begin == w.begin && r.end == w.end,
                     "%s\n  %s, window %zu, chunk %zu, token %zu of %zu: expected %zu .. %zu, "
                     "got %zu .. %zu",
                     mask_words(m, r, query), m.causal ? "causal" : "both ways", m.window,
                     m.chunk, query, length, w.begin, w.end, r.begin, r.end);
            }
    size_t far = 1000000 + fresh_below(1000000);
    COUNT(mask_range((Mask){.causal = true, .window = 4096}, far, far + 9).begin, far - 4095,
          "a window of 4096 far into a text, token %zu", far);
}

/* ------------------------------------------------------------------ page by page */

/* What becomes of a walk over pages that gets it wrong. */
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
        "the walk ends after its first page: it goes on to the end of what the mask shows",
};

/* One row of one head, with the scores of the textbook, page by page. */
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

/* The memory of two sequences: the second one holds n tokens of k and v, the first some others. */
static void remember(KvCache *kv, Arena *arena, const AttentionShape *s, size_t n) {
    static float noise[WIDE];
    Fault fault;
    KvShape shape = {.kv_heads = s->kv_heads,
                     .key_dim = s->head_dim,
                     .value_dim = attention_value_dim(s)},
            shapes[2] = {shape, shape};
    KvConfig config = {.shapes = shapes, .layers = 2, .sequences = 2, .ctx = N};
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
    attention_online(NULL, s, kv, 1, count, sequence, position,
                     q + first * s->heads * s->head_dim,
                     out + first * s->heads * attention_value_dim(s));
}

static void by_pages(const AttentionShape *s, size_t n, double bound, const char *where) {
    KvCache kv;
    Arena arena;
    size_t row = s->heads * attention_value_dim(s);
    remember(&kv, &arena, s, n);
    for (size_t i = 0; i < n * row; i++) out[i] = NAN;
    ask(s, &kv, 0, n);
    arena_free(&arena);
    textbook(s, n, q, k, v, NO_MISTAKE, want);
    if (all_near(out, want, n * row, bound)) return;
    HINT(all_finite(out, n * row),
         "%s: there are numbers that are none (nan or inf): exp of a score is too large for a "
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

/* Scores that rise from page to page, fall, or have their top in the middle one. */
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
    static const char *const ways[] = {"scores that rise by 200 from page to page",
                                       "scores that fall by 200 from page to page",
                                       "the largest scores in the second of three pages"};
    AttentionShape s = shape_number(1);
    for (int way = 0; way < 3; way++) {
        make_numbers(&s, 200, 4);
        tilt(&s, 200, way);
        by_pages(&s, 200, 2e-2, ways[way]);
    }
    for (size_t i = 0; i < 200 * s.kv_heads * s.head_dim; i++) k[i] = -1;
    for (size_t i = 0; i < 200 * s.heads * s.head_dim; i++)
        q[i] = 1000 / (s.scale * (float)s.head_dim);
    by_pages(&s, 200, 5e-3, "all scores at -1000");
    AttentionShape many = {
        .heads = 20, .kv_heads = 1, .head_dim = 8, .scale = 0.3f, .mask = {.causal = true}};
    make_numbers(&many, 70, 4);
    by_pages(&many, 70, 1e-4, "twenty query heads of one key-value head");
    for (int part = 0; part < PARTS; part++) {
        s = shape_number(part);
        size_t n = 140 + fresh_below(60);
        if (part == 2) s.mask.window = 90 + fresh_below(30);
        if (part == 8) s.mask.chunk = 100;
        make_numbers(&s, n, 4);
        by_pages(&s, n, 1e-4, part_names[part]);
    }
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
        NEED(kv_extend(&kv, 1, i + 1)); /* the same pages again, as far as it was read */
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

GRADES({"4.1", three_loops}, {"4.2", mask}, {"4.6", online}, {"4.7", ahead})
