/* recurrence_avx2.c - a step of a recurrence.  Read recurrence.c first.
 *
 *     lanes 0..7 and 8..15 are a register each; folding starts with their sum */
#include "../kernels/kernel_types.h"

#if defined(__x86_64__)
#include "avx2.h"

#include <math.h>

/* Update eight numbers of a row, and return them. */
INLINE __m256 step8(const Recurrence *t, const float *before, const float *decay, float *after,
                    __m256 in, size_t i) {
    __m256 old = _mm256_mul_ps(_mm256_loadu_ps(decay + i), _mm256_loadu_ps(before + i)),
           new = _mm256_fmadd_ps(in, _mm256_loadu_ps(t->b + i), old);
    _mm256_storeu_ps(after + i, new);
    return new;
}

AVX2 void recurrence_step_avx2(const Recurrence *t) {
    for (size_t r = 0; r < t->rows; r++) {
        const float *before = t->before + r * t->n, *decay = t->decay + r * t->n;
        float *after = t->after + r * t->n, lanes[16];
        __m256 in = _mm256_set1_ps(t->in[r]), low = _mm256_setzero_ps(), high = low;
        size_t i = 0;
        for (; i + 16 <= t->n; i += 16) {
            __m256 a = step8(t, before, decay, after, in, i),
                   b = step8(t, before, decay, after, in, i + 8);
            low = _mm256_fmadd_ps(a, _mm256_loadu_ps(t->c + i), low);
            high = _mm256_fmadd_ps(b, _mm256_loadu_ps(t->c + i + 8), high);
        }
        _mm256_storeu_ps(lanes, low), _mm256_storeu_ps(lanes + 8, high);
        for (size_t lane = 0; i < t->n; i++, lane++) {
            after[i] = fmaf(t->in[r], t->b[i], decay[i] * before[i]);
            lanes[lane] = fmaf(after[i], t->c[i], lanes[lane]);
        }
        low = _mm256_loadu_ps(lanes), high = _mm256_loadu_ps(lanes + 8);
        t->out[r] = add_lanes(_mm256_add_ps(low, high));
    }
}

/* ------------------------------------------------------------------ rows in strips: a lane for
 * each */

enum { LANES = 8, SIDE = 2 };
typedef __m256 Vector;
#define vector_zero()       _mm256_setzero_ps()
#define vector_all(x)       _mm256_set1_ps(x)
#define vector_load(p)      _mm256_loadu_ps(p)
#define vector_store(p, v)  _mm256_storeu_ps(p, v)
#define vector_mul(a, b)    _mm256_mul_ps(a, b)
#define vector_fma(a, b, c) _mm256_fmadd_ps(a, b, c)
#include "../simd/strip_rows_template.h"
RECURRENCE_STRIPS(AVX2, avx2)
#endif
