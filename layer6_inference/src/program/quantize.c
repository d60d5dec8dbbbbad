/* quantize.c - strata quantize: a model with its matrices in another number format. */
#include "options.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The names of whole files, as general.file_type. */
static const struct {
    Dtype dtype;
    int file_type;
} targets[] = {{DTYPE_F32, 0},    {DTYPE_F16, 1},    {DTYPE_BF16, 32}, {DTYPE_Q8_0, 7},
               {DTYPE_Q5_1, 9},   {DTYPE_Q5_0, 8},   {DTYPE_Q4_1, 3},  {DTYPE_Q4_0, 2},
               {DTYPE_MXFP4, 38}, {DTYPE_TQ2_0, 37}, {DTYPE_TQ1_0, 36}};
enum { TARGETS = sizeof targets / sizeof *targets };

typedef struct Job {
    const char *in, *out, *type, *output;
    bool list, pure;
    Dtype dtype, output_dtype;
    int file_type;
} Job;

static double bits(Dtype dtype) {
    return 8.0 * dtype_info(dtype)->bytes / dtype_info(dtype)->block;
}

static void print_list(void) {
    printf("format   bits per weight\n");
    for (int i = 0; i < TARGETS; i++)
        printf("%-8s %.4g\n", dtype_name(targets[i].dtype), bits(targets[i].dtype));
}

static bool find_target(const char *name, Dtype *dtype, int *file_type, Fault *fault) {
    for (int i = 0; i < TARGETS; i++)
        if (dtype_by_name(name) == (int)targets[i].dtype) {
            *dtype = targets[i].dtype, *file_type = targets[i].file_type;
            return true;
        }
    return fault_set(fault,
                     "no format '%.20s' that can be written: strata quantize --list names them",
                     name);
}

static bool is_output(const GgufTensor *t) {
    return text_equal(t->name, text_of("output.weight")) ||
           text_equal(t->name, text_of("token_embd.weight"));
}

/* Vectors and norms stay as they are, and so do rows that do not divide into blocks. */
static Dtype format_for(const Job *job, const GgufTensor *t) {
    Dtype wanted = is_output(t) && job->output && !job->pure ? job->output_dtype : job->dtype;
    size_t row = t->ndim ? t->shape[t->ndim - 1] : 1;
    if (t->ndim < 2 || row % dtype_info(wanted)->block || !dtype_is_computable(t->dtype))
        return (Dtype)t->dtype;
    return wanted;
}

static bool convert(const GgufTensor *t, Dtype to, GgufWriter *writer, Fault *fault) {
    char name[128];
    snprintf(name, sizeof name, "%.*s", (int)t->name.size, t->name.data);
    if (to == (Dtype)t->dtype) {
        Tensor same = gguf_tensor_view(t);
        gguf_put_tensor(writer, name, &same);
        return true;
    }
    size_t cols = t->shape[t->ndim - 1], rows = 1;
    for (int i = 0; i + 1 < t->ndim; i++) rows *= t->shape[i];
    size_t from_bytes = dtype_row_bytes((Dtype)t->dtype, cols),
           to_bytes = dtype_row_bytes(to, cols);
    float *row = malloc(cols * sizeof *row);
    char *stored = malloc(rows * to_bytes);
    bool ok = (row && stored) || fault_set(fault, "no memory to convert '%s'", name);
    for (size_t r = 0; ok && r < rows; r++) {
        dequantize_row((Dtype)t->dtype, t->data + r * from_bytes, row, cols);
        quantize_row(to, row, stored + r * to_bytes, cols);
    }
    if (ok) {
        Tensor view = tensor_view(to, t->ndim, t->shape, stored);
        gguf_put_tensor(writer, name, &view);
    }
    free(row), free(stored);
    return ok;
}

static bool convert_all(const Job *job, const Gguf *gguf, GgufWriter *writer, Fault *fault) {
    Progress progress;
    size_t before = 0, after = 0;
    for (size_t i = 0; i < gguf->n_pairs; i++)
        if (!text_equal(gguf->pairs[i].key, text_of("general.file_type")) &&
            !text_equal(gguf->pairs[i].key, text_of("general.alignment")))
            gguf_put_pair(writer, &gguf->pairs[i]);
    gguf_put_int(writer, "general.file_type", GGUF_U32, job->file_type);
    progress_start(&progress, "tensors", "tensors", (double)gguf->n_tensors);
    for (size_t i = 0; i < gguf->n_tensors; i++) {
        const GgufTensor *t = &gguf->tensors[i];
        Dtype to = format_for(job, t);
        size_t cols = t->ndim ? t->shape[t->ndim - 1] : 1;
        if (!convert(t, to, writer, fault)) return false;
        before += t->bytes;
        after += to == (Dtype)t->dtype ? t->bytes
                                       : t->bytes / dtype_row_bytes((Dtype)t->dtype, cols) *
                                             dtype_row_bytes(to, cols);
        progress_show(&progress, (double)(i + 1));
    }
    progress_end(&progress, (double)gguf->n_tensors);
    fprintf(stderr, "[%s: %.2f MB of weights become %.2f MB, %s]\n", job->out,
            (double)before / 1e6, (double)after / 1e6, dtype_name(job->dtype));
    return true;
}

static bool quantize(const Job *job, Fault *fault) {
    FileMap map;
    Gguf gguf;
    if (!file_open(&map, job->in, fault)) return false;
    bool ok = gguf_parse(&gguf, map.data, map.size, fault) || fault_prefix(fault, job->in);
    if (ok) {
        GgufWriter *writer = gguf_writer_open(fault);
        ok = writer && convert_all(job, &gguf, writer, fault) &&
             gguf_write_file(writer, job->out, fault);
        if (writer) gguf_writer_close(writer);
        gguf_free(&gguf);
    }
    file_close(&map);
    return ok;
}

static int run(int argc, char **argv) {
    Job job = {0};
    Fault fault = {0};
    const char *names[3] = {NULL, NULL, NULL};
    int ignored;
    const Option options[] = {
        {"--list", OPT_FLAG, &job.list, NULL, "the formats and their bits per weight"},
        {"--keep-output", OPT_TEXT, &job.output, "TYPE",
         "format of the embedding and the output matrix (as the others)"},
        {"--pure", OPT_FLAG, &job.pure, NULL,
         "every matrix in the one format, whatever else is said"},
        {0},
    };
    int status =
        options_read(argc, argv, "quantize IN.gguf OUT.gguf TYPE [options]",
                     "Write a model with its matrices in another number format.  Vectors "
                     "stay as they are, and so do matrices\nwhose rows do not divide into "
                     "the format's blocks.  The new file appears when it is complete.",
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
    bool ok = find_target(job.type, &job.dtype, &job.file_type, &fault) &&
              (!job.output || find_target(job.output, &job.output_dtype, &ignored, &fault)) &&
              quantize(&job, &fault);
    return ok ? EXIT_DONE : command_failed(&fault);
}

const Command command_quantize = {
    .name = "quantize", .gloss = "a model in another number format", .run = run};
