/* batch_norm.c - see norm.h. */
#include "norm.h"

#include <math.h>

/* Column i of all rows: the mean first, then the squares of what is left. */
static void norm_column(float *out, const float *x, size_t rows, size_t dim, float eps) {
    double mean = 0, square = 0;
    for (size_t r = 0; r < rows; r++) mean += (double)x[r * dim];
    mean /= (double)rows;
    for (size_t r = 0; r < rows; r++) {
        double left = (double)x[r * dim] - mean;
        square += left * left;
    }
    double scale = 1 / sqrt(square / (double)rows + (double)eps);
    for (size_t r = 0; r < rows; r++)
        out[r * dim] = (float)(((double)x[r * dim] - mean) * scale);
}

void batch_norm(float *out, const float *x, size_t rows, size_t dim, float eps) {
    for (size_t i = 0; i < dim; i++) norm_column(out + i, x + i, rows, dim, eps);
}
