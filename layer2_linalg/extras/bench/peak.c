/* peak.c - see peak.h.  Chains of fused multiply-adds in registers as wide as the instruction
 * set in use; twelve independent chains hide the latency. */
#include "peak.h"
#include "kernels.h"
#include "simd/hints.h"

#include <math.h>
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
/* Bytes: the sum is a factor, too, or the compiler would multiply once. */
#define BYTES2(x) _mm256_set1_epi8((char)(int)(1000 * (x)))
#define BYTES5(x) _mm512_set1_epi8((char)(int)(1000 * (x)))
#define DOT2(sum, a, b) \
    _mm256_add_epi32(sum, _mm256_madd_epi16(_mm256_maddubs_epi16(sum, a), b))
PEAK_LOOP(bytes_avx2, __attribute__((target("avx2"))), __m256i, BYTES2, DOT2)
PEAK_LOOP(bytes_vnni, __attribute__((target("avx512f,avx512bw,avx512vnni"))), __m512i, BYTES5,
          _mm512_dpbusd_epi32)
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
    else if (strcmp(isa, "bytes_avx2") == 0)
        loop_bytes_avx2(1e-3f, out);
    else if (strcmp(isa, "bytes_vnni") == 0)
        loop_bytes_vnni(1e-3f, out);
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

/* The best of short rounds of one loop; lanes: multiply-adds of one instruction. */
static double peak_of(Pool *pool, const char *isa, double lanes, double seconds) {
    size_t threads = (size_t)pool_threads(pool);
    double flops = 2.0 * ROUNDS * CHAINS * lanes * (double)threads, best = 0;
    for (double start = clock_seconds(); clock_seconds() - start < seconds;) {
        double before = clock_seconds();
        pool_for(pool, threads, 1, one_round, (void *)isa);
        best = fmax(best, flops / (clock_seconds() - before));
    }
    return best / 1e9;
}

double peak_gflops(Pool *pool, double seconds) {
    const char *isa = registers_of(kernels_isa());
    double lanes = strcmp(isa, "avx512") == 0 ? 16
                   : strcmp(isa, "avx2") == 0 ? 8
                   : strcmp(isa, "neon") == 0 ? 4
                                              : 1;
    return peak_of(pool, isa, lanes, seconds);
}

double peak_gops_bytes(Pool *pool, double seconds) {
    const char *isa = kernels_isa();
    if (strcmp(isa, "vnni") == 0 || strcmp(isa, "avx512bf16") == 0)
        return peak_of(pool, "bytes_vnni", 64, seconds);
    return strcmp(isa, "avx2") == 0 ? peak_of(pool, "bytes_avx2", 32, seconds) : 0;
}

/* 32 bytes at a time, as wide as a cache can deliver. */
typedef uint64_t Wide __attribute__((vector_size(32)));

/* Pieces of `each` bytes, read `times` times: as one stream, or as several side by side. */
typedef struct Reading {
    const char *bytes;
    size_t each, streams, times;
} Reading;

INLINE_OF() void read_piece(const Reading *r, const Wide *at) {
    const size_t wides = r->each / r->streams / sizeof(Wide);
    Wide sum[8] = {0};
    for (size_t time = 0; time < r->times; time++)
        for (size_t i = 0; i + 8 <= wides; i += 8)
            for (size_t stream = 0; stream < r->streams; stream++)
                UNROLL for (size_t j = 0; j < 8; j++) sum[j] ^= at[stream * wides + i + j];
    for (int j = 1; j < 8; j++) sum[0] ^= sum[j];
    volatile uint64_t sink = sum[0][0] ^ sum[0][1] ^ sum[0][2] ^ sum[0][3];
    (void)sink;
}

#if defined(__x86_64__)
__attribute__((target("avx2"))) static void read_piece_avx2(const Reading *r, const Wide *at) {
    read_piece(r, at);
}
#endif

static void read_pieces(void *context, int worker, size_t begin, size_t end) {
    const Reading *r = context;
    (void)worker;
    for (size_t piece = begin; piece < end; piece++) {
        const Wide *at = (const Wide *)(r->bytes + piece * r->each);
#if defined(__x86_64__)
        if (strcmp(kernels_isa(), "scalar") != 0) {
            read_piece_avx2(r, at);
            continue;
        }
#endif
        read_piece(r, at);
    }
}

double cache_gigabytes(Pool *pool, size_t bytes, double seconds) {
    size_t threads = (size_t)pool_threads(pool);
    char *memory = memory_alloc(bytes * threads);
    Reading r = {memory, bytes, 1, ((size_t)64 << 20) / bytes + 1};
    double best = 0, all = (double)bytes * (double)threads * (double)r.times;
    if (!memory) return 0;
    memset(memory, 1, bytes * threads);
    for (double start = clock_seconds(); clock_seconds() - start < seconds;) {
        double before = clock_seconds();
        pool_for(pool, threads, 1, read_pieces, &r);
        best = fmax(best, all / (clock_seconds() - before));
    }
    memory_free(memory, bytes * threads);
    return best / 1e9;
}

/* Far more than the caches hold. */
enum { READ_BYTES = 256 << 20, READ_PIECE = 1 << 20 };

/* At least three rounds, for `seconds`. */
static Bandwidth read_rounds(Pool *pool, Reading r, double seconds) {
    double times[256];
    size_t rounds = 0;
    for (double start = clock_seconds();
         rounds < 3 || (clock_seconds() - start < seconds && rounds < 256); rounds++) {
        double before = clock_seconds();
        pool_for(pool, READ_BYTES / READ_PIECE, 1, read_pieces, &r);
        times[rounds] = clock_seconds() - before;
    }
    double median = percentile(times, rounds, 0.5); /* sorts them */
    return (Bandwidth){READ_BYTES / times[0] / 1e9, READ_BYTES / median / 1e9};
}

Bandwidth bandwidth_gigabytes(Pool *pool, double seconds) {
    enum { MOST_STREAMS = 4 };
    char *bytes = memory_alloc(READ_BYTES);
    Bandwidth all = {0, 0};
    if (!bytes) return all;
    memset(bytes, 1, READ_BYTES);
    /* which is fastest depends on the machine's prefetchers */
    for (size_t streams = 1; streams <= MOST_STREAMS; streams *= 2) {
        Bandwidth one =
            read_rounds(pool, (Reading){bytes, READ_PIECE, streams, 1}, seconds / 3);
        all = (Bandwidth){fmax(all.best, one.best), fmax(all.median, one.median)};
    }
    memory_free(bytes, READ_BYTES);
    return all;
}
