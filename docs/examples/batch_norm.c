/* batch_norm.c - the row of one word, normed in different company: how far does the result
 * move?
 *
 *     batch_norm MODEL
 *
 * |y - y0| / |y0|, where y0 is the word in its own text; rows are those of the model's embedding. */
#include <strata.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 16, MANY = 2000 };

/* Column i of all rows: the mean, then the squared deviations. */
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

/* Ioffe & Szegedy 2015, arXiv:1502.03167, algorithm 1, without gains. */
static void batch_norm(float *out, const float *x, size_t rows, size_t dim, float eps) {
    for (size_t i = 0; i < dim; i++) norm_column(out + i, x + i, rows, dim, eps);
}

/* The rows of a text, from number `at` on; returns how many there are then. */
static size_t read_text(const Model *m, const char *text, float *rows, size_t at) {
    TokenList tokens = {0};
    if (tokenizer_encode(m->tokenizer, text_of(text), false, &tokens, NULL))
        for (size_t i = 0; i < tokens.count && at < MOST; i++)
            embedding(rows + at++ * m->sizes.dim, &m->embedding, (size_t)tokens.ids[i]);
    token_list_free(&tokens);
    return at;
}

/* Row `at` of n rows, by itself and in its batch; `many` has 2,000 other rows behind it. */
typedef struct Normed {
    float rms[4096], batch[4096], stored[4096];
} Normed;

static void norm_all(const float *rows, size_t n, size_t at, size_t dim, float *many,
                     Normed *y) {
    static float out[(MANY + 1) * 4096];
    rms_norm(y->rms, rows + at * dim, NULL, dim, 1e-5f);
    batch_norm(out, rows, n, dim, 1e-5f);
    memcpy(y->batch, out + at * dim, dim * sizeof *out);
    memcpy(many, rows + at * dim, dim * sizeof *many);
    batch_norm(out, many, MANY + 1, dim, 1e-5f);
    memcpy(y->stored, out, dim * sizeof *out);
}

static double moved(const float *y, const float *y0, size_t dim) {
    double far = 0, length = 0;
    for (size_t i = 0; i < dim; i++)
        far += pow((double)y[i] - (double)y0[i], 2), length += (double)y0[i] * (double)y0[i];
    return sqrt(far / length);
}

static void print(const char *what, const Normed *y, const Normed *y0, size_t dim) {
    printf("%-28s %8.2f %12.2f %18.2f\n", what, moved(y->rms, y0->rms, dim),
           moved(y->batch, y0->batch, dim), moved(y->stored, y0->stored, dim));
}

static void experiment(const Model *m, float *many) {
    static float rows[MOST * 4096];
    static Normed own, y;
    size_t dim = m->sizes.dim, n = read_text(m, "Once upon a time", rows, 0), at = n - 1;
    for (size_t i = 1; i <= MANY; i++) embedding(many + i * dim, &m->embedding, i);
    printf("%-28s %8s %12s %18s\n", "the last word of a text", "RMSNorm", "batch norm",
           "... of 2,000 rows");
    norm_all(rows, n, at, dim, many, &own), print("in its own text", &own, &own, dim);
    norm_all(rows, read_text(m, " the fox was sad", rows, n), at, dim, many, &y);
    print("beside another text", &y, &own, dim);
    norm_all(rows, read_text(m, " there", rows, n), at, dim, many, &y);
    print("with the next word", &y, &own, dim);
    norm_all(rows + at * dim, 1, 0, dim, many, &y), print("alone", &y, &own, dim);
    for (size_t i = 0; i < dim; i++) rows[at * dim + i] *= 10;
    norm_all(rows, n, at, dim, many, &y), print("ten times as large", &y, &own, dim);
}

int main(int argc, char **argv) {
    Fault fault = {"usage: batch_norm MODEL"};
    Model model;
    float *many = NULL;
    if (argc != 2 || !model_open(&model, argv[1], &fault)) {
        fprintf(stderr, "%s\n", fault.text);
        return 1;
    }
    bool fits = model.sizes.dim <= 4096 && model.sizes.vocab > MANY;
    if (fits) many = malloc((MANY + 1) * model.sizes.dim * sizeof *many);
    if (many) experiment(&model, many);
    free(many), model_close(&model);
    return many == NULL;
}
