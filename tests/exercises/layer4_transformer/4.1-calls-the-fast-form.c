/* wrong: calls attention_sequences | the form for training does the work */
#include "attention_train.h"
#include <stdlib.h>

void attention(const AttentionShape *s, size_t n, const float *q, const float *k,
               const float *v, float *out, float *scores) {
    float *scratch = malloc(attention_scratch_floats(1, n) * sizeof *scratch);
    size_t start[2] = {0, n};
    attention_sequences(NULL, s, (Sequences){start, 1}, q, k, v, out, scratch);
    free(scratch);
}
