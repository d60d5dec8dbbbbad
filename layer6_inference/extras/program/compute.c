/* compute.c - see compute.h. */
#include "compute.h"
#include "adapter.h"
#include "families.h"

#include "model_names.h"
#include "on_machines.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#ifdef __APPLE__
#include <mach-o/dyld.h>
#endif

double own_seconds(void) {
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static bool compute_readable(const char *path) { return access(path, R_OK) == 0; }

bool program_folder(char *text, size_t size) {
#ifdef __APPLE__
    uint32_t room = (uint32_t)size;
    if (_NSGetExecutablePath(text, &room) != 0) return false;
#else
    ssize_t length = readlink("/proc/self/exe", text, size - 1);
    if (length <= 0) return false;
    text[length] = 0;
#endif
    char *slash = strrchr(text, '/');
    if (slash) slash[1] = 0;
    return slash != NULL;
}

const char *default_model(char *text, size_t size) {
    static const char *const places[] = {"../share/strata/storyteller.gguf",
                                         "../../share/strata/storyteller.gguf",
                                         "../../layer5_models/models/storyteller.gguf",
                                         "../../../layer5_models/models/storyteller.gguf"};
    const char *named = getenv("STRATA_MODEL");
    char folder[2048];
    if (named && *named) return named;
    for (size_t i = 0;
         program_folder(folder, sizeof folder) && i < sizeof places / sizeof *places; i++) {
        snprintf(text, size, "%s%s", folder, places[i]);
        if (compute_readable(text)) return text;
    }
    snprintf(text, size, "layer5_models/models/storyteller.gguf");
    return compute_readable(text) ? text : NULL;
}

bool choose_model(const char **model, Fault *fault) {
    static char text[2400];
    if (!*model) *model = default_model(text, sizeof text);
    if (!*model) return fault_set(fault, "no model found: give one with -m FILE");
    return model_find(model, text, sizeof text, fault);
}

Tokenizer *choose_tokenizer(const char **model, TokenStyle style, Fault *fault) {
    GgufFile file;
    Gguf gguf;
    if (!choose_model(model, fault) || !gguf_open(&file, &gguf, *model, fault)) return NULL;
    Tokenizer *tokenizer = tokenizer_open_as(&gguf, style, fault);
    gguf_close(&file, &gguf);
    return tokenizer || fault_prefix(fault, *model) ? tokenizer : NULL;
}

bool compute_open(ComputeOptions *compute, Fault *fault) {
    if (!kv_format_read(compute->kv ? compute->kv : "f16", &compute->kv_format, fault))
        return false;
    if (compute->isa && !kernels_select(compute->isa, fault)) return wrong_value();
    if (!machines_check(compute, fault)) return wrong_value();
    if (compute->pin && compute->threads > cpu_count())
        return fault_set(fault, "--pin: %ld threads for %d cores: give fewer --threads",
                         compute->threads, cpu_count());
    compute->pool = pool_open((int)compute->threads, compute->pin, fault);
    return compute->pool != NULL;
}

static void show_packing(void *context, double bytes) { progress_show(context, bytes / 1e6); }

bool compute_load_model(const ComputeOptions *compute, const char *path, Model *model,
                        Fault *fault) {
    Progress progress;
    char found[2400];
    if (!model_find(&path, found, sizeof found, fault) || !model_open(model, path, fault))
        return false;
    if (compute->rope && !model_choose_rope(model, compute->rope, fault))
        return model_close(model), fault_prefix(fault, "--longrope");
    if (machines_number() > 1) {
        bool taken = machines_take(compute, path, model, fault);
        if (!taken) model_close(model);
        return taken;
    }
    double megabytes = (double)model_packed_bytes(model) / 1e6;
    bool show = megabytes > 200;
    if (compute->no_pack || megabytes == 0) return true;
    if (show) progress_start(&progress, "repacking weights", "MB", megabytes);
    bool ok = model_pack(model, compute->pool, show ? show_packing : NULL, &progress, fault);
    if (show && ok) progress_end(&progress, megabytes);
    if (!ok) model_close(model);
    return ok || fault_prefix(fault, "without --no-pack");
}

void compute_close_model(Model *model) {
    machines_forget(model);
    model_close(model);
}

/* "FILE", or "FILE=0.5": the strength behind the last '=', when there is a number. */
static bool adapt(const char *text, Model *model, Fault *fault) {
    char path[4096], *end = NULL;
    const char *equal = strrchr(text, '=');
    double strength = equal && equal[1] ? strtod(equal + 1, &end) : 1;
    bool number = end && !*end;
    if (number && !(strength >= -1000 && strength <= 1000))
        return fault_set(fault, "--adapter %.200s: wanted a scale from -1000 to 1000", text);
    snprintf(path, sizeof path, "%.*s", number ? (int)(equal - text) : (int)strlen(text), text);
    return model_adapt(model, path, number ? strength : 1, fault);
}

bool compute_adapt(const ComputeOptions *compute, Model *model, Fault *fault) {
    if (compute->adapters.count && machines_by_layers())
        return fault_set(fault, "--adapter: other machines have the file's weights only: "
                                "wanted --split rows");
    for (size_t i = 0; i < compute->adapters.count; i++)
        if (!adapt(compute->adapters.items[i], model, fault)) return false;
    return true;
}

void compute_close(ComputeOptions *compute) { pool_close(compute->pool); }
