/* convert.c - strata convert: a published model's folder becomes a GGUF file. */
#include "commands.h"
#include "input.h"
#include "compute.h"
#include "converter.h"
#include "quant_preset.h"

#include <stdio.h>

static struct {
    const char *names[3]; /* FOLDER OUT.gguf TYPE */
    bool list;
    OptionList without;
    ComputeOptions compute;
    Progress progress;
    bool begun;
} asked;

static void print_classes(void) {
    const char *architecture, *arch;
    for (size_t i = 0; convert_class(i, &architecture, &arch); i++)
        printf("%-28s %s\n", architecture, arch);
}

static void show_converted(void *context, double bytes, double all) {
    (void)context;
    if (!asked.begun) progress_start(&asked.progress, "weights", "MB", all / 1e6);
    asked.begun = true;
    progress_show(&asked.progress, bytes / 1e6);
}

static void note_converted(void *context, const char *sentence) {
    (void)context;
    fprintf(stderr, "[%s]\n", sentence);
}

static bool convert_run(Fault *fault) {
    Convert how = {.without = asked.without.items,
                   .n_without = asked.without.count,
                   .progress = show_converted,
                   .note = note_converted};
    FileMap made;
    if (asked.list) return print_classes(), true;
    if (asked.names[2] && !(how.preset = quant_preset_find(asked.names[2], fault)))
        return false;
    if (!compute_open(&asked.compute, fault)) return false;
    bool ok = convert_folder(asked.names[0], asked.names[1], &how, asked.compute.pool, fault);
    if (ok && asked.begun) progress_end(&asked.progress, asked.progress.total);
    compute_close(&asked.compute);
    if (ok && file_open(&made, asked.names[1], fault)) {
        fprintf(stderr, "[%s: %.2f MB]\n", asked.names[1], (double)made.size / 1e6);
        file_close(&made);
    }
    return ok;
}

static const Option convert_options[] = {
    {"--list", OPT_FLAG, &asked.list, NULL, "list the model classes that can be converted"},
    {"--without", OPT_LIST, &asked.without, "KEY",
     "ignore an unknown key of config.json that you know to be harmless (repeatable)"},
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
        "Convert a published model (config.json; tokenizer.json, tokenizer.model or "
        "vocab.txt;\n"
        "*.safetensors or pytorch_model.bin) to a GGUF file.  TYPE is a number format as for\n"
        "strata quantize; without one each matrix keeps its format.  The file appears when it "
        "is complete.",
    .options = convert_options,
    .words = asked.names,
    .max_words = 3,
    .check = convert_check,
    .run = convert_run};
