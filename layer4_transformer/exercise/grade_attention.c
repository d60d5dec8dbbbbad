/* The graders of attention by the textbook, and of its mask. */
#include "shapes.h"

static float scores[N + 2];

static void by_textbook(const AttentionShape *s, size_t n, double bound, const char *where) {
    for (size_t i = 0; i < n * s->heads * attention_value_dim(s); i++) out[i] = NAN;
    scores[n + 1] = 7;
    attention(s, n, q, k, v, out, scores);
    HINT(scores[n + 1] == 7, "scores has room for n + 1 numbers: for the keys, and for a sink");
    name_mistake(s, n, bound, where);
}

/* NaN in a key reaches each query that sees it. */
static void by_nan(const AttentionShape *s, size_t n) {
    size_t at = n / 2, row = s->heads * attention_value_dim(s);
    k[at * s->kv_heads * s->head_dim] = NAN;
    attention(s, n, q, k, v, out, scores);
    for (size_t i = 0; i < n; i++) {
        Range seen = mask_range(s->mask, i, n);
        HINT(seen.begin > at || seen.end <= at || isnan(out[i * row]),
             "a score that is NaN passes through to the result, which is %g: a weight that is "
             "NaN is not small",
             (double)out[i * row]);
    }
}

GRADE(three_loops) {
    for (int part = 0; part < PARTS; part++)
        for (int round = 0; round < 2; round++) { /* same addresses, other numbers */
            AttentionShape s = shape_number(part);
            size_t n = 4 + fresh_below(8);
            make_numbers(&s, n, 4);
            by_textbook(&s, n, 1e-4, part_names[part]);
            by_nan(&s, n);
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

/* One cell of a mask's picture. */
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
                if (!m.causal) m.chunk = 0; /* chunks are of causal masks only */
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
    COUNT(mask_range((Mask){.causal = true, .chunk = 3}, far, far + 9).begin, far / 3 * 3,
          "a chunk of 3 far into a text, token %zu", far);
    for (int bits = 31; bits <= 32; bits++) { /* where numbers of 32 bits end */
        size_t window = ((size_t)1 << bits) - fresh_below(1000);
        far = ((size_t)1 << bits) + fresh_below(1000);
        COUNT(mask_range((Mask){.causal = true, .window = window}, far, far + 9).begin,
              far + 1 - window, "a window of %zu far into a text, token %zu", window, far);
    }
}

GRADES({"4.1", three_loops}, {"4.2", mask})
