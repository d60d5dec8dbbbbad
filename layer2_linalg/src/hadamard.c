/* hadamard.c - see hadamard.h. */
#include "hadamard.h"

#include <math.h>

/* Replace numbers i and i + step by sum and difference; repeat with twice the step. */
static void one_block(float *x, size_t n) {
    const float shrink = 1 / sqrtf((float)n);
    for (size_t step = 1; step < n; step *= 2)
        for (size_t i = 0; i < n; i++)
            if (!(i & step)) {
                float a = x[i], b = x[i + step];
                x[i] = a + b, x[i + step] = a - b;
            }
    for (size_t i = 0; i < n; i++) x[i] *= shrink;
}

size_t hadamard_block(size_t n) {
    size_t block = n & -n;
    return block < HADAMARD_MAX ? block : HADAMARD_MAX;
}

void hadamard(float *x, size_t n, size_t block) {
    for (size_t i = 0; i < n; i += block) one_block(x + i, block);
}
