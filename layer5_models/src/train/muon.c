/* muon.c - the Muon update of the matrices inside the blocks: momentum, made orthogonal.
 *
 *     m = b m + g                     g: the gradient, clipped
 *     u = orthogonal(g + b m)
 *     w = w - rate * (size * u + decay * w)
 *
 * A gradient is dominated by the few directions that all words share; a single rare word has a
 * small singular value.  With all singular values set to 1, rare words are learned as fast as
 * common ones, and a story is full of rare words to copy.  The singular vectors need not be
 * computed: an odd polynomial of the matrix keeps them and changes only the values.  Five
 * rounds of
 *
 *     X = a X + b (X X') X + c (X X')^2 X
 *
 * bring all but the smallest values into 0.68 .. 1.14.  The size, 0.2 sqrt(max(rows, cols)),
 * gives an update with singular values of 1 the size of AdamW's.
 *
 * Source   Jordan et al. 2024, "Muon" (kellerjordan.github.io/posts/muon); Liu et al. 2025,
 *          arXiv:2502.16982 (size and decay). */
#include "trainer.h"

#include <math.h>
#include <string.h>

enum { ROUNDS = 5 };

#define MATRIX_STEP 0.2

static const float round_a = 3.4445f, round_b = -4.7750f, round_c = 2.0315f;

typedef struct Combination {
    float *out;
    const float *x, *y;
    float a, b;
} Combination;

static void combine_range(void *context, int worker, size_t begin, size_t end) {
    (void)worker;
    const Combination *c = context;
    for (size_t i = begin; i < end; i++) c->out[i] = c->a * c->x[i] + c->b * c->y[i];
}

/* out = a x + b y, of n numbers each */
static void combine(const Trainer *t, float *out, float a, const float *x, float b,
                    const float *y, size_t n) {
    pool_for(t->pool, n, 16384, combine_range, &(Combination){out, x, y, a, b});
}

/* x (rows, cols) = (a + b G + c G^2) x with G = x x' (side, side) for a wide matrix; a tall one
 * is multiplied from the right. */
static void orthogonal_round(Trainer *t, float *x, size_t rows, size_t cols) {
    bool tall = rows > cols;
    size_t side = tall ? cols : rows, inner = tall ? rows : cols;
    float *gram = t->muon.gram, *power = t->muon.power, *product = t->muon.product,
          *scratch = t->run.matmul_scratch;
    Matrix plain = {x, cols, 1}, turned = {x, 1, cols}, square = {gram, side, 1};
    matmul_symmetric(t->pool, side, inner, tall ? turned : plain, tall ? plain : turned, gram,
                     scratch);
    matmul_symmetric(t->pool, side, side, square, square, power, scratch);
    combine(t, power, round_b, gram, round_c, power, side * side);
    square.data = power;
    matmul_packed(t->pool, rows, cols, side, tall ? plain : square, tall ? square : plain,
                  product, cols, false, scratch);
    combine(t, x, round_a, x, 1, product, rows * cols);
}

void train_orthogonalize(Trainer *t, float *x, size_t rows, size_t cols) {
    double norm = sqrt((double)dot_f32(x, x, rows * cols));
    float inverse = (float)(1 / (norm + 1e-12));
    for (size_t i = 0; i < rows * cols; i++) x[i] *= inverse;
    for (int i = 0; i < ROUNDS; i++) orthogonal_round(t, x, rows, cols);
}

void train_update_matrix(Trainer *t, const Parameter *p, float scale, double rate) {
    size_t size = p->rows * p->cols;
    float b = (float)t->config.momentum, *update = t->muon.update;
    const float *gradient = t->gradients + p->offset;
    float *momentum = t->moment1 + p->offset, *w = t->values + p->offset;
    combine(t, momentum, b, momentum, scale, gradient, size);
    combine(t, update, b, momentum, scale, gradient, size);
    train_orthogonalize(t, update, p->rows, p->cols);
    float step = (float)(rate * MATRIX_STEP * sqrt((double)max_size(p->rows, p->cols))),
          decay = (float)(rate * t->config.weight_decay);
    combine(t, update, step, update, decay, w, size);
    combine(t, w, 1, w, -1, update, size);
}
