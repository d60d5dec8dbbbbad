/* model.c - strata bench model: how fast a model reads and writes; and bench make-model, a
 * model of random weights to measure with, in any mix of formats. */
#include "bench.h"
#include "families.h"
#include "quant_preset.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ------------------------------------------------------------------ making */

/* The shape of TinyLlama: 1.1 billion weights. */
enum { DIM = 2048, HIDDEN = 5632, HEADS = 32, KV_HEADS = 4, VOCAB = 32000, CTX = 16384 };

typedef struct Maker {
    const QuantPreset *preset;
    size_t layers;
    GgufWriter *writer;
    Pool *pool;
    Progress progress;
    double done;
} Maker;

typedef struct Filling {
    Dtype dtype;
    size_t cols;
    uint64_t stream;
    char *stored;
    float *rows;
} Filling;

/* Rows of numbers of mean 0 and deviation 1 / sqrt(cols). */
static void fill_rows(void *context, int worker, size_t begin, size_t end) {
    const Filling *f = context;
    float *row = f->rows + (size_t)worker * f->cols, size = 1 / sqrtf((float)f->cols);
    for (size_t r = begin; r < end; r++) {
        for (size_t k = 0; k < f->cols; k++) { /* the sum of five is nearly normal, and fast */
            uint64_t bits = rng_hash(1, f->stream, r << 32 | k);
            int sum = 0;
            for (int i = 0; i < 5; i++) sum += (int)(bits >> (12 * i) & 4095);
            row[k] = ((float)sum - 10237.5f) / 2643.6f * size;
        }
        quantize_row(f->dtype, row, NULL, f->stored + r * dtype_row_bytes(f->dtype, f->cols),
                     f->cols);
    }
}

static bool put_matrix(Maker *m, const char *name, size_t rows, size_t cols, Fault *fault) {
    Filling f = {.cols = cols, .stream = (uint64_t)(m->done * 1e-3) + 1};
    f.dtype = quant_preset_dtype(m->preset, text_of(name), m->layers, cols, false);
    f.stored = malloc(rows * dtype_row_bytes(f.dtype, cols));
    f.rows = malloc((size_t)pool_threads(m->pool) * cols * sizeof *f.rows);
    bool ok = (f.stored && f.rows) || fault_set(fault, "no memory for '%s'", name);
    if (ok) {
        pool_for(m->pool, rows, 16, fill_rows, &f);
        Tensor view = tensor_view(f.dtype, 2, (size_t[]){rows, cols}, f.stored);
        gguf_put_tensor(m->writer, name, &view);
        m->done += (double)rows * (double)cols;
        progress_show(&m->progress, m->done / 1e6);
    }
    free(f.stored), free(f.rows);
    return ok;
}

static void put_ones(Maker *m, const char *name, size_t n) {
    float ones[DIM];
    for (size_t i = 0; i < n; i++) ones[i] = 1;
    Tensor view = tensor_view(DTYPE_F32, 1, &n, ones);
    gguf_put_tensor(m->writer, name, &view);
}

static bool put_block(Maker *m, size_t layer, Fault *fault) {
    LayerSizes sizes = {.dim = DIM,
                        .heads = HEADS,
                        .kv_heads = KV_HEADS,
                        .head_dim = DIM / HEADS,
                        .value_dim = DIM / HEADS,
                        .hidden = HIDDEN};
    const Recipe *llama = recipe_find(text_of("llama"));
    char name[64];
    layer_widths(&sizes);
    for (RoleId id = 0; id < CORE_ROLES; id++) {
        const Role *role = role_of(id);
        size_t rows = role->rows(&sizes), cols = role->cols(&sizes);
        if (role->need(llama, &sizes) != NEED_YES) continue;
        block_tensor_name(name, sizeof name, layer, role->name, "weight");
        if (role->kind == ROLE_NORM)
            put_ones(m, name, cols);
        else if (!put_matrix(m, name, rows, cols, fault))
            return false;
    }
    return true;
}

static void put_numbers(GgufWriter *w, const QuantPreset *preset, size_t layers) {
    gguf_put_string(w, "general.architecture", text_of("llama"));
    gguf_put_int(w, "general.file_type", GGUF_U32, preset->file_type);
    gguf_put_int(w, "llama.block_count", GGUF_U32, (int64_t)layers);
    gguf_put_int(w, "llama.context_length", GGUF_U32, CTX);
    gguf_put_int(w, "llama.embedding_length", GGUF_U32, DIM);
    gguf_put_int(w, "llama.feed_forward_length", GGUF_U32, HIDDEN);
    gguf_put_int(w, "llama.attention.head_count", GGUF_U32, HEADS);
    gguf_put_int(w, "llama.attention.head_count_kv", GGUF_U32, KV_HEADS);
    gguf_put_int(w, "llama.rope.dimension_count", GGUF_U32, DIM / HEADS);
    gguf_put_float(w, "llama.attention.layer_norm_rms_epsilon", GGUF_F32, 1e-5);
}

