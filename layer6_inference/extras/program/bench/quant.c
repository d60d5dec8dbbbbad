/* quant.c - strata bench quant: what each format costs and yields: bits, error, the
 * storyteller's held-out loss, and the speed of dequantizing and multiplying. */
#include "bench.h"
#include "input.h"
#include "surprisal.h"
#include "quant_preset.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROWS = 2048, COLS = 4096 }; /* the timed matrix */
enum { READ_ROWS = 64 };           /* rows dequantized at a time */

typedef struct Bench {
    BenchJob *job;
    GgufFile file;
    Gguf gguf;
    World *world;
    float *x, *back, *y;
    unsigned char *stored, *packed;
    char *scratch;
    FileOut csv;
} Bench;

/* Round-trip error relative to the root mean square. */
static double quant_distance(const float *back, const float *x, size_t n) {
    double error = 0, power = 0;
    for (size_t i = 0; i < n; i++)
        error += pow((double)back[i] - (double)x[i], 2), power += pow((double)x[i], 2);
    return sqrt(error / power);
}

static double normal_error(Bench *b, Dtype dtype) {
    enum { N = 65536 };
    Rng rng = {1, 7, 0};
    for (size_t i = 0; i < N; i++) b->x[i] = (float)rng_normal(&rng);
    quantize_row(dtype, b->x, NULL, b->stored, N);
    dequantize_row(dtype, b->stored, b->back, N);
    return quant_distance(b->back, b->x, N);
}

/* Over all matrices of the storyteller; the rewritten file has its tensors in the same
 * order. */
static double storyteller_error(Bench *b, const Gguf *rewritten, Dtype dtype) {
    double sum = 0, weight = 0;
    for (size_t i = 0; i < b->gguf.n_tensors; i++) {
        const GgufTensor *t = &b->gguf.tensors[i], *u = &rewritten->tensors[i];
        size_t n = t->shape[0] * (t->ndim > 1 ? t->shape[1] : 1);
        if (t->ndim != 2 || n > (size_t)ROWS * COLS || (Dtype)u->dtype != dtype) continue;
        dequantize_row((Dtype)t->dtype, t->data, b->x, n);
        dequantize_row(dtype, u->data, b->back, n);
        double error = quant_distance(b->back, b->x, n);
        sum += error * error * (double)n, weight += (double)n;
    }
    return weight > 0 ? sqrt(sum / weight) : 0;
}

enum { MAX_CTX = 1024 }; /* longest held-out document */

/* Mean surprisal over the tokens of held-out documents; longer ones are cut at the context. */
static bool loss_of(Bench *b, const Model *model, double *loss, Fault *fault) {
    Session session;
    WorldText text = {0};
    size_t ctx = model->sizes.ctx < MAX_CTX ? model->sizes.ctx : MAX_CTX;
    SessionConfig config = {
        .ctx = ctx, .sequences = 1, .max_tokens = PREFILL_BATCH, .max_logits = SURPRISAL_ROWS};
    Surprisal all = {0};
    if (!session_open(&session, model, b->job->compute.pool, config, fault)) return false;
    bool ok = true;
    for (uint64_t i = 0; ok && i < (uint64_t)b->job->documents; i++) {
        TokenList ids = {0};
        world_write(b->world, "document", 2, i, &text);
        if (tokenizer_bos(model->tokenizer) >= 0)
            token_list_add(&ids, tokenizer_bos(model->tokenizer));
        ok =
            tokenizer_encode(model->tokenizer, (Text){text.bytes, text.size}, true, &ids,
                             fault) &&
            surprisal_add(&all, &session, ids.ids, ids.count < ctx ? ids.count : ctx, 0, fault);
        token_list_free(&ids);
    }
    world_text_free(&text);
    session_close(&session);
    *loss = all.sum / (double)all.count;
    return ok;
}

/* Requantize the storyteller: the error of its matrices, and its loss. */
static bool storyteller_in(Bench *b, const QuantPreset *preset, double *error, double *loss,
                           Fault *fault) {
    unsigned char *bytes = NULL;
    size_t size;
    Model model;
    Requantize how = {.preset = preset, .pure = true};
    GgufWriter *writer = gguf_writer_open(fault);
    bool ok = writer &&
              requantize(&b->gguf, &how, b->job->compute.pool, writer, NULL, NULL, fault) &&
              gguf_write_memory(writer, &bytes, &size, fault) &&
              model_open_memory(&model, bytes, size, fault);
    if (ok) {
        *error = storyteller_error(b, &model.gguf, preset->dtype);
        ok = loss_of(b, &model, loss, fault);
        model_close(&model);
    }
    if (writer) gguf_writer_close(writer);
    free(bytes);
    return ok;
}

