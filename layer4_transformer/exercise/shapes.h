/* shapes.h - attention in every shape, with random inputs, for the graders of attention. */
#ifndef STRATA_SHAPES_H
#define STRATA_SHAPES_H

#include "textbook.h"

enum { N = 1100, WIDE = 20 * 16 };

static float q[N * WIDE], k[N * WIDE], v[N * WIDE], out[N * WIDE], want[N * WIDE],
    other[N * WIDE];

/* Random inputs for n tokens of a shape; scores are within `size`. */
static inline void make_numbers(const AttentionShape *s, size_t n, double size) {
    double each = sqrt(size / ((double)s->head_dim * (double)s->scale));
    fresh_floats(q, n * s->heads * s->head_dim, -each, each);
    fresh_floats(k, n * s->kv_heads * s->head_dim, -each, each);
    fresh_floats(v, n * s->kv_heads * attention_value_dim(s), -2, 2);
}

/* Every option of the shape in turn. */
static inline AttentionShape shape_number(int part) {
    static float sinks[20], table[8 * 6];
    static Relative relative;
    AttentionShape s = {.heads = 2, .kv_heads = 2, .head_dim = 3, .mask = {.causal = true}};
    if (part > 0) s.heads = 6, s.kv_heads = 2, s.head_dim = 4 + fresh_below(8);
    if (part == 2) s.mask.window = 2 + fresh_below(3);
    if (part == 3) s.mask.causal = false;
    if (part == 4) s.value_dim = s.head_dim + 1 + fresh_below(3);
    if (part == 5) s.softcap = 2;
    if (part == 6) s.max_bias = 8;
    if (part == 7) s.sinks = sinks, fresh_floats(sinks, 6, -2, 2);
    if (part == 8) s.mask.chunk = 3;
    if (part >= 9) {
        s.softcap = part == 9 ? 2 : 0, s.mask.causal = part == 9;
        fresh_floats(table, 8 * s.heads, -3, 3);
        relative_init(&relative, s.heads, 8, part == 10);
        relative.table = table, s.relative = &relative;
    }
    s.scale = (float)fresh_between(0.2, 0.5);
    return s;
}
enum { PARTS = 11 };
static const char *const part_names[PARTS] = {"each head with keys of its own",
                                              "heads that share keys",
                                              "a window",
                                              "a mask that looks both ways",
                                              "values wider than keys",
                                              "a soft cap",
                                              "a bias by distance",
                                              "a sink in every softmax",
                                              "chunks",
                                              "a learned bias and a soft cap",
                                              "a learned bias both ways"};

/* Name the mistake if it is a known one, else print both numbers. */
static inline void name_mistake(const AttentionShape *s, size_t n, double bound,
                                const char *where) {
    size_t numbers = n * s->heads * attention_value_dim(s);
    textbook(s, n, q, k, v, NO_MISTAKE, want);
    if (all_near(out, want, numbers, bound)) return;
    HINT(all_finite(out, numbers),
         "%s: some numbers are NaN or infinite: is out 0 before anything is added, does the "
         "softmax take only scores that were computed, and is the largest subtracted before "
         "exp?",
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

#endif