/* Three special tokens, the bytes, and words that are never read. */
static void put_words(GgufWriter *w) {
    static char words[VOCAB][12];
    static Text tokens[VOCAB];
    static int64_t types[VOCAB];
    static double scores[VOCAB];
    static const char *const special[] = {"<unk>", "<s>", "</s>"};
    for (int i = 0; i < VOCAB; i++) {
        if (i < 3)
            snprintf(words[i], sizeof words[i], "%s", special[i]);
        else if (i < 259)
            snprintf(words[i], sizeof words[i], "<0x%02X>", i - 3);
        else
            snprintf(words[i], sizeof words[i], "w%d", i);
        tokens[i] = text_of(words[i]), types[i] = i == 0 ? 2 : i < 3 ? 3 : i < 259 ? 6 : 1;
        scores[i] = -(double)i;
    }
    gguf_put_string(w, "tokenizer.ggml.model", text_of("llama"));
    gguf_put_strings(w, "tokenizer.ggml.tokens", tokens, VOCAB);
    gguf_put_floats(w, "tokenizer.ggml.scores", GGUF_F32, scores, VOCAB);
    gguf_put_ints(w, "tokenizer.ggml.token_type", GGUF_I32, types, VOCAB);
    gguf_put_int(w, "tokenizer.ggml.bos_token_id", GGUF_U32, 1);
    gguf_put_int(w, "tokenizer.ggml.eos_token_id", GGUF_U32, 2);
    gguf_put_int(w, "tokenizer.ggml.unknown_token_id", GGUF_U32, 0);
}

bool bench_make_model(BenchJob *job, Fault *fault) {
    Maker m = {.layers = (size_t)job->layers};
    if (!job->files[0] || !job->files[1])
        return fault_set(fault,
                         "wanted a file and a format: strata bench make-model OUT.gguf Q4_0");
    if (!(m.preset = quant_preset_find(job->files[1], fault))) return false;
    if (!compute_open(&job->compute, fault)) return false;
    m.pool = job->compute.pool;
    m.writer = gguf_writer_open(fault);
    double weights =
        (double)m.layers * DIM * (2.0 * DIM + 2.0 * DIM / HEADS * KV_HEADS + 3.0 * HIDDEN) +
        2.0 * VOCAB * DIM;
    bool ok = m.writer != NULL;
    if (ok) {
        progress_start(&m.progress, "weights", "million", weights / 1e6);
        put_numbers(m.writer, m.preset, m.layers);
        put_words(m.writer);
        ok = put_matrix(&m, "token_embd.weight", VOCAB, DIM, fault) &&
             put_matrix(&m, "output.weight", VOCAB, DIM, fault);
        put_ones(&m, "output_norm.weight", DIM);
        for (size_t l = 0; ok && l < m.layers; l++) ok = put_block(&m, l, fault);
        progress_end(&m.progress, m.done / 1e6);
        ok = ok && gguf_write_file(m.writer, job->files[0], fault);
        gguf_writer_close(m.writer);
    }
    compute_close(&job->compute);
    return ok;
}

/* ------------------------------------------------------------------ measuring */

typedef struct Round {
    double seconds;
    double bandwidth; /* GB/s of plain reading around it; 0 where it was not measured */
} Round;

/* The median is a round, with its own bandwidth: rate and bandwidth of different rounds have no
 * share. */
typedef struct Rate {
    double median, low, high; /* tokens a second */
    double bandwidth;         /* of the median round */
} Rate;

static int by_seconds(const void *a, const void *b) {
    double x = ((const Round *)a)->seconds, y = ((const Round *)b)->seconds;
    return (x > y) - (x < y);
}

enum { MAX_ROUNDS = 64 }; /* the range of --rounds: bench.c */

/* The speed of memory changes from one second to the next on a shared machine: it is measured
 * around each round. */
static double probe(const Session *s, size_t count) {
    return count ? bandwidth_gigabytes(s->pool, 0.1).median : 0;
}

