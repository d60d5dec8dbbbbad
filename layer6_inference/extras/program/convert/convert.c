/* convert.c - strata convert: a published model's folder becomes a GGUF file. */
#include "commands.h"
#include "input.h"
#include "compute.h"
#include "converter.h"
#include "quant_preset.h"

#include <stdio.h>

typedef struct Job {
    const char *folder, *out, *type;
    bool list;
    OptionList without;
    ComputeOptions compute;
    Progress progress;
    bool begun;
} Job;

static void print_list(void) {
    const char *architecture, *arch;
    for (size_t i = 0; convert_class(i, &architecture, &arch); i++)
        printf("%-28s %s\n", architecture, arch);
}

static void show(void *context, double bytes, double all) {
    Job *job = context;
    if (!job->begun) progress_start(&job->progress, "weights", "MB", all / 1e6);
    job->begun = true;
    progress_show(&job->progress, bytes / 1e6);
}

static void note(void *context, const char *sentence) {
    (void)context;
    fprintf(stderr, "[%s]\n", sentence);
}

static bool convert(Job *job, Fault *fault) {
    Convert how = {.without = job->without.items,
                   .n_without = job->without.count,
                   .progress = show,
                   .note = note,
                   .context = job};
    FileMap made;
    if (job->type && !(how.preset = quant_preset_find(job->type, fault))) return false;
    if (!compute_open(&job->compute, fault)) return false;
    bool ok = convert_folder(job->folder, job->out, &how, job->compute.pool, fault);
    if (ok && job->begun) progress_end(&job->progress, job->progress.total);
    compute_close(&job->compute);
    if (ok && file_open(&made, job->out, fault)) {
        fprintf(stderr, "[%s: %.2f MB]\n", job->out, (double)made.size / 1e6);
        file_close(&made);
    }
    return ok;
}

static int run(int argc, char **argv) {
    Job job = {0};
    Fault fault = {0};
    const char *names[3] = {NULL, NULL, NULL};
    const Option options[] = {
        {"--list", OPT_FLAG, &job.list, NULL, "the classes of models that can be converted"},
        {"--without", OPT_LIST, &job.without, "KEY",
         "leave out a key of config.json that is not known, and is known to you to be "
         "harmless; once for each key"},
        THREAD_OPTIONS(job.compute),
        PIN_OPTION(job.compute),
        {0},
    };
    int status = options_read(
        argc, argv, "convert FOLDER OUT.gguf [TYPE] [options]",
        "Rewrite a model as it is published (config.json; tokenizer.json, tokenizer.model or "
        "vocab.txt;\n"
        "*.safetensors or pytorch_model.bin) as a GGUF file.  TYPE is a number format as for\n"
        "strata quantize; without one each matrix keeps its own.  The new file appears when it "
        "is complete.",
        options, names, 0, 3);
    if (status >= 0) return status;
    if (job.list && (names[0] || job.without.count)) {
        fprintf(stderr, "strata: --list stands alone (strata convert --help says more)\n");
        return EXIT_USAGE;
    }
    if (job.list) return print_list(), EXIT_DONE;
    job.folder = names[0], job.out = names[1], job.type = names[2];
    if (!job.out || !*job.folder) {
        fprintf(stderr, "strata: usage: strata convert FOLDER OUT.gguf [TYPE] (--help says "
                        "more)\n");
        return EXIT_USAGE;
    }
    return convert(&job, &fault) ? EXIT_DONE : command_failed(&fault);
}

const Command command_convert = {.name = "convert", .run = run};
