/* dump.c - strata dump: one tensor's numbers, as stored or as floats. */
#include "commands.h"
#include "compute.h"

#include <stdio.h>
#include <stdlib.h>

static bool dump_bytes(const void *bytes, size_t size, Fault *fault) {
    return (fwrite(bytes, 1, size, stdout) == size && fflush(stdout) == 0) ||
           fault_set(fault, "standard output took only a part of %zu bytes", size);
}

/* Row by row: constant memory for any tensor. */
static bool dump_floats(const GgufTensor *t, Fault *fault) {
    size_t cols = t->ndim ? t->shape[t->ndim - 1] : 1, rows = 1;
    for (int i = 0; i + 1 < t->ndim; i++) rows *= t->shape[i];
    if (!dtype_is_computable(t->dtype))
        return fault_set(fault,
                         "%s is not a format that can be read as floats: --raw gives its bytes",
                         dtype_name(t->dtype));
    size_t bytes = dtype_row_bytes((Dtype)t->dtype, cols);
    float *row = malloc(cols * sizeof *row);
    bool ok = row || fault_set(fault, "no memory for a row of %zu numbers", cols);
    for (size_t r = 0; ok && r < rows; r++) {
        dequantize_row((Dtype)t->dtype, t->data + r * bytes, row, cols);
        ok = dump_bytes(row, cols * sizeof *row, fault);
    }
    free(row);
    return ok;
}

static struct {
    const char *names[2]; /* file and tensor */
    bool raw;
} asked;

static bool dump_run(Fault *fault) {
    GgufFile file;
    Gguf gguf;
    if (!choose_model(&asked.names[0], fault) ||
        !gguf_open(&file, &gguf, asked.names[0], fault))
        return false;
    const GgufTensor *t = gguf_find_tensor(&gguf, asked.names[1]);
    bool ok = t ? (asked.raw ? dump_bytes(t->data, t->bytes, fault) : dump_floats(t, fault))
                : fault_set(fault, "%s has no tensor '%s': strata inspect lists them",
                            asked.names[0], asked.names[1]);
    gguf_close(&file, &gguf);
    return ok;
}

static const Option dump_options[] = {
    {"--raw", OPT_FLAG, &asked.raw, NULL, "write the stored bytes"},
    {0},
};

const Command command_dump = {.name = "dump",
                              .usage = "dump FILE TENSOR [--raw]",
                              .about = "Write a tensor's values to stdout as little-endian "
                                       "float32, whatever their format in the file.",
                              .options = dump_options,
                              .words = asked.names,
                              .min_words = 2,
                              .max_words = 2,
                              .run = dump_run};
