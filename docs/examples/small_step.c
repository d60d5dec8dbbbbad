/* small_step.c - the functions of small.c one at a time, as the core pages of layers 1 to 3 run
 * them.
 *
 *     cc -O2 docs/examples/small_step.c -lm -o step
 *     ./step half 3c00 3555              the numbers that these bits mean
 *     ./step dot MODEL.gguf 586 587      the embedding's rows of two tokens, compared */
#define main small_main
#include "small.c"
#undef main

enum { SHOWN = 6 };

static void print_numbers(const char *name, const float *x, size_t n) {
    printf("%-11s", name);
    for (size_t i = 0; i < n && i < SHOWN; i++) printf(" %9.5f", (double)x[i]);
    printf("%s\n", n > SHOWN ? " ..." : "");
}

static Matrix matrix_named(const File *file, const char *name) {
    const Entry *tensor = find(file->tensors, file->n_tensors, name);
    if (!tensor) die("the model file lacks the tensor", name);
    return find_matrix(file, name, tensor->rows, tensor->cols);
}

static float *embedding_row(Matrix embedding, const char *token) {
    const size_t row = strtoul(token, NULL, 10);
    if (row >= embedding.rows) die("no such token", token);
    return embedding.data + row * embedding.cols;
}

/* ROWS COLS I J: a matrix that holds 0, 1, 2 ... and what its element (i, j) is. */
static void step_element(char **word) {
    size_t n[4];
    for (int k = 0; k < 4; k++) n[k] = strtoul(word[k], NULL, 10);
    if (n[2] >= n[0] || n[3] >= n[1]) die("no such element", "");
    const Matrix m = {allocate(n[0] * n[1], sizeof(float)), n[0], n[1]};
    for (size_t k = 0; k < n[0] * n[1]; k++) m.data[k] = (float)k;
    printf("element (%zu, %zu): number %.0f of %zu\n", n[2], n[3],
           (double)m.data[n[2] * m.cols + n[3]], n[0] * n[1]);
}

static void step_half(char **word) {
    for (; *word; word++)
        printf("0x%s  %.9g\n", *word,
               (double)half_to_float((uint16_t)strtoul(*word, NULL, 16)));
}

/* MODEL: the first tensors of a file, and numbers of the second one. */
static void step_file(char **word) {
    const File file = open_file(word[0]);
    printf("%zu keys, %zu tensors\n", file.n_keys, file.n_tensors);
    for (size_t i = 0; i < file.n_tensors && i < SHOWN; i++) {
        const Entry *t = &file.tensors[i];
        printf("%-24.*s %4d x %-4d  format %d\n", (int)t->name.size, t->name.data, (int)t->rows,
               (int)t->cols, (int)t->kind);
    }
    print_numbers(word[1], matrix_named(&file, word[1]).data, SHOWN);
}

/* MODEL TOKEN TOKEN ... : how the first token's row compares with each of the others. */
static void step_dot(char **word) {
    const File file = open_file(word[0]);
    const Matrix e = matrix_named(&file, "token_embd.weight");
    const float *a = embedding_row(e, word[1]);
    for (word += 2; *word; word++) {
        const float *b = embedding_row(e, *word), product = dot(a, b, e.cols);
        printf("token %s: dot %7.4f, cosine %7.4f\n", *word, (double)product,
               (double)(product / sqrtf(dot(a, a, e.cols) * dot(b, b, e.cols))));
    }
}

/* MODEL TOKEN MATRIX ... : what each matrix of the first block makes of the token's normed
 * row. */
static void step_matmul(char **word) {
    const File file = open_file(word[0]);
    const Matrix e = matrix_named(&file, "token_embd.weight");
    float *x = allocate(e.cols, sizeof *x);
    rms_norm(x, embedding_row(e, word[1]), matrix_named(&file, "blk.0.attn_norm.weight"),
             1e-5f);
    for (word += 2; *word; word++) {
        char name[64];
        snprintf(name, sizeof name, "blk.0.%s.weight", *word);
        const Matrix m = matrix_named(&file, name);
        float *out = allocate(m.rows, sizeof *out);
        matmul(out, m, x);
        printf("%3zu numbers, %5zu multiplications: ", m.rows, m.rows * m.cols);
        print_numbers(*word, out, m.rows);
    }
}

static void step_softmax(char **word) {
    float x[32];
    size_t n = 0;
    for (; word[n] && n < 32; n++) x[n] = strtof(word[n], NULL);
    softmax(x, n);
    print_numbers("softmax", x, n);
}

/* MODEL TOKEN: the token's row of the embedding, as it is and normed by the first block. */
static void step_norm(char **word) {
    const File file = open_file(word[0]);
    const Matrix e = matrix_named(&file, "token_embd.weight");
    const float *x = embedding_row(e, word[1]);
    float *out = allocate(e.cols, sizeof *out);
    print_numbers("row", x, e.cols);
    rms_norm(out, x, matrix_named(&file, "blk.0.attn_norm.weight"), 1e-5f);
    print_numbers("normed", out, e.cols);
}

/* M N ... : two equal heads at positions m and n, and their dot product. */
static void step_rope(char **word) {
    for (; word[0] && word[1]; word += 2) {
        float q[32], k[32];
        for (int i = 0; i < 32; i++) q[i] = k[i] = 0.25f;
        rope(q, 32, 32, 1, strtoul(word[0], NULL, 10), 10000);
        rope(k, 32, 32, 1, strtoul(word[1], NULL, 10), 10000);
        printf("query at %4s, key at %4s: %8.5f\n", word[0], word[1], (double)dot(q, k, 32));
    }
}

/* TARGET LOGIT ... : the surprise of one of these tokens. */
static void step_surprise(char **word) {
    float x[32];
    size_t n = 0, target = strtoul(word[0], NULL, 10);
    for (; word[n + 1] && n < 32; n++) x[n] = strtof(word[n + 1], NULL);
    if (target >= n) die("no such token", word[0]);
    printf("%.4f nats\n", surprise(x, n, target));
}

int main(int argc, char **argv) {
    static const struct {
        const char *name;
        int least;
        void (*run)(char **word);
    } steps[] = {{"element", 4, step_element},  {"half", 1, step_half},
                 {"file", 2, step_file},        {"dot", 3, step_dot},
                 {"matmul", 3, step_matmul},    {"softmax", 1, step_softmax},
                 {"norm", 2, step_norm},        {"rope", 2, step_rope},
                 {"surprise", 2, step_surprise}};
    for (size_t i = 0; argc > 1 && i < sizeof steps / sizeof *steps; i++)
        if (strcmp(argv[1], steps[i].name) == 0 && argc - 2 >= steps[i].least)
            return steps[i].run(argv + 2), 0;
    die("usage: step NAME WORDS; small_step.c shows them above each step", "");
}
