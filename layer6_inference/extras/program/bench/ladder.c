/* ladder.c - strata bench ladder: each rung from the plain loop to the packed product, checked
 * first.
 *
 * The check compares with double precision on the stored weights and the rounded inputs, within
 * the error bound stated in the kernel's header. */
#include "ladder.h"
#include "input.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* What the rungs compute: rows of COLS weights times a number of columns. */
typedef struct Product {
    const char *name;
    size_t rows, columns;
} Product;

/* Few rows fit the inner caches: dot shows the kernel alone, on one thread. */
enum { DOTS = 64 };
static const Product products[] = {{"dot", DOTS, 1}, {"matvec", 1024, 1}, {"matmul", 1024, 64}};

bool ladder_open(Rungs *r, size_t rows, bool check, Fault *fault) {
    size_t n = rows * COLS;
    r->rows = rows;
    if (!compute_open(&r->job->compute, fault)) return false;
    r->pool = r->job->compute.pool;
    r->w = check ? malloc(n * 4) : NULL, r->stored = malloc(n * 4),
    r->packed_data = malloc(n * 2);
    r->x = malloc((size_t)MAX_INPUTS * COLS * 4), r->y = malloc(MAX_INPUTS * r->rows * 4);
    r->scratch = malloc(matmul_weights_bytes(MAX_INPUTS, COLS));
    if ((check && !r->w) || !r->stored || !r->packed_data || !r->x || !r->y || !r->scratch)
        return fault_set(fault, "no memory for the benchmark");
    for (size_t i = 0; i < (size_t)MAX_INPUTS * COLS; i++)
        r->x[i] = (float)rng_unit(2, 0, i) - 0.5f;
    r->peak = peak_gflops(r->pool, 0.3), r->bandwidth = bandwidth_gigabytes(r->pool, 0.3).best;
    return true;
}

void ladder_close(Rungs *r) {
    free(r->w), free(r->stored), free(r->packed_data), free(r->x), free(r->y), free(r->scratch);
    file_drop(&r->csv);
    compute_close(&r->job->compute);
}

void ladder_store(Rungs *r, Dtype dtype) {
    size_t row = dtype_row_bytes(dtype, COLS);
    float noise[COLS];
    r->dtype = dtype;
    for (size_t i = 0; i < r->rows; i++) {
        for (size_t k = 0; k < COLS; k++) noise[k] = (float)rng_unit(1, i % 32, k) - 0.5f;
        if (i < 32)
            quantize_row(dtype, noise, NULL, r->stored + i * row, COLS);
        else
            memcpy(r->stored + i * row, r->stored + i % 32 * row, row);
        if (r->w) dequantize_row(dtype, r->stored + i * row, r->w + i * COLS, COLS);
    }
    r->tensor = tensor_view(dtype, 2, (size_t[]){r->rows, COLS}, r->stored);
    if (dtype_is_quantized(dtype)) packed_fill(r->pool, &r->packed, &r->tensor, r->packed_data);
}

/* An input after the kernel's rounding. */
static double seen(const Rungs *r, const float *x, size_t k) {
    float amax = 0;
    if (!dtype_is_quantized(r->dtype)) return (double)kernels_input(r->dtype, x[k]);
    for (size_t i = k / 32 * 32; i < k / 32 * 32 + 32; i++) amax = fmaxf(amax, fabsf(x[i]));
    return (double)nearbyintf(x[k] * (127 / amax)) * (double)(amax / 127);
}

/* The largest error over sampled outputs, in units of the bound. */
static double ladder_error_of_bound(const Rungs *r, size_t cols) {
    double worst = 0;
    for (size_t s = 0; s < 24; s++) {
        size_t row = rng_hash(3, s, 0) % r->rows, c = rng_hash(3, s, 1) % cols;
        double sum = 0, size = 0;
        for (size_t k = 0; k < COLS; k++) {
            double p = (double)r->w[row * COLS + k] * seen(r, r->x + c * COLS, k);
            sum += p, size += fabs(p);
        }
        double bound = (COLS + 4.0) * 0x1p-24 * size;
        worst = fmax(worst, fabs((double)r->y[c * r->rows + row] - sum) / bound);
    }
    return worst;
}

static void ladder_run_naive(Rungs *r, size_t cols) {
    matmul_naive(cols, r->rows, COLS, (Matrix){r->x, COLS, 1}, (Matrix){r->w, 1, COLS}, r->y,
                 r->rows, false);
}
static void ladder_run_blocked(Rungs *r, size_t cols) {
    matmul_blocked(cols, r->rows, COLS, (Matrix){r->x, COLS, 1}, (Matrix){r->w, 1, COLS}, r->y,
                   r->rows, false);
}
static void run_one_thread(Rungs *r, size_t cols) {
    matmul_weights(NULL, &r->tensor, NULL, r->x, cols, r->y, r->scratch);
}
void ladder_run_file(Rungs *r, size_t cols) {
    matmul_weights(r->pool, &r->tensor, NULL, r->x, cols, r->y, r->scratch);
}
void ladder_run_packed(Rungs *r, size_t cols) {
    matmul_weights(r->pool, &r->tensor, &r->packed, r->x, cols, r->y, r->scratch);
}
static void run_packed_alone(Rungs *r, size_t cols) {
    matmul_weights(NULL, &r->tensor, &r->packed, r->x, cols, r->y, r->scratch);
}

