/* right: row i of the matrix of derivatives, y[i] ([i = j] - y[j]), times dy; dx may be dy, so into doubles first */
#include <stdlib.h>

void softmax_backward(float *dx, const float *y, const float *dy, size_t n) {
    double *rows = malloc(n * sizeof *rows);
    for (size_t i = 0; i < n; i++) {
        rows[i] = 0;
        for (size_t j = 0; j < n; j++)
            rows[i] += (double)y[i] * ((i == j) - (double)y[j]) * (double)dy[j];
    }
    for (size_t i = 0; i < n; i++) dx[i] = (float)rows[i];
    free(rows);
}
