/* roofline.c - strata bench roofline: the machine's ceilings and slopes, and the products under
 * them.  All is the best of many rounds: what the machine can do, not what it mostly does. */
#include "input.h"
#include "ladder.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* The weights of each format fill this much: more than any cache keeps, and not more rows than
 * y has room for. */
enum { WEIGHT_BYTES = 96 << 20, MAX_ROWS = 49152 };

typedef struct Roofs {
    double floats, bytes;     /* GFLOP/s of multiply-adds; bytes: 0 where not measured */
    double caches[3], memory; /* GB/s */
} Roofs;
static const size_t working_sets[3] = {16 << 10, 512 << 10, 8 << 20};
static const char *const cache_names[3] = {"16 KB", "512 KB", "8 MB"};

static void row(Rungs *r, const char *kind, const char *name, double at, double value) {
    if (r->csv.stream)
        fprintf(r->csv.stream, "%s,%s,%d,%.4f,%.4f\n", kind, name, pool_threads(r->pool), at,
                value);
}

static Roofs measure_roofs(Rungs *r) {
    Roofs roofs = {peak_gflops(r->pool, r->job->seconds),
                   peak_gops_bytes(r->pool, r->job->seconds),
                   {0},
                   bandwidth_gigabytes(r->pool, r->job->seconds).best};
    printf("%d thread%s, %s\n\nceiling, GFLOP/s\n  float multiply-adds %11.1f\n",
           pool_threads(r->pool), pool_threads(r->pool) > 1 ? "s" : "", kernels_isa(),
           roofs.floats);
    row(r, "peak", "floats", 0, roofs.floats);
    if (roofs.bytes > 0) {
        printf("  byte multiply-adds %12.1f\n", roofs.bytes);
        row(r, "peak", "bytes", 0, roofs.bytes);
    }
    printf("\nslope, GB/s          (each thread reads so much, again and again)\n");
    for (size_t i = 0; i < 3; i++) {
        roofs.caches[i] = cache_gigabytes(r->pool, working_sets[i], r->job->seconds / 4);
        printf("  %-6s %24.1f\n", cache_names[i], roofs.caches[i]);
        row(r, "read", cache_names[i], 0, roofs.caches[i]);
    }
    printf("  memory %24.1f\n\n", roofs.memory);
    row(r, "read", "memory", 0, roofs.memory);
    return roofs;
}

/* Memory traffic: weights, columns and results. */
static double intensity(const Rungs *r, size_t cols) {
    double bytes = (double)dtype_row_bytes(r->dtype, COLS) * (double)r->rows +
                   4.0 * (double)cols * (COLS + (double)r->rows);
    return 2.0 * (double)r->rows * COLS * (double)cols / bytes;
}

static void product(Rungs *r, const Roofs *roofs, size_t cols) {
    bool packed = dtype_is_quantized(r->dtype);
    Rung *run = packed ? ladder_run_packed : ladder_run_file;
    double seconds = ladder_time(r, run, cols, r->job->seconds).best,
           gflops = 2.0 * (double)r->rows * COLS * (double)cols / seconds / 1e9,
           at = intensity(r, cols),
           ceiling = packed && roofs->bytes > 0 ? roofs->bytes : roofs->floats,
           roof = fmin(ceiling, at * roofs->memory);
    printf("%-7s %7zu %10.2f %9.1f %10.0f %%\n", dtype_name(r->dtype), cols, at, gflops,
           100 * gflops / roof);
    row(r, "product", dtype_name(r->dtype), at, gflops);
}

bool bench_roofline(BenchJob *job, Fault *fault) {
    static const Dtype shown[] = {DTYPE_F32, DTYPE_F16, DTYPE_Q8_0, DTYPE_Q4_K, DTYPE_Q4_0};
    static const size_t columns[] = {1, 4, 16, 64, 256};
    Rungs r = {.job = job};
    if (job->csv && !table_begin(&r.csv, job->csv, fault)) return false;
    bool ok = ladder_open(&r, MAX_ROWS, false, fault);
    if (ok && r.csv.stream) fprintf(r.csv.stream, "kind,name,threads,intensity,value\n");
    Roofs roofs = ok ? measure_roofs(&r) : (Roofs){0};
    if (ok) printf("format  columns  flop/byte   GFLOP/s   of the roof\n");
    for (size_t f = 0; ok && f < sizeof shown / sizeof *shown; f++) {
        size_t rows = WEIGHT_BYTES / dtype_row_bytes(shown[f], COLS) / 64 * 64;
        r.rows = rows < MAX_ROWS ? rows : MAX_ROWS;
        ladder_store(&r, shown[f]);
        for (size_t c = 0; c < sizeof columns / sizeof *columns; c++)
            product(&r, &roofs, columns[c]);
    }
    ok = ok && file_end(&r.csv, fault);
    ladder_close(&r);
    return ok;
}
