/* quantize.c - strata quantize: a model with its matrices in another number format. */
#include "commands.h"
#include "input.h"
#include "compute.h"
#include "quant_preset.h"
#include "model_names.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct Job {
    const char *in, *out, *type, *output, *importance;
    bool list, pure;
    const QuantPreset *preset, *output_preset;
    ComputeOptions compute;
} Job;

static void print_list(void) {
    const QuantPreset *list;
    size_t count = quant_preset_list(&list);
    printf("%-8s %-8s %-16s\n", "name", "format", "bits per weight");
    for (size_t i = 0; i < count; i++) {
        const DtypeInfo *info = dtype_info(list[i].dtype);
        printf("%-8s %-8s %-16.4g %s\n", list[i].name, info->name,
               8.0 * info->bytes / info->block, list[i].gloss);
    }
}

static void show(void *context, double bytes) { progress_show(context, bytes / 1e6); }

static bool write_out(const Job *job, const Gguf *gguf, const Requantize *how, double megabytes,
                      Fault *fault) {
    Progress progress;
    GgufWriter *writer = gguf_writer_open(fault);
    progress_start(&progress, "weights", "MB", megabytes);
    bool ok =
        writer && requantize(gguf, how, job->compute.pool, writer, show, &progress, fault);
    if (ok) progress_end(&progress, megabytes);
    ok = ok && gguf_write_file(writer, job->out, fault);
    if (writer) gguf_writer_close(writer);
    return ok;
}

/* A file that is read is not written over: what quantizing loses is lost for good. */
static bool can_write(const Job *job, Fault *fault) {
    if (file_same(job->in, job->out))
        return fault_set(fault,
                         "%.200s is to be read and written: give the new file another name",
                         job->out);
    if (job->importance && file_same(job->importance, job->out))
        return fault_set(fault, "%.200s holds the importance: give the new file another name",
                         job->out);
    return file_writable(job->out, fault);
}

static void tell(const Job *job, double before, double after, size_t misfits) {
    fprintf(stderr, "[%s: %.2f MB became %.2f MB, %s", job->out, before / 1e6, after / 1e6,
            job->preset->name);
    if (misfits)
        fprintf(stderr, "; %zu matri%s a similar format: rows do not divide into its blocks",
                misfits, misfits == 1 ? "x has" : "ces have");
    fputs("]\n", stderr);
}

static bool quantize(Job *job, Fault *fault) {
    GgufFile file, importance_file = {0};
    FileMap made;
    Gguf gguf, importance = {0};
    char found[2400];
    if (!model_find(&job->in, found, sizeof found, fault)) return false;
    if (!can_write(job, fault) || !gguf_open(&file, &gguf, job->in, fault)) return false;
    bool ok =
        !job->importance || gguf_open(&importance_file, &importance, job->importance, fault);
    ok = ok && compute_open(&job->compute, fault);
    if (ok) {
        const Requantize how = {job->preset, job->output_preset, job->pure,
                                job->importance ? &importance : NULL};
        ok = write_out(job, &gguf, &how, (double)file.bytes / 1e6, fault);
        if (ok && file_open(&made, job->out, fault)) {
            tell(job, (double)file.bytes, (double)made.size, requantize_misfits(&gguf, &how));
            file_close(&made);
        }
        compute_close(&job->compute);
    }
    gguf_close(&importance_file, &importance), gguf_close(&file, &gguf);
    return ok;
}

static bool run_job(Job *job, Fault *fault) {
    job->preset = quant_preset_find(job->type, fault);
    if (!job->preset) return false;
    if (job->output && !(job->output_preset = quant_preset_find(job->output, fault)))
        return false;
    return quantize(job, fault);
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
        THREAD_OPTIONS(job.compute),
        PIN_OPTION(job.compute),
        {0},
    };
    int status = options_read(
        argc, argv, "quantize IN.gguf OUT.gguf TYPE [options]",
        "Write a model with its matrices in another number format.  Vectors "
        "stay as they are;\nmatrices whose rows do not divide into the format's blocks get "
        "a similar format that they divide into.\nThe new file appears when it is complete.",
        options, names, 0, 3);
    if (status >= 0) return status;
    if (job.list && (names[0] || job.output || job.pure || job.importance)) {
        fprintf(stderr, "strata: --list stands alone (strata quantize --help says more)\n");
        return EXIT_USAGE;
    }
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
    return run_job(&job, &fault) ? EXIT_DONE : command_failed(&fault);
}

const Command command_quantize = {.name = "quantize", .run = run};
