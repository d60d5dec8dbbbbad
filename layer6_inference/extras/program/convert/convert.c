/* convert.c - strata convert: a published model's folder becomes a GGUF file. */
#include "commands.h"
#include "input.h"
#include "compute.h"
#include "converter.h"
#include "quant_preset.h"

#include <stdio.h>
#include <sys/stat.h>

static struct {
    const char *names[3]; /* FOLDER OUT.gguf TYPE */
    const char *target;
    bool list, vision;
    OptionList without;
    ComputeOptions compute;
    Progress progress;
    bool begun;
} asked;

static void print_classes(void) {
    Text name;
    const char *arch;
    for (size_t i = 0; convert_class(i, &name, &arch); i++)
        printf("%-41.*s %s\n", (int)name.size, name.data, arch);
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

static bool is_no_folder(const char *path, Fault *fault) {
    struct stat status;
    if (stat(path, &status) != 0 || S_ISDIR(status.st_mode)) return false;
    fault_set(fault,
              "%.200s is a file: wanted the folder of a published model, with its config.json "
              "(a GGUF file needs no conversion; strata quantize changes its number format)",
              path);
    return true;
}

static bool convert_run(Fault *fault) {
    Convert how = {.without = asked.without.items,
                   .n_without = asked.without.count,
                   .target = asked.target,
                   .vision = asked.vision,
                   .progress = show_converted,
                   .note = note_converted};
    FileMap made;
    if (asked.list) return print_classes(), true;
    if (is_no_folder(asked.names[0], fault)) return false;
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
    {"--target", OPT_TEXT, &asked.target, "FOLDER",
     "of the model that a draft head (EAGLE-3) is for, whose tokens it has"},
    {"--vision", OPT_FLAG, &asked.vision, NULL,
     "the vision tower and projector of a folder of LLaVA, Gemma 3 and others, for --mmproj"},
    THREAD_OPTIONS(asked.compute),
    PIN_OPTION(asked.compute),
    {0},
};

static bool convert_check(Fault *fault) {
    if (asked.list)
        return (!asked.names[0] && !asked.without.count && !asked.target && !asked.vision) ||
               fault_set(fault, "--list stands alone");
    return (asked.names[1] && *asked.names[0]) ||
           fault_set(fault, "wanted a checkpoint's folder and the name of the new file");
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
