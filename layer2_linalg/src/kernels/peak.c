/* peak.c - see peak.h.  Chains of fused multiply-adds in registers as wide as the instruction
 * set in use; twelve independent chains hide the latency. */
#include "peak.h"
#include "kernels.h"
#include "simd/unroll.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { ROUNDS = 200000, CHAINS = 12 };

/* Storing the result keeps the compiler from dropping the loop. */
#define PEAK_LOOP(isa, target, Vector, SET, FMA)                                        \
    target static void loop_##isa(float start, float *out) {                            \
        Vector sum[CHAINS], factor = SET(1 - start), term = SET(start);                 \
        UNROLL for (int i = 0; i < CHAINS; i++) sum[i] = SET(start * (float)i);         \
        for (int round = 0; round < ROUNDS; round++)                                    \
            UNROLL for (int i = 0; i < CHAINS; i++) sum[i] = FMA(sum[i], factor, term); \
        UNROLL for (int i = 0; i < CHAINS; i++) memcpy(out, &sum[i], sizeof sum[i]),    \
            out += 16;                                                                  \
    }

static float itself(float x) { return x; }
static float multiply_add(float x, float factor, float term) { return x * factor + term; }
PEAK_LOOP(scalar, , float, itself, multiply_add)

#if defined(__x86_64__)
#include <immintrin.h>
PEAK_LOOP(avx2, __attribute__((target("avx2,fma"))), __m256, _mm256_set1_ps, _mm256_fmadd_ps)
PEAK_LOOP(avx512, __attribute__((target("avx512f"))), __m512, _mm512_set1_ps, _mm512_fmadd_ps)
#elif defined(__aarch64__)
#include <arm_neon.h>
static float32x4_t fused(float32x4_t x, float32x4_t factor, float32x4_t term) {
    return vfmaq_f32(term, x, factor);
}
PEAK_LOOP(neon, , float32x4_t, vdupq_n_f32, fused)
#endif

static void one_round(void *context, int worker, size_t begin, size_t end) {
    float out[16 * CHAINS];
    const char *isa = context;
    (void)worker, (void)begin, (void)end;
#if defined(__x86_64__)
    if (strcmp(isa, "avx512") == 0)
        loop_avx512(1e-3f, out);
    else if (strcmp(isa, "avx2") == 0)
        loop_avx2(1e-3f, out);
    else
#elif defined(__aarch64__)
    if (strcmp(isa, "neon") == 0)
        loop_neon(1e-3f, out);
    else
#endif
        loop_scalar(1e-3f, out);
    volatile float sink = out[0];
    (void)sink;
    (void)isa;
}

/* Which loop measures a set: that of its registers and multiply-adds. */
static const char *registers_of(const char *isa) {
    if (strcmp(isa, "avxvnni") == 0) return "avx2";
    if (strcmp(isa, "vnni") == 0 || strcmp(isa, "avx512bf16") == 0) return "avx512";
    return strcmp(isa, "dotprod") == 0 ? "neon" : isa;
}

double peak_gflops(Pool *pool, double seconds) {
    const char *isa = registers_of(kernels_isa());
    double lanes = strcmp(isa, "avx512") == 0 ? 16
                   : strcmp(isa, "avx2") == 0 ? 8
                   : strcmp(isa, "neon") == 0 ? 4
                                              : 1;
    size_t threads = (size_t)pool_threads(pool);
    double flops = 2.0 * ROUNDS * CHAINS * lanes * (double)threads, best = 0;
    for (double start = clock_seconds(); clock_seconds() - start < seconds;) {
        double before = clock_seconds();
        pool_for(pool, threads, 1, one_round, (void *)isa);
        best = fmax(best, flops / (clock_seconds() - before));
    }
    return best / 1e9;
}

/* Far more than the caches hold.  Each chunk is read as four streams, which is faster than
 * one. */
enum { READ_BYTES = 256 << 20, READ_PIECE = 1 << 20, READ_PLACES = 4 };

static void peak_read_piece(void *context, int worker, size_t begin, size_t end) {
    const size_t words = READ_PIECE / READ_PLACES / 8;
    uint64_t sum[16] = {0};
    (void)worker;
    for (size_t piece = begin; piece < end; piece++) {
        const uint64_t *at = (const uint64_t *)((const char *)context + piece * READ_PIECE);
        for (size_t i = 0; i < words; i += 16)
            for (size_t place = 0; place < READ_PLACES; place++)
                for (size_t j = 0; j < 16; j++) sum[j] ^= at[place * words + i + j];
    }
    for (size_t j = 1; j < 16; j++) sum[0] ^= sum[j];
    volatile uint64_t sink = sum[0];
    (void)sink;
}

static int peak_by_size(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

Bandwidth bandwidth_gigabytes(Pool *pool, double seconds) {
    char *bytes = memory_alloc(READ_BYTES);
    double times[256];
    size_t rounds = 0;
    if (!bytes) return (Bandwidth){0, 0};
    memset(bytes, 1, READ_BYTES);
    for (double start = clock_seconds();
         rounds < 3 || (clock_seconds() - start < seconds && rounds < 256); rounds++) {
        double before = clock_seconds();
        pool_for(pool, READ_BYTES / READ_PIECE, 1, peak_read_piece, bytes);
        times[rounds] = clock_seconds() - before;
    }
    memory_free(bytes, READ_BYTES);
    qsort(times, rounds, sizeof *times, peak_by_size);
    return (Bandwidth){READ_BYTES / times[0] / 1e9, READ_BYTES / times[rounds / 2] / 1e9};
}
