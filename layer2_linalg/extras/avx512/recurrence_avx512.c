/* recurrence_avx512.c - a step of a recurrence, sixteen lanes at a time.  Read recurrence.c
 * first. */
#include "kernel_types_extras.h"

#if defined(__x86_64__)
#include "avx512.h"

/* Lanes past the end of a row keep their sum. */
AVX512 void recurrence_step_avx512(const Recurrence *t) {
    for (size_t r = 0; r < t->rows; r++) {
        const float *before = t->before + r * t->n, *decay = t->decay + r * t->n;
        float *after = t->after + r * t->n;
        __m512 in = _mm512_set1_ps(t->in[r]), sum = _mm512_setzero_ps();
        for (size_t i = 0; i < t->n; i += 16) {
            __mmask16 some = (__mmask16)(t->n - i < 16 ? (1u << (t->n - i)) - 1 : 0xFFFF);
            __m512 old = _mm512_maskz_loadu_ps(some, before + i),
                   keep = _mm512_maskz_loadu_ps(some, decay + i),
                   b = _mm512_maskz_loadu_ps(some, t->b + i),
                   c = _mm512_maskz_loadu_ps(some, t->c + i),
                   new = _mm512_fmadd_ps(in, b, _mm512_mul_ps(keep, old));
            _mm512_mask_storeu_ps(after + i, some, new);
            sum = _mm512_mask3_fmadd_ps(new, c, sum, some);
        }
        t->out[r] = add_lanes(sum);
    }
}

/* ------------------------------------------------------------------ rows in strips: a lane for
 * each */

enum { LANES = 16, SIDE = 4 };
typedef __m512 Vector;
#define vector_zero()       _mm512_setzero_ps()
#define vector_all(x)       _mm512_set1_ps(x)
#define vector_load(p)      _mm512_loadu_ps(p)
#define vector_store(p, v)  _mm512_storeu_ps(p, v)
#define vector_mul(a, b)    _mm512_mul_ps(a, b)
#define vector_fma(a, b, c) _mm512_fmadd_ps(a, b, c)
#include "simd/strip_rows_template.h"
RECURRENCE_STRIPS(AVX512, avx512)
#endif
