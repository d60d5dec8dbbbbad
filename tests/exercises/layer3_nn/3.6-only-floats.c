/* wrong: not read as it should | copies the bytes, as if every table held floats */
#include <string.h>

void embedding(float *out, const Tensor *table, size_t token) {
    memcpy(out, (const char *)table->data + token * table->stride[0],
           table->shape[1] * sizeof *out);
}
