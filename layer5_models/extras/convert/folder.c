/* folder.c - the files of a model, and all their tensors in one list.  See parts.h.
 *
 *     model.safetensors                one file, or
 *     model.safetensors.index.json     {"weight_map": {"NAME":
 *                                      "model-00001-of-00002.safetensors"}}
 *     pytorch_model.bin, and its index the same as pickles, which are parsed and never run
 *
 * The index and the files must agree: what only one of them has is refused. */
#include "parts.h"
#include "file_same.h"
#include "json.h"
#include "pytorch.h"
#include "safetensors.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* One file of weights. */
struct Part {
    char name[128];
    FileMap file;
    Safetensors safe; /* one of the two is empty */
    Pytorch torch;
    const SafeTensor *tensors; /* (n_tensors) of the other */
    size_t n_tensors;
};

static char *path_of(const Folder *folder, const char *name, char *out, size_t size) {
    snprintf(out, size, "%s/%s", folder->path, name);
    return out;
}

bool folder_has(const Folder *folder, const char *name) {
    char path[4096];
    return access(path_of(folder, name, path, sizeof path), F_OK) == 0;
}

/* A GGUF file from an earlier conversion may be in the model's folder. */
bool folder_owns(const char *folder, const char *path) {
    DIR *dir = opendir(folder);
    bool owns = false;
    for (struct dirent *entry; dir && !owns && (entry = readdir(dir));) {
        char name[4096];
        size_t size = strlen(entry->d_name);
        snprintf(name, sizeof name, "%s/%s", folder, entry->d_name);
        owns = entry->d_name[0] != '.' &&
               !(size > 5 && strcmp(entry->d_name + size - 5, ".gguf") == 0) &&
               file_same(name, path);
    }
    if (dir) closedir(dir);
    return owns;
}

bool folder_map(const Folder *folder, const char *name, FileMap *map, Fault *fault) {
    char path[4096];
    return file_open(map, path_of(folder, name, path, sizeof path), fault);
}

/* Python writes Infinity, which is not JSON: replace it by a huge number of the same length. */
static void write_infinity(char *text, size_t size) {
    bool inside = false;
    for (size_t i = 0; i < size; i++) {
        if (text[i] == '"') inside = !inside;
        if (inside && text[i] == '\\') i++;
        if (!inside && size - i >= 8 && memcmp(text + i, "Infinity", 8) == 0)
            memcpy(text + i, "1e999999", 8);
    }
}

Json *folder_json(const Folder *folder, const char *name, bool optional, Fault *fault) {
    FileMap file;
    if (optional && !folder_has(folder, name)) return NULL;
    if (!folder_map(folder, name, &file, fault)) return NULL;
    char *text = malloc(file.size);
    Json *json = NULL;
    if (text) {
        memcpy(text, file.data, file.size);
        write_infinity(text, file.size);
        json = json_read((Text){text, file.size}, fault);
    } else {
        fault_set(fault, "no memory for %zu bytes", file.size);
    }
    free(text), file_close(&file);
    if (!json) fault_prefix(fault, name);
    return json;
}

bool folder_object(const Folder *folder, const char *name, Json **json, Fault *fault) {
    fault->text[0] = 0;
    *json = folder_json(folder, name, true, fault);
    if (!*json) return !fault->text[0];
    if (json_root(*json)->kind == JSON_OBJECT) return true;
    json_free(*json), *json = NULL;
    return fault_set(fault, "%s is not an object", name);
}

/* ------------------------------------------------------------------ files of numbers */

static bool folder_open_part(Folder *folder, const char *name, Fault *fault) {
    struct Part *part = &folder->parts[folder->n_parts];
    snprintf(part->name, sizeof part->name, "%s", name);
    if (!folder_map(folder, name, &part->file, fault)) return false;
    folder->n_parts++;
    bool pickled = pytorch_is(part->file.data, part->file.size),
         ok = pickled ? pytorch_parse(&part->torch, part->file.data, part->file.size, fault)
                      : safetensors_parse(&part->safe, part->file.data, part->file.size, fault);
    part->tensors = pickled ? part->torch.tensors : part->safe.tensors;
    part->n_tensors = pickled ? part->torch.n_tensors : part->safe.n_tensors;
    return ok || fault_prefix(fault, name);
}

