/* bytes_template.h - the loops around a tile of a weighted sum of bytes.  A sibling of
 * weighted_bytes.c defines, and then includes it:
 *
 *    INLINE        prefix of functions to inline
 *    MAX_RESULTS   results of a tile, 4 or 8
 *    tile(group, C, S, task)   the first C results by the first S strips of 16 columns, rows in
 *                              groups of 4 or 2; all but `task` are constants */
#ifndef STRATA_BYTES_TEMPLATE_H
#define STRATA_BYTES_TEMPLATE_H

#include "../kernels/kernel_types.h"

/* The task from result c and column i on. */
INLINE WeightedBytes bytes_from(int group, WeightedBytes t, size_t c, size_t i) {
    t.y += c * t.y_step + i, t.a_scale += c * t.scale_step, t.x += i / STRIP * t.x_step;
    t.a = (const char *)t.a + c * t.a_step * (group == 4 ? 1 : 2);
    if (t.x_scale) t.x_scale += i;
    if (group == 4) t.a_sum += c * t.scale_step;
    return t;
}

/* The first C results, all columns. */
INLINE void byte_results(int group, int C, WeightedBytes t) {
    size_t i = 0;
    for (; i + 2 * STRIP <= t.n; i += 2 * STRIP) tile(group, C, 2, bytes_from(group, t, 0, i));
    if (i < t.n) tile(group, C, 1, bytes_from(group, t, 0, i));
}

INLINE void byte_tiles(int group, WeightedBytes t) {
    size_t c = 0;
    for (; MAX_RESULTS >= 8 && c + 8 <= t.count; c += 8)
        byte_results(group, 8, bytes_from(group, t, c, 0));
    for (; c + 4 <= t.count; c += 4) byte_results(group, 4, bytes_from(group, t, c, 0));
    for (; c + 2 <= t.count; c += 2) byte_results(group, 2, bytes_from(group, t, c, 0));
    if (c < t.count) byte_results(group, 1, bytes_from(group, t, c, 0));
}

#define WEIGHTED_BYTES(attribute, isa)                                                 \
    attribute void weighted_quads_##isa(const WeightedBytes *t) { byte_tiles(4, *t); } \
    attribute void weighted_pairs_##isa(const WeightedBytes *t) { byte_tiles(2, *t); }

#endif
