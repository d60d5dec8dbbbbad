/* matmul.c - strata bench matmul: the dense products, against the machine's peak. */
#include "bench.h"

#include <dlfcn.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* cblas_sgemm(order, transA, transB, m, n, k, alpha, A, lda, B, ldb, beta, C, ldc) */
typedef void Sgemm(int, int, int, int, int, int, float, const float *, int, const float *, int,
                   float, float *, int);

typedef struct Product {
    size_t n;
    float *a, *b, *c, *scratch;
    Pool *pool;
    Sgemm *sgemm;
} Product;

static void matmul_run_naive(void *product) {
    Product *p = product;
    matmul_naive(p->n, p->n, p->n, (Matrix){p->a, p->n, 1}, (Matrix){p->b, 1, p->n}, p->c, p->n,
                 false);
}
static void matmul_run_blocked(void *product) {
    Product *p = product;
    matmul_blocked(p->n, p->n, p->n, (Matrix){p->a, p->n, 1}, (Matrix){p->b, 1, p->n}, p->c,
                   p->n, false);
}
static void matmul_run_packed(void *product) {
    Product *p = product;
    matmul_packed(p->pool, p->n, p->n, p->n, (Matrix){p->a, p->n, 1}, (Matrix){p->b, 1, p->n},
                  p->c, p->n, false, p->scratch);
}
static void run_weights(void *product) {
    Product *p = product;
    const size_t shape[2] = {p->n, p->n};
    Tensor w = tensor_view(DTYPE_F32, 2, shape, p->b);
    matmul_weights(p->pool, &w, NULL, p->a, p->n, p->c, NULL);
}
static void run_openblas(void *product) {
    Product *p = product;
    int n = (int)p->n;
    p->sgemm(101, 111, 112, n, n, n, 1, p->a, n, p->b, n, 0, p->c,
             n); /* row-major, A, B transposed */
}

/* Largest error against double precision over sampled outputs, in units of the bound gamma_n *
 * sum |a b|. */
static double matmul_error_of_bound(const Product *p) {
    double worst = 0, u = 0x1p-24, gamma = (double)p->n * u / (1 - (double)p->n * u);
    for (size_t s = 0; s < 200; s++) {
        size_t i = rng_hash(1, s, 0) % p->n, j = rng_hash(1, s, 1) % p->n;
        double exact = 0, size = 0;
        for (size_t k = 0; k < p->n; k++) {
            double product = (double)p->a[i * p->n + k] * (double)p->b[j * p->n + k];
            exact += product, size += fabs(product);
        }
        worst = fmax(worst, fabs((double)p->c[i * p->n + j] - exact) / (gamma * size));
    }
    return worst;
}

static void matmul_measure(const char *name, Product *p, void (*run)(void *), double seconds,
                           double peak) {
    memset(p->c, 0, p->n * p->n * sizeof *p->c);
    BenchTime time = bench_time(run, p, seconds);
    double gigaflop = 2e-9 * (double)p->n * (double)p->n * (double)p->n,
           median = gigaflop / time.median, best = gigaflop / time.best,
           error = matmul_error_of_bound(p);
    printf("  %5zu  %-10s %9.1f %9.1f   %5.1f %% %5.1f %%   %6.3f%s\n", p->n, name, median,
           best, 100 * median / peak, 100 * best / peak, error, error <= 1 ? "" : "  WRONG");
}

static bool matmul_bench_size(const BenchJob *job, size_t n, double peak, Sgemm *sgemm,
                              Fault *fault) {
    Product p = {.n = n, .pool = job->compute.pool, .sgemm = sgemm};
    Arena arena;
    size_t scratch = matmul_scratch_floats(pool_threads(p.pool), n);
    if (!arena_init(&arena, (3 * n * n + scratch) * sizeof(float) + 1024, fault)) return false;
    p.a = arena_take(&arena, n * n, sizeof(float)),
    p.b = arena_take(&arena, n * n, sizeof(float));
    p.c = arena_take(&arena, n * n, sizeof(float)),
    p.scratch = arena_take(&arena, scratch, sizeof(float));
    Rng rng = {1, n, 0};
    for (size_t i = 0; i < n * n; i++)
        p.a[i] = (float)rng_next(&rng) - 0.5f, p.b[i] = (float)rng_next(&rng) - 0.5f;
    if (n <= 512) {
        matmul_measure("naive", &p, matmul_run_naive, job->seconds / 4, peak);
        matmul_measure("blocked", &p, matmul_run_blocked, job->seconds / 4, peak);
    }
    matmul_measure("rows", &p, run_weights, job->seconds, peak);
    matmul_measure("packed", &p, matmul_run_packed, job->seconds, peak);
    if (sgemm) matmul_measure("OpenBLAS", &p, run_openblas, job->seconds, peak);
    arena_free(&arena);
    return true;
}

static Sgemm *find_openblas(int threads) {
    static const char *const names[] = {"libopenblas.so.0", "libopenblas.so",
                                        "libopenblas.dylib"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        void *library = dlopen(names[i], RTLD_NOW | RTLD_LOCAL);
        if (!library) continue;
        void (*set_threads)(int);
        Sgemm *sgemm;
        *(void **)&set_threads = dlsym(library, "openblas_set_num_threads");
        *(void **)&sgemm = dlsym(library, "cblas_sgemm");
        if (set_threads) set_threads(threads);
        if (sgemm) return sgemm;
    }
    return NULL;
}

enum { MIN_SIZE = 1, MAX_SIZE = 16384 }; /* --size */

bool bench_matmul(BenchJob *job, Fault *fault) {
    if (!bench_read_sizes(job, MIN_SIZE, MAX_SIZE, fault) ||
        !compute_open(&job->compute, fault))
        return false;
    int threads = pool_threads(job->compute.pool);
    double peak = peak_gflops(job->compute.pool, 0.5);
    Sgemm *sgemm = find_openblas(threads);
    printf("F32 matrix product, %d thread%s, %s; multiply-add peak measured here: %.1f "
           "GFLOP/s%s\n\n",
           threads, threads == 1 ? "" : "s", kernels_isa(), peak,
           sgemm ? "" : "; OpenBLAS is not installed");
    printf("   size  kernel        median      best    share of peak    error/bound\n");
    bool ok = true;
    for (size_t i = 0; ok && i < job->sizes.count; i++)
        ok = matmul_bench_size(job, job->size[i], peak, sgemm, fault);
    compute_close(&job->compute);
    return ok;
}
