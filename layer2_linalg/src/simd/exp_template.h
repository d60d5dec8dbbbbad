/* exp_template.h - exp of several registers of floats.  Read exp_one in vector.c first.  A
 * sibling of vector.c and scan.c defines, and then includes it:
 *
 *     INLINE                    prefix of functions to inline
 *     FLOATS                    lanes of a register
 *     Floats, Ints              registers of f32 and of int32
 *     load(x), store(x, v), set(x), add(a, b), sub(a, b), mul(a, b), sub_ints(a, b)
 *     at_most(v, x), at_least(v, x)      NaN stays NaN
 *     to_ints(v), halve_ints(m)          round to nearest; round down
 *     power_of_two(m)                    2^m, m = -126 .. 127
 *
 * Up to four registers are computed in step: each operation waits some cycles for the one
 * before, and the other registers fill that time.
 *
 * Invariant: the operations of exp_one, in its order, none fused; so the same bits. */
#ifndef STRATA_EXP_TEMPLATE_H
#define STRATA_EXP_TEMPLATE_H

#include "exp_constants.h"
#include "hints.h"

#include <stddef.h>

#define EACH UNROLL for (int i = 0; i < count; i++)

INLINE Floats horner(Floats p, Floats r, float constant) {
    return add(mul(p, r), set(constant));
}

/* exp(v[i]) = p[i] * 2^m[i]. */
INLINE void exp_parts(const Floats *v, Floats *p, Ints *m, int count) {
    Floats whole[4], r[4];
    EACH whole[i] = horner(v[i], set(EXP_LOG2E), EXP_ROUND);
    EACH whole[i] = sub(whole[i], set(EXP_ROUND));
    EACH r[i] = sub(v[i], mul(whole[i], set(EXP_LN2_HIGH)));
    EACH r[i] = sub(r[i], mul(whole[i], set(EXP_LN2_LOW)));
    EACH m[i] = to_ints(whole[i]);
    EACH p[i] = horner(set(EXP_C6), r[i], EXP_C5);
    EACH p[i] = horner(p[i], r[i], EXP_C4);
    EACH p[i] = horner(p[i], r[i], EXP_C3);
    EACH p[i] = horner(p[i], r[i], EXP_C2);
    EACH p[i] = add(mul(p[i], mul(r[i], r[i])), r[i]);
    EACH p[i] = add(p[i], set(1));
}

/* v[i] becomes exp(v[i]). */
INLINE void exp_registers(Floats *v, int count) {
    Floats p[4];
    Ints m[4], half[4];
    EACH v[i] = at_least(at_most(v[i], EXP_HIGHEST), EXP_LOWEST);
    exp_parts(v, p, m, count);
    EACH half[i] = halve_ints(m[i]);
    EACH p[i] = mul(p[i], power_of_two(half[i]));
    EACH v[i] = mul(p[i], power_of_two(sub_ints(m[i], half[i])));
}

/* The same bits, faster, for v[i] in -87 .. 88, where 2^m and the result are normal numbers. */
INLINE void exp_registers_near(Floats *v, int count) {
    Floats p[4];
    Ints m[4];
    exp_parts(v, p, m, count);
    EACH v[i] = mul(p[i], power_of_two(m[i]));
}

INLINE void exp_step(float *out, const float *x, float shift, int count) {
    Floats v[4];
    EACH v[i] = sub(load(x + FLOATS * i), set(shift));
    exp_registers(v, count);
    EACH store(out + FLOATS * i, v[i]);
}

#undef EACH

/* vector_exp of whole registers; returns the count done. */
INLINE size_t exp_all(float *out, const float *x, float shift, size_t n) {
    size_t i = 0;
    for (; i + 4 * FLOATS <= n; i += 4 * FLOATS) exp_step(out + i, x + i, shift, 4);
    for (; i + FLOATS <= n; i += FLOATS) exp_step(out + i, x + i, shift, 1);
    return i;
}

#endif
