/* grammar_folder.c - strata bench grammar --folder DIR: how many schemas of a folder compile,
 * and how often their grammars are wrong.
 *
 * Each file is JSON as in MaskBench: a `schema`, and `tests`, each with `data` and `valid`.
 * Properties may come in any order, so that no valid text is rejected for its order. */
#include "grammar_bench.h"
#include "calls/write.h"
#include "grammar.h"
#include "input.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { REASONS = 400, SHOWN = 12, REASON = 64 };

/* Why schemas were refused, with counts. */
typedef struct Reason {
    char text[REASON];
    size_t count;
} Reason;

typedef struct Folder {
    const char *path;
    FILE *csv; /* NULL: none requested */
    size_t files, compiled, valid, refuses_valid, invalid, accepts_invalid;
    size_t files_wrong; /* compiled, but at least one wrong answer */
    double *seconds;    /* (files) compile times; owned */
    Reason reasons[REASONS];
    size_t n_reasons;
} Folder;

/* A value as text; the caller frees it. */
static char *text_of_value(const JsonValue *value, size_t *size) {
    char *text = NULL;
    FILE *out = open_memstream(&text, size);
    NEED_MEMORY(out, "a text");
    write_value_with(out, value, ", ", ": ");
    fclose(out);
    return text;
}

/* ------------------------------------------------------------------ one file */

/* Group "schema, at #/a/b: uniqueItems: ..." by keyword, other messages by their beginning. */
static void note_reason(Folder *f, const char *sentence) {
    char text[REASON];
    const char *at = strstr(sentence, "schema, at ") ? strstr(sentence, ": ") : NULL;
    snprintf(text, sizeof text, "%s", at ? at + 2 : sentence);
    text[strcspn(text, ":(")] = 0;
    size_t i = 0;
    while (i < f->n_reasons && strcmp(f->reasons[i].text, text) != 0) i++;
    if (i == REASONS) return;
    if (i == f->n_reasons) memcpy(f->reasons[f->n_reasons++].text, text, sizeof text);
    f->reasons[i].count++;
}

/* All tests of a file; returns the number of wrong answers. */
static size_t try_tests(Folder *f, Grammar *grammar, const JsonValue *tests, const char *name) {
    size_t wrong = 0;
    for (size_t i = 0; i < tests->count; i++) {
        const JsonValue *data = json_get(&tests->items[i], "data"),
                        *valid = json_get(&tests->items[i], "valid");
        size_t size;
        char *text = text_of_value(data, &size);
        uint32_t row = grammar_read(grammar, grammar_begin(grammar), text, size);
        bool is_valid = valid->kind == JSON_TRUE, accepts = grammar_is_complete(grammar, row);
        *(is_valid ? &f->valid : &f->invalid) += 1;
        *(is_valid ? &f->refuses_valid : &f->accepts_invalid) += accepts != is_valid;
        if (accepts != is_valid)
            printf("%s: test %zu is %s\n", name, i,
                   accepts ? "not valid, and accepted"
                           : (grammar_is_exhausted(grammar) ? "valid, and beyond the limits"
                                                            : "valid, and refused"));
        wrong += accepts != is_valid;
        free(text);
    }
    return wrong;
}

static void try_schema(Folder *f, const JsonValue *root, const char *name) {
    const GrammarOptions options = {.space = JSON_SPACE_ONE, .any_order = true};
    size_t size, wrong = 0;
    char *schema = text_of_value(json_get(root, "schema"), &size);
    Grammar *grammar = NULL;
    Fault fault = {""};
    double before = clock_seconds();
    bool ok = grammar_from_schema(&grammar, (Text){schema, size}, &options, &fault);
    f->seconds[f->files] = clock_seconds() - before;
    if (ok)
        f->compiled++, wrong = try_tests(f, grammar, json_get(root, "tests"), name);
    else
        note_reason(f, fault.text);
    f->files_wrong += wrong > 0;
    if (f->csv)
        fprintf(f->csv, "%s,%s,%.6f,%zu\n", name, ok ? "compiled" : "refused",
                f->seconds[f->files], wrong);
    f->files++;
    grammar_close(grammar), free(schema);
}

