/* tensor_print.c - see tensor_print.h. */
#include "tensor_print.h"

/* Print dimension `dim` at index[0 .. dim-1]: all of up to eight entries, else the first and
 * last three. */
static void print_dim(const Tensor *tensor, int dim, size_t *index, FILE *out) {
    size_t n = tensor->shape[dim];
    bool innermost = dim + 1 == tensor->ndim || dim + 1 == TENSOR_MAX_DIMS;
    for (size_t i = 0; i < n; i++) {
        if (n > 8 && i == 3) {
            fputs(innermost ? "        ..." : "        ...\n", out);
            i = n - 3;
        }
        index[dim] = i;
        if (innermost)
            fprintf(out, " %10.4g", (double)tensor_get(tensor, index));
        else
            print_dim(tensor, dim + 1, index, out);
    }
    if (innermost)
        fputc('\n', out);
    else if (dim < tensor->ndim - 2)
        fputc('\n', out);
}

void tensor_print(const Tensor *tensor, FILE *out) {
    char shape[100];
    size_t index[TENSOR_MAX_DIMS] = {0};
    fprintf(out, "%s %s\n", dtype_name(tensor->dtype),
            tensor_shape_text(tensor->ndim, tensor->shape, shape, sizeof shape));
    print_dim(tensor, 0, index, out);
}