/* Read `prompt` tokens at once, or write `count` one by one after `before`; `rounds` times. */
static bool measure(Session *s, size_t prompt, size_t before, size_t count, long rounds,
                    Rate *rate, Fault *fault) {
    int32_t tokens[PREFILL_BATCH];
    Round round[MAX_ROUNDS] = {{0}};
    for (size_t i = 0; i < PREFILL_BATCH; i++)
        tokens[i] = (int32_t)(rng_hash(5, 0, i) % s->model->sizes.vocab);
    for (long r = 0; r < rounds; r++) {
        session_rewind(s, 0, 0);
        for (size_t at = 0; at < before; at += PREFILL_BATCH)
            if (!session_eval(s, tokens,
                              before - at < PREFILL_BATCH ? before - at : PREFILL_BATCH, false,
                              fault))
                return false;
        double speed = probe(s, count), start = clock_seconds();
        for (size_t at = 0; at < prompt; at += PREFILL_BATCH)
            if (!session_eval(s, tokens,
                              prompt - at < PREFILL_BATCH ? prompt - at : PREFILL_BATCH, false,
                              fault))
                return false;
        for (size_t i = 0; i < count; i++)
            if (!session_eval(s, tokens + i % PREFILL_BATCH, 1, false, fault)) return false;
        round[r].seconds = clock_seconds() - start;
        round[r].bandwidth = (speed + probe(s, count)) / 2;
    }
    qsort(round, (size_t)rounds, sizeof *round, by_seconds);
    double n = (double)(prompt + count);
    const Round *middle = &round[rounds / 2];
    *rate = (Rate){n / middle->seconds, n / round[rounds - 1].seconds, n / round[0].seconds,
                   middle->bandwidth};
    return true;
}

double bench_bytes_per_token(const Model *m) {
    double bytes = 0;
    for (size_t i = 0; i < m->gguf.n_tensors; i++) {
        const GgufTensor *t = &m->gguf.tensors[i];
        if (text_equal(t->name, text_of("token_embd.weight")) &&
            m->head.w.data != m->embedding.data)
            continue;
        const LayerExtras *last = m->layers[m->sizes.layers - 1].extras;
        bool of_experts = last && last->experts && t->ndim == 3;
        double used = of_experts ? (double)last->experts_used / (double)last->experts : 1;
        bytes += used * (double)t->bytes;
    }
    return bytes;
}

static void print_rate(const BenchJob *job, const char *what, size_t tokens, size_t before,
                       Rate r, double gigabytes) {
    double share = r.bandwidth > 0 ? gigabytes / r.bandwidth : 0;
    if (job->json) {
        printf("{\"test\":\"%s\",\"tokens\":%zu,\"context\":%zu,\"tokens_per_second\":%.3f,"
               "\"low\":%.3f,\"high\":%.3f,\"gigabytes_per_second\":%.3f,\"bandwidth\":%.3f,"
               "\"share\":%.6f}\n",
               what, tokens, before, r.median, r.low, r.high, gigabytes, r.bandwidth, share);
        return;
    }
    printf("  %-8s %6zu %8zu %10.2f   %8.2f - %-8.2f", what, tokens, before, r.median, r.low,
           r.high);
    if (gigabytes > 0)
        printf("  %6.1f of %.1f GB/s, %.0f %%", gigabytes, r.bandwidth, 100 * share);
    putchar('\n');
}

static bool measure_all(const BenchJob *job, const Model *model, Session *s, Fault *fault) {
    Rate rate;
    double bytes = bench_bytes_per_token(model);
    if (!job->json)
        printf("  %-8s %6s %8s %10s   %-19s  %s\n", "test", "tokens", "context", "tokens/s",
               "slowest - fastest",
               "weights and past, of the bandwidth measured around each round");
    if (job->prompt > 0) {
        if (!measure(s, (size_t)job->prompt, 0, 0, job->rounds, &rate, fault)) return false;
        print_rate(job, "prefill", (size_t)job->prompt, 0, rate, 0);
    }
    if (job->count > 0) {
        if (!measure(s, 0, (size_t)job->context, (size_t)job->count, job->rounds, &rate, fault))
            return false;
        bytes += kv_bytes_moved(&s->kv, (size_t)(job->context + job->count / 2));
        print_rate(job, "decode", (size_t)job->count, (size_t)job->context, rate,
                   bytes * rate.median / 1e9);
    }
    return true;
}

bool bench_model(BenchJob *job, Fault *fault) {
    Model model;
    Session session = {0};
    char text[1024];
    const char *path = job->model;
    if (!choose_model(&path, text, sizeof text, fault) || !compute_open(&job->compute, fault))
        return false;
    double start = clock_seconds();
    bool ok = compute_load_model(&job->compute, path, &model, fault);
    if (ok) {
        size_t longest =
            (size_t)(job->context + job->count > job->prompt ? job->context + job->count
                                                             : job->prompt);
        SessionConfig config = {.ctx = longest,
                                .sequences = 1,
                                .max_tokens = PREFILL_BATCH,
                                .max_logits = 1,
                                .kv = job->compute.kv_format};
        ok = longest <= model.sizes.ctx ||
             fault_set(fault, "%zu tokens are more than the model's context of %zu", longest,
                       model.sizes.ctx);
        ok = ok && session_open(&session, &model, job->compute.pool, config, fault);
        if (ok && !job->json)
            printf("%s, %d threads, %s; open after %.2f s\n\n", path,
                   pool_threads(job->compute.pool), kernels_isa(), clock_seconds() - start);
        ok = ok && measure_all(job, &model, &session, fault);
        if (session.model) session_close(&session);
        model_close(&model);
    }
    compute_close(&job->compute);
    return ok;
}
