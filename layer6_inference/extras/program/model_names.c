/* model_names.c - see model_names.h. */
#include "model_names.h"

#include "nearest.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

static const PublishedModel models[] = {
    {"stories260k", 1185376, "MIT", "the smallest: tells simple stories",
     "ggml-org/models-moved/tinyllamas/stories260K.gguf",
     "270cba1bd5109f42d03350f60406024560464db173c0e387d91f0426d3bd256d"},
    {"smollm2-135m", 105454432, "Apache 2.0", "chat, with little memory",
     "bartowski/SmolLM2-135M-Instruct-GGUF/SmolLM2-135M-Instruct-Q4_K_M.gguf",
     "2e8040ceae7815abe0dcb3540b9995eaa1fa0d2ca9e797d0a635ae4433c68c2d"},
    {"smollm2-360m", 386404992, "Apache 2.0", "chat, quick on any machine",
     "HuggingFaceTB/SmolLM2-360M-Instruct-GGUF/smollm2-360m-instruct-q8_0.gguf",
     "48ab3034d0dd401fbc721eb1df3217902fee7dab9078992d66431f09b7750201"},
    {"qwen2.5-0.5b", 491400032, "Apache 2.0", "chat, in many languages",
     "Qwen/Qwen2.5-0.5B-Instruct-GGUF/qwen2.5-0.5b-instruct-q4_k_m.gguf",
     "74a4da8c9fdbcd15bd1f6d01d621410d31c6fc00986f5eb687824e7b93d7a9db"},
    {"qwen3-0.6b", 639446688, "Apache 2.0", "chat that thinks before it answers",
     "Qwen/Qwen3-0.6B-GGUF/Qwen3-0.6B-Q8_0.gguf",
     "9465e63a22add5354d9bb4b99e90117043c7124007664907259bd16d043bb031"},
    {"gemma-3-1b", 806058240, "Gemma terms", "chat, the most fluent of these",
     "ggml-org/gemma-3-1b-it-GGUF/gemma-3-1b-it-Q4_K_M.gguf",
     "8ccc5cd1f1b3602548715ae25a66ed73fd5dc68a210412eea643eb20eb75a135"},
    {"llama-3.2-1b", 807694464, "Llama 3.2", "chat",
     "bartowski/Llama-3.2-1B-Instruct-GGUF/Llama-3.2-1B-Instruct-Q4_K_M.gguf",
     "6f85a640a97cf2bf5b8e764087b1e83da0fdb51d7c9fab7d0fece9385611df83"},
    {"qwen2.5-coder", 491400064, "Apache 2.0",
     "code, and what is missing in it (--prefix, --suffix)",
     "Qwen/Qwen2.5-Coder-0.5B-Instruct-GGUF/qwen2.5-coder-0.5b-instruct-q4_k_m.gguf",
     "1d9614638d18024d0fbb36575a15f1302a3adf044df10345688ec4f6e1c4ff32"},
    {"nomic-embed", 146146432, "Apache 2.0", "texts as vectors (strata embed)",
     "nomic-ai/nomic-embed-text-v1.5-GGUF/nomic-embed-text-v1.5.Q8_0.gguf",
     "3e24342164b3d94991ba9692fdc0dd08e3fd7362e0aacc396a9a5c54a544c3b7"},
    {"bge-reranker", 438376864, "Apache 2.0",
     "documents that answer a question (strata rerank)",
     "gpustack/bge-reranker-v2-m3-GGUF/bge-reranker-v2-m3-Q4_K_M.gguf",
     "e186a244ed455b4ab66ec64339ce7427a6ae13f5c0b5e544de96e50f0f8b3673"},
};

const PublishedModel *published_models(size_t *count) {
    *count = sizeof models / sizeof *models;
    return models;
}

/* The length of a name without .gguf. */
static size_t stem(const char *name) {
    size_t n = strlen(name);
    return n > 5 && strcasecmp(name + n - 5, ".gguf") == 0 ? n - 5 : n;
}