static bool folder_add_part(Folder *folder, const char *name, Fault *fault) {
    if (folder->n_parts % 16 == 0) {
        struct Part *more = realloc(folder->parts, (folder->n_parts + 16) * sizeof *more);
        if (!more) return fault_set(fault, "no memory for %zu files", folder->n_parts);
        folder->parts = more;
    }
    folder->parts[folder->n_parts] = (struct Part){0};
    return folder_open_part(folder, name, fault);
}

static struct Part *folder_find_part(Folder *folder, Text name) {
    for (size_t i = 0; i < folder->n_parts; i++)
        if (text_equal(name, text_of(folder->parts[i].name))) return &folder->parts[i];
    return NULL;
}

static bool folder_is_plain(Text name) {
    if (name.size == 0 || name.size >= sizeof((struct Part *)0)->name || name.data[0] == '.')
        return false;
    return !memchr(name.data, '/', name.size) && !memchr(name.data, 0, name.size);
}

static bool open_named(Folder *folder, Text name, Fault *fault) {
    char plain[128];
    if (!folder_is_plain(name))
        return fault_set(fault, "the index names the file '%.*s': wanted one in the folder",
                         (int)(name.size < 80 ? name.size : 80), name.data);
    if (folder_find_part(folder, name)) return true;
    snprintf(plain, sizeof plain, "%.*s", (int)name.size, name.data);
    return folder_add_part(folder, plain, fault);
}

static bool open_parts(Folder *folder, const JsonValue *map, Fault *fault) {
    for (size_t i = 0; i < map->count; i++) {
        if (map->items[i].kind != JSON_STRING)
            return fault_set(fault, "the index has a weight_map that does not name files");
        if (!open_named(folder, map->items[i].text, fault)) return false;
    }
    return true;
}

/* ------------------------------------------------------------------ one list of tensors */

static int folder_by_name(const void *a, const void *b) {
    return text_order(((const SafeTensor *)a)->name, ((const SafeTensor *)b)->name);
}

const SafeTensor *folder_tensor(const Folder *folder, Text name, const char *end) {
    char full[256];
    snprintf(full, sizeof full, "%.*s%s", (int)min_size(200, name.size), name.data, end);
    const SafeTensor key = {.name = text_of(full)};
    if (name.size > 200 || !folder->n_tensors) return NULL;
    return bsearch(&key, folder->tensors, folder->n_tensors, sizeof key, folder_by_name);
}

static bool collect(Folder *folder, Fault *fault) {
    size_t count = 0;
    for (size_t i = 0; i < folder->n_parts; i++) count += folder->parts[i].n_tensors;
    folder->tensors = calloc(count + 1, sizeof *folder->tensors);
    if (!folder->tensors) return fault_set(fault, "no memory for %zu tensors", count);
    for (size_t i = 0; i < folder->n_parts; i++) {
        const struct Part *part = &folder->parts[i];
        if (part->n_tensors)
            memcpy(folder->tensors + folder->n_tensors, part->tensors,
                   part->n_tensors * sizeof *part->tensors);
        folder->n_tensors += part->n_tensors;
    }
    qsort(folder->tensors, count, sizeof *folder->tensors, folder_by_name);
    for (size_t i = 1; i < count; i++)
        if (text_equal(folder->tensors[i - 1].name, folder->tensors[i].name))
            return fault_set(fault, "the tensor '%.*s' stands in two files",
                             (int)min_size(80, folder->tensors[i].name.size),
                             folder->tensors[i].name.data);
    return true;
}

static bool in_part(const struct Part *part, Text name) {
    for (size_t i = 0; i < part->n_tensors; i++)
        if (text_equal(part->tensors[i].name, name)) return true;
    return false;
}

