/* gguf_file.c - see gguf_file.h. */
#include "gguf_file.h"
#include "gguf_bytes.h"
#include "grow.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The number of this part and of all parts; 0 of 1 for a file that is not split. */
static bool gguf_file_read_split(const Gguf *gguf, int64_t *number, int64_t *count,
                                 Fault *fault) {
    const GgufPair *no = gguf_find(gguf, "split.no"), *of = gguf_find(gguf, "split.count");
    *number = 0, *count = 0;
    bool ok = (!no || gguf_int(no, 0, number)) && (!of || gguf_int(of, 0, count));
    if (*count == 0 && *number == 0) *count = 1; /* never split, or joined again */
    return (ok && *count >= 1 && *count < 100000 && *number >= 0 && *number < *count) ||
           fault_set(fault, "split.no and split.count do not number the parts");
}

/* "A-00001-of-00003.gguf" with another number (from 0); false for paths without such an end. */
static bool part_path(const char *path, int64_t number, int64_t count, char *out, size_t size) {
    char end[40];
    snprintf(end, sizeof end, "-00001-of-%05lld.gguf", (long long)count);
    size_t n = strlen(path), m = strlen(end);
    if (n < m || strcmp(path + n - m, end) != 0) return false;
    return (size_t)snprintf(out, size, "%.*s-%05lld-of-%05lld.gguf", (int)(n - m), path,
                            (long long)number + 1, (long long)count) < size;
}

static bool map_part(GgufFile *file, Gguf *part, const char *path, Fault *fault) {
    size_t room = file->n_parts;
    if (!GROW(file->parts, room, file->n_parts + 1))
        return fault_set(fault, "no memory for %zu files", file->n_parts + 1);
    FileMap *map = &file->parts[file->n_parts];
    if (!file_open(map, path, fault)) return false;
    file->n_parts++;
    file->bytes += map->size;
    return gguf_parse(part, map->data, map->size, fault) || fault_prefix(fault, path);
}

/* Append a part's tensors, and free the part. */
static bool take_tensors(Gguf *gguf, Gguf *part, const char *path, Fault *fault) {
    size_t room = gguf->n_tensors, count = room + part->n_tensors;
    bool ok = GROW(gguf->tensors, room, count) ||
              fault_set(fault, "no memory for %zu tensors", count);
    if (ok && part->n_tensors)
        memcpy(gguf->tensors + gguf->n_tensors, part->tensors,
               part->n_tensors * sizeof *part->tensors);
    if (ok) gguf->n_tensors = count;
    gguf_free(part);
    return ok || fault_prefix(fault, path);
}

static bool gguf_file_add_part(GgufFile *file, Gguf *gguf, const char *path, int64_t number,
                               int64_t count, Fault *fault) {
    Gguf part;
    int64_t no, of;
    if (!map_part(file, &part, path, fault)) return false;
    if (gguf_file_read_split(&part, &no, &of, fault) && no == number && of == count)
        return take_tensors(gguf, &part, path, fault);
    gguf_free(&part);
    return fault_set(fault,
                     "%s is not part %lld of %lld: split.no and split.count say otherwise",
                     path, (long long)number + 1, (long long)count);
}

static bool unique_in_parts(const Gguf *gguf, const char *path, Fault *fault) {
    Text *names = malloc((gguf->n_tensors + 1) * sizeof *names), twice;
    bool ok = names || fault_set(fault, "%s: no memory for names", path);
    for (size_t i = 0; ok && i < gguf->n_tensors; i++) names[i] = gguf->tensors[i].name;
    if (ok && gguf_twice(names, gguf->n_tensors, &twice))
        ok = fault_set(fault, "%s: the tensor '%.*s' is in two parts", path,
                       (int)min_size(twice.size, 80), twice.data);
    free(names);
    return ok;
}

/* Check the number of tensors, and remove the keys of the split. */
static bool gguf_file_finish(Gguf *gguf, const char *path, Fault *fault) {
    int64_t wanted;
    size_t kept = 0;
    const GgufPair *count = gguf_find(gguf, "split.tensors.count");
    if (count && (!gguf_int(count, 0, &wanted) || wanted != (int64_t)gguf->n_tensors))
        return fault_set(
            fault, "%s: the parts have %zu tensors, and split.tensors.count says otherwise",
            path, gguf->n_tensors);
    for (size_t i = 0; i < gguf->n_pairs; i++)
        if (!text_begins(gguf->pairs[i].key, text_of("split.")))
            gguf->pairs[kept++] = gguf->pairs[i];
    gguf->n_pairs = kept;
    return unique_in_parts(gguf, path, fault);
}

static bool add_parts(GgufFile *file, Gguf *gguf, const char *path, Fault *fault) {
    char other[4096];
    int64_t number, count;
    if (!gguf_file_read_split(gguf, &number, &count, fault)) return fault_prefix(fault, path);
    if (count == 1) return true;
    if (number || !part_path(path, 0, count, other, sizeof other))
        return fault_set(
            fault,
            "%s is part %lld of %lld of a split model: give the first one, whose name "
            "ends in -00001-of-%05lld.gguf, with the others beside it",
            path, (long long)number + 1, (long long)count, (long long)count);
    for (int64_t i = 1; i < count; i++) {
        part_path(path, i, count, other, sizeof other); /* as long as the first one */
        if (!gguf_file_add_part(file, gguf, other, i, count, fault)) return false;
    }
    return gguf_file_finish(gguf, path, fault);
}

bool gguf_open(GgufFile *file, Gguf *gguf, const char *path, Fault *fault) {
    *file = (GgufFile){0}, *gguf = (Gguf){0};
    bool ok = map_part(file, gguf, path, fault) && add_parts(file, gguf, path, fault);
    if (!ok) gguf_close(file, gguf);
    return ok;
}

void gguf_close(GgufFile *file, Gguf *gguf) {
    gguf_free(gguf);
    for (size_t i = 0; i < file->n_parts; i++) file_close(&file->parts[i]);
    free(file->parts);
    *file = (GgufFile){0};
}