static const PublishedModel *published_find(const char *name) {
    for (size_t i = 0; i < sizeof models / sizeof *models; i++)
        if (strlen(models[i].name) == stem(name) &&
            strncasecmp(models[i].name, name, stem(name)) == 0)
            return &models[i];
    return NULL;
}

bool models_folder(char *text, size_t size, Fault *fault) {
    static const char *const places[][2] = {{"STRATA_MODELS", ""},
                                            {"XDG_DATA_HOME", "/strata/models"},
                                            {"HOME", "/.local/share/strata/models"}};
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        const char *named = getenv(places[i][0]);
        if (!named || !*named) continue;
        return (size_t)snprintf(text, size, "%s%s", named, places[i][1]) < size ||
               fault_set(fault, "%s is too long for the path of a folder", places[i][0]);
    }
    return fault_set(fault, "no folder for models: set STRATA_MODELS to one");
}

static int is_model_file(const struct dirent *entry) {
    return entry->d_name[0] != '.' && entry->d_name[stem(entry->d_name)] != 0;
}

void models_in_folder(const char *folder, void (*each)(void *context, const char *name),
                      void *context) {
    struct dirent **entries;
    int count = scandir(folder, &entries, is_model_file, alphasort);
    for (int i = 0; i < count; i++) {
        entries[i]->d_name[stem(entries[i]->d_name)] = 0;
        each(context, entries[i]->d_name);
        free(entries[i]);
    }
    if (count >= 0) free(entries);
}

const char *megabytes_text(char text[24], double bytes) {
    snprintf(text, 24, bytes < 1e7 ? "%.1f MB" : "%.0f MB", bytes / 1e6);
    return text;
}

typedef struct NameList {
    char text[4096]; /* names, with commas between */
    size_t used;
} NameList;

static void add_name(void *context, const char *name) {
    NameList *list = context;
    size_t n = strlen(name);
    if (n + 2 > sizeof list->text - list->used) return;
    memcpy(list->text + list->used, name, n);
    list->text[list->used + n] = ',';
    list->used += n + 1;
}

/* "; did you mean smollm2-360m?", or something else to do: with the names of the table, and
 * those in a folder, if one is given. */
static const char *model_hint(char *out, size_t size, const char *name, const char *folder,
                              const char *otherwise) {
    NameList list = {0};
    for (size_t i = 0; i < sizeof models / sizeof *models; i++) add_name(&list, models[i].name);
    if (folder) models_in_folder(folder, add_name, &list);
    nearest_hint(out, size, (Text){name, stem(name)}, list.text);
    return *out ? out : otherwise;
}

bool published_want(const char *name, const PublishedModel **model, Fault *fault) {
    char hint[160];
    *model = published_find(name);
    return *model ||
           fault_set(
               fault, "no published model is called %.100s%s", name,
               model_hint(hint, sizeof hint, name, NULL,
                          ": strata pull lists them; download others by URL, https://..."));
}

static bool no_such_model(const char *name, const char *folder, Fault *fault) {
    char size[24], hint[160];
    const PublishedModel *known = published_find(name);
    if (known)
        return fault_set(fault, "%s is not downloaded: run strata pull %s (%s, licence %s)",
                         known->name, known->name, megabytes_text(size, (double)known->bytes),
                         known->licence);
    return fault_set(
        fault, "%.100s: no such file, and no such model in %.150s%s", name, folder,
        model_hint(hint, sizeof hint, name, folder, ". strata pull lists models to download."));
}

bool model_find(const char **model, char *text, size_t size, Fault *fault) {
    char folder[1024];
    const char *name = *model;
    if (!*name || strchr(name, '/') || access(name, F_OK) == 0) return true;
    if (!models_folder(folder, sizeof folder, NULL)) return true;
    const PublishedModel *known = published_find(name);
    snprintf(text, size, "%s/%.*s.gguf", folder, (int)stem(name), known ? known->name : name);
    if (access(text, F_OK) == 0) return *model = text, true;
    return no_such_model(name, folder, fault);
}
