/* quantize.c - strata quantize: a model with its matrices in another number format. */
#include "commands.h"
#include "input.h"
#include "compute.h"
#include "file_same.h"
#include "quant_preset.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct {
    const char *names[3]; /* IN.gguf OUT.gguf TYPE */
    const char *output, *importance;
    bool list, pure, anyway;
    const QuantPreset *preset, *output_preset;
    ComputeOptions compute;
} asked;

static void print_quant_list(void) {
    const QuantPreset *list;
    size_t count = quant_preset_list(&list);
    printf("%-8s %-8s %-16s\n", "name", "format", "bits per weight");
    for (size_t i = 0; i < count; i++) {
        const DtypeInfo *info = dtype_info(list[i].dtype);
        printf("%-8s %-8s %-16.4g %s\n", list[i].name, info->name,
               8.0 * info->bytes / info->block, list[i].gloss);
    }
}

static void show_quantized(void *context, double bytes) { progress_show(context, bytes / 1e6); }

static bool write_quantized(const Gguf *gguf, const Requantize *how, double megabytes,
                            Fault *fault) {
    Progress progress;
    GgufWriter *writer = gguf_writer_open(fault);
    progress_start(&progress, "weights", "MB", megabytes);
    bool ok = writer && requantize(gguf, how, asked.compute.pool, writer, show_quantized,
                                   &progress, fault);
    if (ok) progress_end(&progress, megabytes);
    ok = ok && gguf_write_file(writer, asked.names[1], fault);
    if (writer) gguf_writer_close(writer);
    return ok;
}

/* Never overwrite the input: quantizing is lossy. */
static bool can_write_quantized(Fault *fault) {
    if (file_same(asked.names[0], asked.names[1]))
        return fault_set(fault,
                         "%.200s is to be read and written: give the new file another name",
                         asked.names[1]);
    if (asked.importance && file_same(asked.importance, asked.names[1]))
        return fault_set(fault, "%.200s holds the importance: give the new file another name",
                         asked.names[1]);
    return file_writable(asked.names[1], fault);
}

/* Where more than half is lost, no text is left: the storyteller in TQ2_0 guesses evenly. */
static bool bearable(double error, Fault *fault) {
    return error <= 0.5 || asked.anyway ||
           fault_set(
               fault,
               "%s would change the weights by %.0f %% of their size (root mean square), which "
               "leaves little of what the model has learned: choose a format of more bits "
               "(strata quantize --list), or add --anyway",
               asked.preset->name, 100 * error);
}

static void tell_quantized(double before, double after, double error, size_t misfits) {
    fprintf(stderr, "[%s: %.2f MB became %.2f MB, %s; the weights changed by %.2g %%",
            asked.names[1], before / 1e6, after / 1e6, asked.preset->name, 100 * error);
    if (misfits)
        fprintf(stderr, "; %zu matri%s a similar format: rows do not divide into its blocks",
                misfits, misfits == 1 ? "x has" : "ces have");
    fputs("]\n", stderr);
}

static bool quantize(Fault *fault) {
    GgufFile file, importance_file = {0};
    FileMap made;
    Gguf gguf, importance = {0};
    if (!choose_model(&asked.names[0], fault) || !can_write_quantized(fault) ||
        !gguf_open(&file, &gguf, asked.names[0], fault))
        return false;
    bool ok =
        !asked.importance || gguf_open(&importance_file, &importance, asked.importance, fault);
    ok = ok && compute_open(&asked.compute, fault);
    if (ok) {
        const Requantize how = {asked.preset, asked.output_preset, asked.pure,
                                asked.importance ? &importance : NULL};
        double error;
        ok = requantize_error(&gguf, &how, &error, fault) && bearable(error, fault) &&
             write_quantized(&gguf, &how, (double)file.bytes / 1e6, fault);
        if (ok && file_open(&made, asked.names[1], fault)) {
            tell_quantized((double)file.bytes, (double)made.size, error,
                           requantize_misfits(&gguf, &how));
            file_close(&made);
        }
        compute_close(&asked.compute);
    }
    gguf_close(&importance_file, &importance), gguf_close(&file, &gguf);
    return ok;
}

static bool quantize_run(Fault *fault) {
    if (asked.list) return print_quant_list(), true;
    return (asked.preset = quant_preset_find(asked.names[2], fault)) &&
           (!asked.output || (asked.output_preset = quant_preset_find(asked.output, fault))) &&
           quantize(fault);
}

static const Option quantize_options[] = {
    {"--list", OPT_FLAG, &asked.list, NULL, "list the formats and their bits per weight"},
    {"--keep-output", OPT_TEXT, &asked.output, "TYPE",
     "format of the embedding and output matrices, overriding the mix"},
    {"--pure", OPT_FLAG, &asked.pure, NULL, "use the mix's main format for every matrix"},
    {"--anyway", OPT_FLAG, &asked.anyway, NULL,
     "write the file even if the weights change by more than half of their size"},
    {"--importance", OPT_TEXT, &asked.importance, "FILE.gguf",
     "importance matrix, as written by llama.cpp's llama-imatrix"},
    THREAD_OPTIONS(asked.compute),
    PIN_OPTION(asked.compute),
    {0},
};

static bool quantize_check(Fault *fault) {
    if (asked.list)
        return (!asked.names[0] && !asked.output && !asked.pure && !asked.importance &&
                !asked.anyway) ||
               fault_set(fault, "--list stands alone");
    return asked.names[2] ||
           fault_set(fault, "wanted a model, the name of the new file and a format");
}

const Command command_quantize = {
    .name = "quantize",
    .usage = "quantize IN.gguf OUT.gguf TYPE [options]",
    .about = "Rewrite a model with its matrices in another number format.  Vectors stay as "
             "they are;\nmatrices whose rows do not divide into the format's blocks get a "
             "similar format.\nThe file appears when it is complete.",
    .options = quantize_options,
    .words = asked.names,
    .max_words = 3,
    .check = quantize_check,
    .run = quantize_run};
