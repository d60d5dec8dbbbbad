/* convert.c - strata convert: a published model's folder becomes a GGUF file. */
#include "commands.h"
#include "input.h"
#include "compute.h"
#include "converter.h"
#include "quant_preset.h"

#include <stdio.h>

typedef struct ConvertJob {
    const char *names[3]; /* FOLDER OUT.gguf TYPE */
    bool list;
    OptionList without;
    ComputeOptions compute;
    Progress progress;
    bool begun;
} ConvertJob;

static ConvertJob asked;

static void print_classes(void) {
    const char *architecture, *arch;
    for (size_t i = 0; convert_class(i, &architecture, &arch); i++)
        printf("%-28s %s\n", architecture, arch);
}

static void show_converted(void *context, double bytes, double all) {
    ConvertJob *job = context;
    if (!job->begun) progress_start(&job->progress, "weights", "MB", all / 1e6);
    job->begun = true;
    progress_show(&job->progress, bytes / 1e6);
}

static void note_converted(void *context, const char *sentence) {
    (void)context;
    fprintf(stderr, "[%s]\n", sentence);
}

static bool convert_run(Fault *fault) {
    ConvertJob *job = &asked;
    Convert how = {.without = job->without.items,
                   .n_without = job->without.count,
                   .progress = show_converted,
                   .note = note_converted,
                   .context = job};
    FileMap made;
    if (job->list) return print_classes(), true;
    if (job->names[2] && !(how.preset = quant_preset_find(job->names[2], fault))) return false;
    if (!compute_open(&job->compute, fault)) return false;
    bool ok = convert_folder(job->names[0], job->names[1], &how, job->compute.pool, fault);
    if (ok && job->begun) progress_end(&job->progress, job->progress.total);
    compute_close(&job->compute);
    if (ok && file_open(&made, job->names[1], fault)) {
        fprintf(stderr, "[%s: %.2f MB]\n", job->names[1], (double)made.size / 1e6);
        file_close(&made);
    }
    return ok;
}

static const Option convert_options[] = {
    {"--list", OPT_FLAG, &asked.list, NULL, "the classes of models that can be converted"},
    {"--without", OPT_LIST, &asked.without, "KEY",
     "leave out a key of config.json that is not known, and is known to you to be harmless; "
     "once for each key"},
    THREAD_OPTIONS(asked.compute),
    PIN_OPTION(asked.compute),
    {0},
};

static bool convert_check(Fault *fault) {
    if (asked.list)
        return (!asked.names[0] && !asked.without.count) ||
               fault_set(fault, "--list stands alone");
    return (asked.names[1] && *asked.names[0]) || fault_set(fault, "something is missing");
}

const Command command_convert = {
    .name = "convert",
    .usage = "convert FOLDER OUT.gguf [TYPE] [options]",
    .about =
        "Rewrite a model as it is published (config.json; tokenizer.json, tokenizer.model or "
        "vocab.txt;\n"
        "*.safetensors or pytorch_model.bin) as a GGUF file.  TYPE is a number format as for\n"
        "strata quantize; without one each matrix keeps its own.  The new file appears when it "
        "is complete.",
    .options = convert_options,
    .words = asked.names,
    .max_words = 3,
    .check = convert_check,
    .run = convert_run};
