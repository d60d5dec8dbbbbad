/* position.c - see position.h. */
#include "position.h"

#include <math.h>

void position_add_learned(float *x, const Tensor *table, size_t position, float *row) {
    REQUIRE(position < table->shape[0], "position %zu of %zu", position, table->shape[0]);
    dequantize_row(table->dtype, tensor_row(table, position), row, table->shape[1]);
    axpy(x, 1, row, table->shape[1]);
}

float alibi_slope(size_t head, size_t heads, float max_bias) {
    size_t power = 1;
    while (power * 2 <= heads) power *= 2;
    double step = (double)max_bias / (double)power;
    if (head < power) return (float)exp2(-step * (double)(head + 1));
    return (float)exp2(-step / 2 * (double)(2 * (head - power) + 1));
}
