/* quantize.c - strata quantize: a model with its matrices in another number format. */
#include "options.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct Job {
    const char *in, *out, *type, *output, *importance;
    bool list, pure;
    const Mix *mix, *output_mix;
    Machine machine;
} Job;

/* What a conversion reads besides the tensor. */
typedef struct Source {
    const Job *job;
    const Gguf *gguf;
    Gguf importance; /* no tensors: none */
    size_t layers;
} Source;

static void print_list(void) {
    const Mix *list;
    size_t count = mix_list(&list);
    printf("%-8s %-8s %-16s\n", "name", "format", "bits per weight");
    for (size_t i = 0; i < count; i++) {
        const DtypeInfo *info = dtype_info(list[i].dtype);
        printf("%-8s %-8s %-16.4g %s\n", list[i].name, info->name,
               8.0 * info->bytes / info->block, list[i].gloss);
    }
}

static bool is_output(const GgufTensor *t) {
    return text_equal(t->name, text_of("output.weight")) ||
           text_equal(t->name, text_of("token_embd.weight"));
}

static bool holds(Text text, const char *part) {
    size_t n = strlen(part);
    for (size_t i = 0; i + n <= text.size; i++)
        if (memcmp(text.data + i, part, n) == 0) return true;
    return false;
}

/* Vectors, norms, positions and the small matrix that chooses experts stay as they are. */
static bool stays(const GgufTensor *t) {
    return t->ndim < 2 || !dtype_is_computable(t->dtype) || holds(t->name, "ffn_gate_inp") ||
           holds(t->name, "_norm") || holds(t->name, "position_embd");
}

static Dtype format_for(const Source *s, const GgufTensor *t) {
    const Job *job = s->job;
    bool tied = text_equal(t->name, text_of("token_embd.weight")) &&
                !gguf_find_tensor(s->gguf, "output.weight");
    size_t row = t->ndim ? t->shape[t->ndim - 1] : 1;
    if (stays(t)) return (Dtype)t->dtype;
    if (is_output(t) && job->output_mix)
        return mix_dtype(job->output_mix, t->name, s->layers, row, true);
    return mix_dtype(job->mix, tied ? text_of("output.weight") : t->name, s->layers, row,
                     job->pure);
}

/* One tensor on its way to another format. */
typedef struct Conversion {
    const GgufTensor *t;
    Dtype to;
    const float *importance; /* (cols), NULL: none */
    char *stored;
    float *rows; /* (threads, cols) */
} Conversion;

static void convert_rows(void *context, int worker, size_t begin, size_t end) {
    const Conversion *c = context;
    size_t cols = c->t->shape[c->t->ndim - 1];
    Dtype from = (Dtype)c->t->dtype;
    float *row = c->rows + (size_t)worker * cols;
    for (size_t r = begin; r < end; r++) {
        dequantize_row(from, c->t->data + r * dtype_row_bytes(from, cols), row, cols);
        quantize_row(c->to, row, c->importance, c->stored + r * dtype_row_bytes(c->to, cols),
                     cols);
    }
}

/* The mean squares of a matrix's inputs, as llama.cpp's imatrix files name them. */
static bool find_importance(const Source *s, const char *name, size_t cols,
                            const float **importance, Fault *fault) {
    char wanted[160];
    *importance = NULL;
    if (s->importance.n_tensors == 0) return true;
    snprintf(wanted, sizeof wanted, "%s.in_sum2", name);
    const GgufTensor *t = gguf_find_tensor(&s->importance, wanted);
    if (!t) return true; /* files hold none for the embedding */
    if (t->dtype != DTYPE_F32 || t->shape[t->ndim - 1] != cols ||
        (uintptr_t)t->data % sizeof(float))
        return fault_set(fault, "%s: '%s' is not %zu numbers in F32: is it of another model?",
                         s->job->importance, wanted, cols);
    *importance = (const float *)t->data;
    return true;
}

static bool convert(const Source *s, const GgufTensor *t, Dtype to, GgufWriter *writer,
                    Fault *fault) {
    char name[128];
    snprintf(name, sizeof name, "%.*s", (int)t->name.size, t->name.data);
    if (to == (Dtype)t->dtype) {
        Tensor same = gguf_tensor_view(t);
        gguf_put_tensor(writer, name, &same);
        return true;
    }
    size_t cols = t->shape[t->ndim - 1], rows = 1;
    for (int i = 0; i + 1 < t->ndim; i++) rows *= t->shape[i];
    Conversion c = {.t = t, .to = to};
    c.stored = malloc(rows * dtype_row_bytes(to, cols));
    c.rows = malloc((size_t)pool_threads(s->job->machine.pool) * cols * sizeof *c.rows);
    bool ok = (c.rows && c.stored) || fault_set(fault, "no memory to convert '%s'", name);
    ok = ok && find_importance(s, name, cols, &c.importance, fault);
    if (ok) {
        pool_for(s->job->machine.pool, rows, 8, convert_rows, &c);
        Tensor view = tensor_view(to, t->ndim, t->shape, c.stored);
        gguf_put_tensor(writer, name, &view);
    }
    free(c.rows), free(c.stored);
    return ok;
}