static bool check_file(const JsonValue *root, Fault *fault) {
    const JsonValue *tests = json_get(root, "tests");
    if (!json_get(root, "schema") || !tests || tests->kind != JSON_ARRAY)
        return fault_set(fault, "wanted an object with a schema and a list of tests");
    for (size_t i = 0; i < tests->count; i++) {
        const JsonValue *valid = json_get(&tests->items[i], "valid");
        if (!json_get(&tests->items[i], "data") || !valid ||
            (valid->kind != JSON_TRUE && valid->kind != JSON_FALSE))
            return fault_set(fault, "tests/%zu: wanted data, and valid: true or false", i);
    }
    return true;
}

static bool try_file(Folder *f, const char *name, Fault *fault) {
    char path[2400];
    FileMap map;
    snprintf(path, sizeof path, "%s/%s", f->path, name);
    if (!file_open(&map, path, fault)) return false;
    Json *json = json_read((Text){(const char *)map.data, map.size}, fault);
    bool ok = (json && check_file(json_root(json), fault)) || fault_prefix(fault, path);
    if (ok) try_schema(f, json_root(json), name);
    json_free(json), file_close(&map);
    return ok;
}

/* ------------------------------------------------------------------ all of them */

static int by_count(const void *x, const void *y) {
    const Reason *a = x, *b = y;
    if (a->count != b->count) return a->count < b->count ? 1 : -1;
    return strcmp(a->text, b->text);
}

static void grammar_folder_print(Folder *f) {
    double median = percentile(f->seconds, f->files, 0.5);
    printf("%zu files: %zu compiled (%.1f %%), %zu refused\n", f->files, f->compiled,
           100.0 * (double)f->compiled / (double)f->files, f->files - f->compiled);
    printf("%zu valid texts, %zu of them refused; %zu invalid texts, %zu of them accepted; %zu "
           "files with a wrong answer\n",
           f->valid, f->refuses_valid, f->invalid, f->accepts_invalid, f->files_wrong);
    printf("compiled in %.2f ms (p50), %.2f ms (p99), %.2f ms at most\n", 1e3 * median,
           1e3 * f->seconds[f->files * 99 / 100], 1e3 * f->seconds[f->files - 1]);
    qsort(f->reasons, f->n_reasons, sizeof *f->reasons, by_count);
    for (size_t i = 0; i < f->n_reasons && i < SHOWN; i++)
        printf("%7zu refused: %s\n", f->reasons[i].count, f->reasons[i].text);
}

static int is_json(const struct dirent *entry) {
    size_t size = strlen(entry->d_name);
    return size > 5 && strcmp(entry->d_name + size - 5, ".json") == 0;
}

bool bench_grammar_folder(const BenchJob *job, Fault *fault) {
    struct dirent **entries = NULL;
    int count = scandir(job->folder, &entries, is_json, alphasort);
    FileOut csv = {0};
    if (count < 0) return fault_set(fault, "%s: no folder that can be read", job->folder);
    Folder *f = calloc(1, sizeof *f);
    NEED_MEMORY(f, "a folder");
    f->path = job->folder;
    f->seconds = calloc((size_t)count + 1, sizeof *f->seconds);
    NEED_MEMORY(f->seconds, "a folder");
    bool ok = count > 0 || fault_set(fault, "%s: there is no .json file", job->folder);
    ok = ok && (!job->csv || table_begin(&csv, job->csv, fault));
    if (ok && csv.stream) fprintf(csv.stream, "file,status,seconds,wrong\n");
    f->csv = csv.stream;
    for (int i = 0; i < count; i++) {
        ok = ok && try_file(f, entries[i]->d_name, fault);
        free(entries[i]);
    }
    ok = ok && file_end(&csv, fault);
    if (ok) grammar_folder_print(f);
    file_drop(&csv), free(entries), free(f->seconds), free(f);
    return ok;
}
