/* muon.c - the Muon update of the matrices inside the blocks: momentum, made orthogonal.
 *
 *     m = b m + g
 *     u = orthogonal(g + b m)
 *     w = w - rate * (scale * u + decay * w)
 *
 * A gradient is dominated by the few directions that all words share; a single rare word has a
 * small singular value.  With all singular values set to 1, rare words are learned as fast as
 * common ones, and a story is full of rare words to copy.  The singular vectors need not be
 * computed: an odd polynomial of the matrix keeps them and changes only the values.  Five
 * rounds of
 *
 *     X = a X + b (X X') X + c (X X')^2 X
 *
 * bring all but the smallest values into 0.7 .. 1.2.  The scale, 0.2 sqrt(max(rows, cols)),
 * gives an update with singular values of 1 the size of AdamW's.
 *
 * Source   Jordan et al. 2024, "Muon" (kellerjordan.github.io/posts/muon); Liu et al. 2025,
 *          arXiv:2502.16982 (scale and decay). */
#include "trainer.h"

#include <math.h>
#include <string.h>

enum { ROUNDS = 5 };

#define MATRIX_STEP 0.2

static const float round_a = 3.4445f, round_b = -4.7750f, round_c = 2.0315f;

/* x (rows, cols) = (a + b G + c G^2) x with G = x x' (side, side) for a wide matrix; a tall one
 * is multiplied from the right. */
static void orthogonal_round(Trainer *t, float *x, size_t rows, size_t cols) {
    bool tall = rows > cols;
    size_t side = tall ? cols : rows, inner = tall ? rows : cols;
    float *gram = t->muon.gram, *power = t->muon.power, *product = t->muon.product,
          *scratch = t->run.matmul_scratch;
    Matrix plain = {x, cols, 1}, turned = {x, 1, cols}, square = {gram, side, 1};
    matmul_packed(t->pool, side, side, inner, tall ? turned : plain, tall ? plain : turned,
                  gram, side, false, scratch);
    matmul_packed(t->pool, side, side, side, square, square, power, side, false, scratch);
    for (size_t i = 0; i < side * side; i++) power[i] = round_b * gram[i] + round_c * power[i];
    square.data = power;
    matmul_packed(t->pool, rows, cols, side, tall ? plain : square, tall ? square : plain,
                  product, cols, false, scratch);
    for (size_t i = 0; i < rows * cols; i++) x[i] = round_a * x[i] + product[i];
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
    for (size_t i = 0; i < size; i++) {
        float g = gradient[i] * scale;
        momentum[i] = b * momentum[i] + g;
        update[i] = g + b * momentum[i];
    }
    train_orthogonalize(t, update, p->rows, p->cols);
    double longest = (double)(p->rows > p->cols ? p->rows : p->cols);
    float step = (float)(rate * MATRIX_STEP * sqrt(longest)),
          decay = (float)(rate * t->config.weight_decay);
    for (size_t i = 0; i < size; i++) w[i] -= step * update[i] + decay * w[i];
}
