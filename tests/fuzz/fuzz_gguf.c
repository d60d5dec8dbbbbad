/* fuzz_gguf.c - libFuzzer target: any bytes as a model file give an error or a model, never
 * anything worse. */
#include "try_file.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    try_file(data, size);
    return 0;
}
