/* seed.c - write the small models that the fuzzers start from. */
#include <stdio.h>

#include "try_file.h"

int main(int argc, char **argv) {
    MakeModel m;
    for (size_t i = 0; argc > 1 && seed_model(i, &m); i++) {
        char path[1000];
        size_t size;
        unsigned char *bytes = make_model(&m, &size);
        snprintf(path, sizeof path, "%s/%zu-%s.gguf", argv[1], i, m.arch);
        if (!file_write(path, bytes, size, NULL)) return 1;
        free(bytes);
    }
    return 0;
}
