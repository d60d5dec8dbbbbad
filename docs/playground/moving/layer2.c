/* layer2.c - a block of Q8_0, and the dot product with it.  See moving.h. */
#include "moving.h"

#include <string.h>

/* 32 numbers of a word as weights, the 32 after them as the vector; the first weight may become
 * an outlier. */
bool moving_q8(FILE *out, const double *at, const char *text, Fault *fault) {
    enum { BLOCK = 32, BYTES = 2 + BLOCK, ROOM = 4096 };
    static float row[ROOM], weights[ROOM];
    float back[BLOCK];
    unsigned char block[BYTES];
    uint16_t scale;
    (void)text, (void)fault;
    moving_row(play_model(), row, weights);
    const float *x = weights + BLOCK;
    weights[0] *= (float)at[0];
    quantize_row(DTYPE_Q8_0, weights, NULL, block, BLOCK);
    dequantize_row(DTYPE_Q8_0, block, back, BLOCK);
    memcpy(&scale, block, sizeof scale);
    for (int i = 0; i < BLOCK; i++)
        fprintf(out, "weight,%.6g,%d,%.6g,%.6g\n", (double)weights[i],
                (signed char)block[2 + i], (double)back[i], (double)(back[i] - weights[i]));
    fprintf(out, "scale,%.6g,,,\n", (double)f16_to_f32(scale));
    fprintf(out, "dot,%.6g,,%.6g,\n", (double)dot_f32(weights, x, BLOCK),
            (double)dot_quantized(DTYPE_Q8_0, block, x, BLOCK));
    return true;
}