typedef struct Climb {
    Rungs *rungs;
    Rung *run;
    size_t cols;
} Climb;

static void climb_once(void *context) {
    const Climb *c = context;
    c->run(c->rungs, c->cols);
}

BenchTime ladder_time(Rungs *r, Rung *run, size_t cols, double seconds) {
    Climb climb = {r, run, cols};
    climb_once(&climb);
    return bench_time(climb_once, &climb, seconds);
}

static bool rung(Rungs *r, const Product *p, const char *what, const char *isa, Rung *run) {
    memset(r->y, 0, MAX_INPUTS * r->rows * sizeof *r->y);
    double seconds = ladder_time(r, run, p->columns, r->job->seconds / 8).median,
           error = ladder_error_of_bound(r, p->columns);
    double bytes = (double)dtype_row_bytes(r->dtype, COLS) * (double)r->rows,
           gflops = 2.0 * (double)r->rows * COLS * (double)p->columns / seconds / 1e9,
           gigabytes = bytes / seconds / 1e9;
    printf("%-7s %-7s %-11s %-10s %7.2f %6.0f %% %9.2f %6.0f %%   %.3f%s\n",
           dtype_name(r->dtype), p->name, what, isa, gflops, 100 * gflops / r->peak, gigabytes,
           100 * gigabytes / r->bandwidth, error, error <= 1 ? "" : "  WRONG");
    fflush(stdout);
    return error <= 1;
}

static bool climb(Rungs *r, const Product *p) {
    const char *list[KERNELS_MAX];
    const char *chosen = kernels_isa();
    int count = kernels_list(list);
    bool ok = true, alone = p->rows == DOTS, packed = dtype_is_quantized(r->dtype);
    if (r->dtype == DTYPE_F32) {
        ok &= rung(r, p, "naive", "-", ladder_run_naive);
        ok &= rung(r, p, "blocked", "-", ladder_run_blocked);
    }
    for (int i = 0; i < count; i++) {
        kernels_select(list[i], NULL);
        if (i > 0 || p->columns == 1) ok &= rung(r, p, "one thread", list[i], run_one_thread);
        if (alone && packed) ok &= rung(r, p, "repacked", list[i], run_packed_alone);
    }
    kernels_select(chosen, NULL);
    if (!alone) ok &= rung(r, p, "threads", kernels_isa(), ladder_run_file);
    if (!alone && packed) ok &= rung(r, p, "repacked", kernels_isa(), ladder_run_packed);
    return ok;
}

static const Dtype all[] = {DTYPE_F32,  DTYPE_F16,    DTYPE_BF16,   DTYPE_Q8_0,  DTYPE_Q6_K,
                            DTYPE_Q5_K, DTYPE_Q5_1,   DTYPE_Q5_0,   DTYPE_Q4_K,  DTYPE_Q4_1,
                            DTYPE_Q4_0, DTYPE_IQ4_NL, DTYPE_IQ4_XS, DTYPE_MXFP4, DTYPE_NVFP4,
                            DTYPE_Q3_K, DTYPE_Q2_K};

static bool check_format(const char *name, Fault *fault) {
    char names[200] = "";
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        if (!name || strcasecmp(name, dtype_name(all[i])) == 0) return true;
        strcat(strcat(names, i ? ", " : ""), dtype_name(all[i]));
    }
    return fault_set(fault, "--format is '%.40s': there are %s", name, names);
}

bool bench_ladder(BenchJob *job, Fault *fault) {
    Rungs r = {.job = job};
    if (!check_format(job->format, fault)) return false;
    bool ok = ladder_open(&r, 1024, true, fault), right = true;
    if (ok)
        printf("%zu x %d weights (dot: %d x %d, one thread), %d threads; peak %.0f GFLOP/s "
               "(multiply-adds of floats), memory %.1f GB/s\n\n"
               "format  product rung        isa        GFLOP/s of peak      GB/s of memory  "
               "error/bound\n",
               r.rows, COLS, DOTS, COLS, pool_threads(r.pool), r.peak, r.bandwidth);
    for (size_t i = 0; ok && i < sizeof all / sizeof *all; i++) {
        if (job->format && strcasecmp(job->format, dtype_name(all[i])) != 0) continue;
        for (size_t p = 0; p < sizeof products / sizeof *products; p++) {
            r.rows = products[p].rows;
            ladder_store(&r, all[i]);
            right = climb(&r, &products[p]) && right;
        }
    }
    ladder_close(&r);
    return ok && (right || fault_set(fault, "a rung is wrong: see above"));
}
