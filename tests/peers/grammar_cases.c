/* grammar_cases.c - what strata bench grammar measures, as files for others: grammar_cases FOLDER
 *
 * FOLDER/vocabulary.gguf, and for each case FOLDER/NN.json, the schema, and FOLDER/NN.txt, a text that obeys it; the first
 * ones are JSON without a schema. */
#include "grammar_bench.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { VOCABULARY = 128000 };

static void put(const char *folder, const char *name, const void *bytes, size_t size) {
    char path[1000];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *out = fopen(path, "wb");
    if (!out || fwrite(bytes, 1, size, out) != size || fclose(out) != 0) {
        fprintf(stderr, "%s cannot be written\n", path);
        exit(1);
    }
}

static void put_case(const char *folder, size_t number, const char *schema, const char *text) {
    char name[20];
    snprintf(name, sizeof name, "%02zu.json", number),
        put(folder, name, schema, strlen(schema));
    snprintf(name, sizeof name, "%02zu.txt", number), put(folder, name, text, strlen(text));
}

int main(int argc, char **argv) {
    char schema[BENCH_TEXT], text[BENCH_TEXT];
    unsigned char *bytes = NULL;
    size_t size, number = 0;
    Fault fault;
    if (argc != 2 || !bench_vocabulary_file(VOCABULARY, &bytes, &size, &fault)) return 1;
    put(argv[1], "vocabulary.gguf", bytes, size);
    for (size_t i = 0; i < bench_n_objects; i++)
        bench_object_write(i, schema, text), put_case(argv[1], number++, schema, text);
    for (size_t i = 0; i < bench_n_calls; i++)
        bench_call_write(&bench_calls[i], schema, text),
            put_case(argv[1], number++, schema, text);
    free(bytes);
    return 0;
}
