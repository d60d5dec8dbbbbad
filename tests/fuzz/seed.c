/* seed.c - write one small model of each family: where the fuzzer starts. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <math.h>

#include "make_model.h"

int main(int argc, char **argv) {
    const Recipe *list;
    size_t count = recipe_list(&list);
    for (size_t i = 0; argc > 1 && i < count; i++) {
        MakeModel m = make_model_defaults(list[i].arch);
        m.layers = 1, m.dim = m.hidden = 8, m.heads = 2,
        m.kv_heads = strcmp(list[i].arch, "gpt2") ? 1 : 2, m.head_dim = 4, m.ctx = 8;
        char path[1000];
        size_t size;
        unsigned char *bytes = make_model(&m, &size);
        snprintf(path, sizeof path, "%s/%s.gguf", argv[1], list[i].arch);
        if (!file_write(path, bytes, size, NULL)) return 1;
        free(bytes);
    }
    return 0;
}