/* Every name of the index is in its file, and there are as many names as tensors: no others. */
static bool check_map(Folder *folder, const JsonValue *map, Fault *fault) {
    for (size_t i = 0; i < map->count; i++) {
        const struct Part *part = folder_find_part(folder, map->items[i].text);
        if (!in_part(part, map->keys[i]))
            return fault_set(
                fault, "the index says that %s has the tensor '%.*s', and it has not",
                part->name, (int)min_size(80, map->keys[i].size), map->keys[i].data);
    }
    return map->count == folder->n_tensors ||
           fault_set(fault, "the index names %zu tensors, and the files have %zu", map->count,
                     folder->n_tensors);
}

static bool open_sharded(Folder *folder, const char *index, Fault *fault) {
    Json *json = folder_json(folder, index, false, fault);
    const JsonValue *map = json ? json_get(json_root(json), "weight_map") : NULL;
    bool ok = json != NULL;
    if (ok && (!map || map->kind != JSON_OBJECT || map->count == 0))
        ok = fault_set(fault, "%s has no weight_map", index);
    ok = ok && open_parts(folder, map, fault) && collect(folder, fault) &&
         check_map(folder, map, fault);
    json_free(json);
    return ok;
}

/* A complete file beside an index that does not name it: ambiguous. */
static bool check_whole(Folder *folder, const char *name, Fault *fault) {
    return !folder_has(folder, name) || folder_find_part(folder, text_of(name)) ||
           fault_set(fault,
                     "%.200s has %s, and an index of other files: remove what is not meant",
                     folder->path, name);
}

/* The first that exists: safetensors before pickles. */
static bool open_numbers(Folder *folder, Fault *fault) {
    static const char *const names[] = {"model.safetensors", "pytorch_model.bin"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char index[64];
        snprintf(index, sizeof index, "%s.index.json", names[i]);
        if (folder_has(folder, index))
            return open_sharded(folder, index, fault) && check_whole(folder, names[i], fault);
        if (folder_has(folder, names[i]))
            return open_named(folder, text_of(names[i]), fault) && collect(folder, fault);
    }
    return fault_set(
        fault,
        "%.200s has neither model.safetensors nor pytorch_model.bin, whole or with "
        "an index: give the folder of a published model",
        folder->path);
}

/* EmbeddingGemma's two maps of a text's vector, each in a folder of its own: "linear.weight" in
 * "2_Dense" is called "2_Dense.weight" here. */
bool folder_open_dense(Folder *folder, Fault *fault) {
    static const char *const files[] = {"2_Dense/model.safetensors",
                                        "3_Dense/model.safetensors"};
    static const char *const names[][2] = {{"2_Dense.weight", "3_Dense.weight"},
                                           {"2_Dense.bias", "3_Dense.bias"}};
    for (size_t i = 0; i < 2; i++) {
        if (!folder_has(folder, files[i])) continue;
        if (!folder_add_part(folder, files[i], fault)) return false;
        const struct Part *part = &folder->parts[folder->n_parts - 1];
        SafeTensor *more =
            realloc(folder->tensors, (folder->n_tensors + part->n_tensors + 1) * sizeof *more);
        if (!more) return fault_set(fault, "no memory for %zu tensors", folder->n_tensors);
        folder->tensors = more;
        for (size_t k = 0; k < part->n_tensors; k++) {
            SafeTensor *t = &more[folder->n_tensors++];
            *t = part->tensors[k];
            if (text_equal(t->name, text_of("linear.weight"))) t->name = text_of(names[0][i]);
            if (text_equal(t->name, text_of("linear.bias"))) t->name = text_of(names[1][i]);
        }
    }
    qsort(folder->tensors, folder->n_tensors, sizeof *folder->tensors, folder_by_name);
    return true;
}

bool folder_open(Folder *folder, const char *path, Fault *fault) {
    *folder = (Folder){.path = path};
    folder->config = folder_json(folder, "config.json", false, fault);
    bool ok = folder->config && open_numbers(folder, fault);
    if (!ok) folder_close(folder);
    return ok;
}

void folder_close(Folder *folder) {
    for (size_t i = 0; i < folder->n_parts; i++) {
        safetensors_free(&folder->parts[i].safe);
        pytorch_free(&folder->parts[i].torch);
        file_close(&folder->parts[i].file);
    }
    free(folder->parts), free(folder->tensors);
    json_free(folder->config);
    *folder = (Folder){0};
}
