/* rope_backward.c - see rope.h. */
#include "rope.h"

/* A turn is a matrix, and the gradient goes through its transpose: the same turn the other way. */
void rope_rotate_backward(const Rope *rope, const float *cosine, const float *sine,
                          float *head) {
    bool split = rope->style == ROPE_HALF_SPLIT;
    size_t half = rope->rotary / 2, step = split ? 1 : 2, apart = split ? half : 1;
    for (size_t i = 0; i < half; i++) {
        float *a = head + i * step, *b = a + apart;
        float rotated = *a * cosine[i] + *b * sine[i];
        *b = *b * cosine[i] - *a * sine[i];
        *a = rotated;
    }
}
