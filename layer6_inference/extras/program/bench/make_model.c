/* make_model.c - strata bench make-model: a model of random weights to benchmark, in any mix of
 * formats. */
#include "bench.h"
#include "quant_preset.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

/* Rows of random numbers with mean 0 and standard deviation 1 / sqrt(cols). */
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

static bool made_put_matrix(Maker *m, const char *name, size_t rows, size_t cols,
                            Fault *fault) {
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

static bool made_put_block(Maker *m, size_t layer, Fault *fault) {
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
        else if (!made_put_matrix(m, name, rows, cols, fault))
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

/* Three special tokens, the bytes, and filler words. */
static void made_put_words(GgufWriter *w) {
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
    if (!job->names[1] || !job->names[2])
        return fault_set(fault,
                         "wanted a file and a format: strata bench make-model OUT.gguf Q4_0");
    if (!(m.preset = quant_preset_find(job->names[2], fault))) return false;
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
        made_put_words(m.writer);
        ok = made_put_matrix(&m, "token_embd.weight", VOCAB, DIM, fault) &&
             made_put_matrix(&m, "output.weight", VOCAB, DIM, fault);
        put_ones(&m, "output_norm.weight", DIM);
        for (size_t l = 0; ok && l < m.layers; l++) ok = made_put_block(&m, l, fault);
        progress_end(&m.progress, m.done / 1e6);
        ok = ok && gguf_write_file(m.writer, job->names[1], fault);
        gguf_writer_close(m.writer);
    }
    compute_close(&job->compute);
    return ok;
}