typedef struct Timed {
    Bench *bench;
    Tensor w;
    PackedWeights packed;
} Timed;

static void quant_read_rows(void *context) {
    const Timed *t = context;
    size_t row = dtype_row_bytes(t->w.dtype, COLS);
    for (size_t r = 0; r < READ_ROWS; r++)
        dequantize_row(t->w.dtype, t->bench->stored + r * row, t->bench->back, COLS);
}

static void quant_multiply(void *context) {
    const Timed *t = context;
    Bench *b = t->bench;
    matmul_weights(b->job->compute.pool, &t->w,
                   dtype_is_quantized(t->w.dtype) ? &t->packed : NULL, b->x, 1, b->y,
                   b->scratch);
}

/* GB/s of stored weights: dequantized, and multiplied by a vector (packed if possible). */
static void speeds(Bench *b, Dtype dtype, double *read, double *product) {
    const size_t row = dtype_row_bytes(dtype, COLS);
    double seconds = b->job->seconds / 8;
    for (size_t r = 0; r < ROWS; r++) /* sixteen rows, repeated */
        if (r < 16)
            quantize_row(dtype, b->x + r * COLS, NULL, b->stored + r * row, COLS);
        else
            memcpy(b->stored + r * row, b->stored + r % 16 * row, row);
    Timed t = {.bench = b, .w = tensor_view(dtype, 2, (size_t[]){ROWS, COLS}, b->stored)};
    *read = (double)(row * READ_ROWS) / bench_time(quant_read_rows, &t, seconds).median / 1e9;
    if (dtype_is_quantized(dtype))
        packed_fill(b->job->compute.pool, &t.packed, &t.w, b->packed);
    *product = (double)(row * ROWS) / bench_time(quant_multiply, &t, seconds).median / 1e9;
}

static bool quant_one_format(Bench *b, const QuantPreset *preset, Fault *fault) {
    const DtypeInfo *info = dtype_info(preset->dtype);
    double normal = normal_error(b, preset->dtype), real = 0, loss = 0, read, product;
    double bits = 8.0 * info->bytes / info->block;
    if (!storyteller_in(b, preset, &real, &loss, fault)) return false;
    speeds(b, preset->dtype, &read, &product);
    TABLE_ROW(b->csv.stream, "%-8s %6.3f %9.5f %12.5f %13.5f %15.2f %12.2f\n",
              "%s,%.4f,%.6f,%.6f,%.6f,%.3f,%.3f\n", info->name, bits, normal, real, loss, read,
              product);
    fflush(stdout);
    return true;
}

static bool run_formats(Bench *b, Fault *fault) {
    const QuantPreset *list;
    size_t count = quant_preset_list(&list);
    bool seen[DTYPE_COUNT] = {false}, ok = true;
    printf("%-8s %6s %9s %12s %13s %15s %12s\n", "format", "bits", "error:", "storyteller",
           "held-out loss", "to floats,", "product,");
    printf("%-8s %6s %9s %12s %13s %15s %12s\n", "", "", "normal", "", "nats/token",
           "GB/s, 1 thread", "GB/s");
    if (b->csv.stream)
        fprintf(b->csv.stream,
                "format,bits,error_normal,error_storyteller,loss,dequantize_gbs,product_gbs\n");
    for (size_t i = 0; ok && i < count; i++)
        if (!seen[list[i].dtype])
            seen[list[i].dtype] = true, ok = quant_one_format(b, &list[i], fault);
    return ok;
}

bool bench_quant(BenchJob *job, Fault *fault) {
    Bench b = {.job = job};
    const char *path = job->model;
    if (!choose_model(&path, fault) || !gguf_open(&b.file, &b.gguf, path, fault)) return false;
    size_t n = (size_t)ROWS * COLS;
    b.x = malloc(n * 4), b.back = malloc(n * 4), b.y = malloc(ROWS * 4);
    b.stored = malloc(n * 4), b.packed = malloc(n * 2),
    b.scratch = malloc(matmul_weights_bytes(1, COLS));
    bool ok = (b.x && b.back && b.y && b.stored && b.packed && b.scratch) ||
              fault_set(fault, "no memory for the benchmark");
    ok = ok && (b.world = world_open(fault)) && compute_open(&job->compute, fault);
    ok = ok && (!job->csv || table_begin(&b.csv, job->csv, fault));
    ok = ok && run_formats(&b, fault) && file_end(&b.csv, fault);
    file_drop(&b.csv);
    compute_close(&job->compute);
    world_close(b.world);
    gguf_close(&b.file, &b.gguf);
    free(b.x), free(b.back), free(b.y), free(b.stored), free(b.packed), free(b.scratch);
    return ok;
}
