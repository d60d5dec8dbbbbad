/* linear.c - see linear.h. */
#include "linear.h"

size_t linear_scratch_bytes(size_t rows, size_t in) { return matmul_weights_bytes(rows, in); }

/* What a map has besides the matrix, for the n rows of a product: a scale, a bias, adapters. */
static void add_rest(Pool *pool, const LinearProduct *p, const float *x) {
    const float *bias = p->map->bias;
    const LowRank *adapters = p->map->adapters;
    size_t out = p->map->w.shape[0];
    for (size_t i = 0; p->map->scale && i < p->n * out; i++) p->y[i] *= *p->map->scale;
    for (size_t c = 0; bias && c < p->n; c++)
        for (size_t r = 0; r < out; r++) p->y[c * out + r] += bias[r];
    if (adapters) low_rank_rows(pool, adapters, x + p->first * adapters->in, p->n, p->y);
}

void linear_products(Pool *pool, const LinearProduct *products, size_t count, const float *x,
                     size_t rows, void *scratch) {
    WeightsProduct weights[LINEAR_PRODUCTS];
    size_t plain = 0;
    REQUIRE(count && count <= LINEAR_PRODUCTS, "%zu maps at once", count);
    for (size_t i = 0; i < count; i++) {
        const LinearProduct *p = &products[i];
        if (p->map->own) continue;
        weights[plain++] = (WeightsProduct){&p->map->w, p->map->packed, p->first, p->n, p->y};
    }
    if (plain) matmul_products(pool, weights, plain, x, rows, scratch);
    for (size_t i = 0; i < count; i++) {
        const LinearOwn *own = products[i].map->own;
        if (own)
            own->rows(own, pool, &products[i], x, scratch);
        else
            add_rest(pool, &products[i], x);
    }
}

void linear(Pool *pool, const Linear *map, const float *x, size_t n, float *y, void *scratch) {
    linear_products(pool, &(LinearProduct){map, 0, n, y}, 1, x, n, scratch);
}

Linear linear_of_stack(const Linear *stack, size_t e) {
    return (Linear){.w = tensor_select(&stack->w, e),
                    .scale = stack->scale ? stack->scale + e : NULL,
                    .bias = stack->bias ? stack->bias + e * stack->w.shape[1] : NULL,
                    .packed = stack->packed ? stack->packed + e : NULL};
}

void linear_dense(Pool *pool, const float *w, size_t out, size_t in, const float *x, size_t n,
                  float *y, float *scratch) {
    Matrix rows = {x, in, 1}, weights = {w, 1, in}; /* W transposed: a stride, not a copy */
    matmul_packed(pool, n, out, in, rows, weights, y, out, false, scratch);
}

void linear_backward(Pool *pool, float *dx, bool add_dx, float *dw, const float *w, size_t out,
                     size_t in, const float *x, const float *dy, size_t n, float *scratch) {
    matmul_packed(pool, n, in, out, (Matrix){dy, out, 1}, (Matrix){w, in, 1}, dx, in, add_dx,
                  scratch);
    matmul_packed(pool, out, in, n, (Matrix){dy, 1, out}, (Matrix){x, in, 1}, dw, in, true,
                  scratch);
}