static bool convert_all(const Source *s, GgufWriter *writer, Fault *fault) {
    const Gguf *gguf = s->gguf;
    const Job *job = s->job;
    Progress progress;
    size_t before = 0, after = 0;
    for (size_t i = 0; i < gguf->n_pairs; i++)
        if (!text_equal(gguf->pairs[i].key, text_of("general.file_type")) &&
            !text_equal(gguf->pairs[i].key, text_of("general.alignment")))
            gguf_put_pair(writer, &gguf->pairs[i]);
    gguf_put_int(writer, "general.file_type", GGUF_U32, job->mix->file_type);
    progress_start(&progress, "tensors", "tensors", (double)gguf->n_tensors);
    for (size_t i = 0; i < gguf->n_tensors; i++) {
        const GgufTensor *t = &gguf->tensors[i];
        Dtype to = format_for(s, t);
        size_t cols = t->ndim ? t->shape[t->ndim - 1] : 1;
        if (!convert(s, t, to, writer, fault)) return false;
        before += t->bytes;
        after += to == (Dtype)t->dtype ? t->bytes
                                       : t->bytes / dtype_row_bytes((Dtype)t->dtype, cols) *
                                             dtype_row_bytes(to, cols);
        progress_show(&progress, (double)(i + 1));
    }
    progress_end(&progress, (double)gguf->n_tensors);
    fprintf(stderr, "[%s: %.2f MB of weights become %.2f MB, %s]\n", job->out,
            (double)before / 1e6, (double)after / 1e6, job->mix->name);
    return true;
}

static size_t layers_of(const Gguf *gguf) {
    Text arch;
    int64_t layers = 0;
    char key[96];
    if (gguf_string(gguf_find(gguf, "general.architecture"), &arch)) {
        snprintf(key, sizeof key, "%.*s.block_count", (int)(arch.size < 60 ? arch.size : 60),
                 arch.data);
        gguf_int(gguf_find(gguf, key), 0, &layers);
    }
    return layers > 0 ? (size_t)layers : 1;
}

static bool open_gguf(const char *path, FileMap *map, Gguf *gguf, Fault *fault) {
    if (!file_open(map, path, fault)) return false;
    if (gguf_parse(gguf, map->data, map->size, fault)) return true;
    file_close(map);
    return fault_prefix(fault, path);
}

static bool quantize(Job *job, Fault *fault) {
    FileMap map, importance_map = {0};
    Gguf gguf;
    Source source = {.job = job, .gguf = &gguf};
    if (!open_gguf(job->in, &map, &gguf, fault)) return false;
    source.layers = layers_of(&gguf);
    bool ok = !job->importance ||
              open_gguf(job->importance, &importance_map, &source.importance, fault);
    ok = ok && machine_open(&job->machine, fault);
    if (ok) {
        GgufWriter *writer = gguf_writer_open(fault);
        ok = writer && convert_all(&source, writer, fault) &&
             gguf_write_file(writer, job->out, fault);
        if (writer) gguf_writer_close(writer);
        machine_close(&job->machine);
    }
    gguf_free(&source.importance), gguf_free(&gguf);
    file_close(&importance_map), file_close(&map);
    return ok;
}

static int run(int argc, char **argv) {
    Job job = {0};
    Fault fault = {0};
    const char *names[3] = {NULL, NULL, NULL};
    const Option options[] = {
        {"--list", OPT_FLAG, &job.list, NULL, "the formats and their bits per weight"},
        {"--keep-output", OPT_TEXT, &job.output, "TYPE",
         "format of the embedding and the output matrix, whatever the mix says"},
        {"--pure", OPT_FLAG, &job.pure, NULL, "every matrix in the mix's main format"},
        {"--importance", OPT_TEXT, &job.importance, "FILE.gguf",
         "how much each input counts: a file as llama.cpp's llama-imatrix writes it"},
        MACHINE_OPTIONS(job.machine),
        {0},
    };
    int status = options_read(
        argc, argv, "quantize IN.gguf OUT.gguf TYPE [options]",
        "Write a model with its matrices in another number format.  Vectors "
        "stay as they are;\nmatrices whose rows do not divide into the format's blocks get "
        "a similar format that they divide into.\nThe new file appears when it is complete.",
        options, names, 0, 3);
    if (status >= 0) return status;
    if (job.list) {
        print_list();
        return EXIT_DONE;
    }
    job.in = names[0], job.out = names[1], job.type = names[2];
    if (!job.type) {
        fprintf(stderr,
                "strata: usage: strata quantize IN.gguf OUT.gguf TYPE (--help says more)\n");
        return EXIT_USAGE;
    }
    job.mix = mix_find(job.type, &fault);
    bool ok = job.mix && (!job.output || (job.output_mix = mix_find(job.output, &fault))) &&
              quantize(&job, &fault);
    return ok ? EXIT_DONE : command_failed(&fault);
}

const Command command_quantize = {
    .name = "quantize", .gloss = "a model in another number format", .run = run};
