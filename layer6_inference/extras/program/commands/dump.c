/* dump.c - strata dump: one tensor's numbers, as they are stored or as floats. */
#include "commands.h"
#include "input.h"
#include "model_names.h"
#include "options.h"

#include <stdio.h>
#include <stdlib.h>

static bool write_all(const void *bytes, size_t size, Fault *fault) {
    return (fwrite(bytes, 1, size, stdout) == size && fflush(stdout) == 0) ||
           fault_set(fault, "standard output took only a part of %zu bytes", size);
}

/* Row by row, so that a large tensor needs little memory. */
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
        ok = write_all(row, cols * sizeof *row, fault);
    }
    free(row);
    return ok;
}

static bool dump(const char *path, const char *name, bool raw, Fault *fault) {
    GgufFile file;
    Gguf gguf;
    char found[2400];
    if (!model_find(&path, found, sizeof found, fault)) return false;
    if (!gguf_open(&file, &gguf, path, fault)) return false;
    const GgufTensor *t = gguf_find_tensor(&gguf, name);
    bool ok =
        t ? (raw ? write_all(t->data, t->bytes, fault) : dump_floats(t, fault))
          : fault_set(fault, "%s has no tensor '%s': strata inspect lists them", path, name);
    gguf_close(&file, &gguf);
    return ok;
}

static int run(int argc, char **argv) {
    const char *names[2] = {NULL, NULL};
    bool raw = false;
    Fault fault;
    const Option options[] = {
        {"--raw", OPT_FLAG, &raw, NULL, "the bytes as they are stored"},
        {0},
    };
    int status =
        options_read(argc, argv, "dump FILE TENSOR [--raw]",
                     "Write a tensor's values to stdout: little-endian float32, whatever "
                     "format they are stored in.",
                     options, names, 2, 2);
    if (status >= 0) return status;
    return dump(names[0], names[1], raw, &fault) ? EXIT_DONE : command_failed(&fault);
}

const Command command_dump = {.name = "dump", .run = run};
