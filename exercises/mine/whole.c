/* whole.c - a language model in one file: it counts, babbles, learns, is checked, and tells stories.
 *
 *     text --pairs--> tokens --table--> vectors --blocks--> vectors --table--> chances of the next
 *
 * Read it from top to bottom: a part stands on those above it, ends in the command that shows it, and
 * belongs to a chapter of docs/mine.  Nothing is used but the C library.
 *
 *     cc -O3 -march=native whole.c -o whole -lm -lpthread
 *     ./whole train stories.txt 600 1 mine.gguf
 *     ./whole generate mine.gguf 300 0.5 1 "Once upon a time"
 *
 * The model is a small Llama: strata and llama.cpp read its file as well. */
#define _GNU_SOURCE
#include <ctype.h>
#include <math.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static void die(const char *where, const char *what) {
    fprintf(stderr, "%s: %s\n", where, what);
    exit(1);
}

static void *room(long count, size_t size) {
    void *zeros = calloc((size_t)count + 1, size);
    if (!zeros) die("memory", "there is not enough");
    return zeros;
}

/* ------------------------------------------------------------------ 1. bytes and counts */

typedef struct Text {
    const unsigned char *at;
    long size;
} Text;

static Text read_text(FILE *file, const char *name) {
    unsigned char *bytes = NULL;
    long size = 0, step = 1 << 20;
    for (long more = 1; file && more > 0; size += more) {
        if (!(bytes = realloc(bytes, (size_t)(size + step))))
            die(name, "is larger than memory");
        more = (long)fread(bytes + size, 1, (size_t)step, file);
    }
    if (!size) die(name, "cannot be read, or holds nothing");
    return (Text){bytes, size};
}

static Text read_file(const char *path) { return read_text(fopen(path, "rb"), path); }

static double sum_of(const double *x, int n) {
    double sum = 0;
    for (int i = 0; i < n; i++) sum += x[i];
    return sum;
}

/* The mean surprise, -log p in nats, at choices that come as often as these counts say. */
static double entropy(const double *count, int n) {
    double total = sum_of(count, n), nats = 0;
    for (int i = 0; i < n; i++)
        if (count[i] > 0) nats -= count[i] / total * log(count[i] / total);
    return nats;
}

static void run_bytes(char **argument) {
    Text text = read_file(argument[0]);
    double count[256] = {0};
    for (long i = 0; i < text.size; i++) count[text.at[i]]++;
    for (int i = 0; i < 256; i++)
        if (count[i] > 0) printf("%d %.0f\n", i, count[i]);
    printf("entropy %.4f\n", entropy(count, 256));
}

/* ------------------------------------------------------------------ 2. a bigram that babbles */

/* A random number from [0, 1): the seed takes a step, its bits are stirred (splitmix64). */
static double coin(uint64_t *seed) {
    uint64_t z = *seed += 0x9e3779b97f4a7c15;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return (double)((z ^ (z >> 31)) >> 11) / 9007199254740992.0;
}

/* Put the weights end to end and pick a uniform point: i comes up in proportion to its weight. */
static int draw(const double *weight, int n, uint64_t *seed) {
    double left = coin(seed) * sum_of(weight, n);
    int i = 0;
    while (i < n - 1 && left >= weight[i]) left -= weight[i++];
    return i;
}

/* How often each byte follows each; the first follows the last, so that no byte is without. */
static void count_followers(Text text, double count[256][256]) {
    for (long i = 0; i < text.size; i++) count[text.at[i]][text.at[(i + 1) % text.size]]++;
}

static void run_bigram(char **argument) {
    static double count[256][256];
    Text text = read_file(argument[0]);
    uint64_t seed = strtoull(argument[1], NULL, 10);
    count_followers(text, count);
    for (int byte = text.at[0], n = atoi(argument[2]); n > 0; n--) {
        putchar(byte);
        byte = draw(count[byte], 256, &seed);
    }
}

/* ------------------------------------------------------------------ 3. byte pairs */

enum {
    VOCAB = 1024,    /* tokens: 256 bytes, pairs, and the end of a document */
    END = VOCAB - 1, /* which stands before the first document, too */
    MERGES = END - 256,
    LONGEST = 64,    /* bytes of a word */
    START = 1 << 16, /* marks a word's first token until all pairs are found */
};

/* Tokens below 256 are bytes; token 256 + i stands for the pair merge[i]. */
typedef struct Vocabulary {
    int merge[MERGES][2], merges;
} Vocabulary;

typedef struct Tokens {
    int *at;
    long n;
} Tokens;

static int kind(unsigned char c) {
    return isspace(c) ? 0 : isalpha(c) || c >= 128 ? 1 : isdigit(c) ? 2 : 3;
}

/* The first word of a text as GPT-2 cuts it: an ending like 's; or a run of one kind with a space
 * before it; or white space, of which the last goes with the word behind it. */
static long word_size(Text text) {
    static const char *const endings[] = {"'s", "'t", "'re", "'ve", "'m", "'ll", "'d"};
    for (int i = 0; i < 7; i++) {
        long size = (long)strlen(endings[i]);
        if (size <= text.size && memcmp(text.at, endings[i], (size_t)size) == 0) return size;
    }
    long size = text.at[0] == ' ' && text.size > 1 && kind(text.at[1]) != 0;
    int first = kind(text.at[size]);
    while (size < text.size && size < LONGEST && kind(text.at[size]) == first) size++;
    return first == 0 && size > 1 && size < text.size ? size - 1 : size;
}

/* END, then a token for each byte, those that begin a word marked, and END for each line
 * <|endoftext|>. */
static Tokens spell(Text text) {
    static const char mark[] = "\n<|endoftext|>\n";
    Tokens t = {room(text.size + 1, sizeof *t.at), 0};
    t.at[t.n++] = END | START;
    while (text.size) {
        long size = (long)sizeof mark - 1;
        if (size <= text.size && memcmp(text.at, mark, (size_t)size) == 0) {
            t.at[t.n++] = END | START;
        } else {
            size = word_size(text);
            for (long i = 0; i < size; i++) t.at[t.n++] = text.at[i] | (i ? 0 : START);
        }
        text = (Text){text.at + size, text.size - size};
    }
    return t;
}

/* Each pair inside a word becomes the token that stands for it. */
static void merge_pair(Tokens *t, int left, int right, int merged) {
    long n = 0;
    for (long i = 0; i < t->n; i++) {
        bool here = (t->at[i] & ~START) == left && i + 1 < t->n && t->at[i + 1] == right;
        t->at[n++] = here ? merged | (t->at[i] & START) : t->at[i];
        i += here;
    }
    t->n = n;
}

/* Again and again make the commonest pair of neighbors a token of its own; of equally common ones
 * that with the lower tokens. */
static Vocabulary learn_pairs(Text text, int merges) {
    static int count[VOCAB][VOCAB];
    Vocabulary v = {.merges = 0};
    Tokens t = spell(text);
    for (; v.merges < merges && v.merges < MERGES; v.merges++) {
        int a = 0, b = 0, n = 256 + v.merges;
        memset(count, 0, (size_t)n * sizeof *count);
        for (long i = 1; i < t.n; i++)
            if (!(t.at[i] & START)) count[t.at[i - 1] & ~START][t.at[i]]++;
        for (int i = 0; i < n * VOCAB; i++)
            if (count[i / VOCAB][i % VOCAB] > count[a][b]) a = i / VOCAB, b = i % VOCAB;
        if (count[a][b] < 2) die("no pair comes twice", "give more text");
        v.merge[v.merges][0] = a, v.merge[v.merges][1] = b;
        merge_pair(&t, a, b, n);
    }
    free(t.at);
    return v;
}

/* The pairs that were learned, in the order of learning. */
static Tokens encode(const Vocabulary *v, Text text) {
    Tokens t = spell(text);
    for (int i = 0; i < v->merges; i++) merge_pair(&t, v->merge[i][0], v->merge[i][1], 256 + i);
    for (long i = 0; i < t.n; i++) t.at[i] &= ~START;
    t.at[t.n] = END; /* behind the last document, too */
    return t;
}

/* The bytes of a token, up to LONGEST, into out; their number. */
static int decode(const Vocabulary *v, int token, unsigned char *out) {
    if (token == END) return 0;
    if (token < 256) return *out = (unsigned char)token, 1;
    int n = decode(v, v->merge[token - 256][0], out);
    return n + decode(v, v->merge[token - 256][1], out + n);
}

static void run_pairs(char **argument) {
    const Vocabulary v = learn_pairs(read_file(argument[0]), atoi(argument[1]));
    for (int i = 0; i < v.merges; i++) printf("%d %d\n", v.merge[i][0], v.merge[i][1]);
}

static void run_tokens(char **argument) {
    const Vocabulary v = learn_pairs(read_file(argument[0]), atoi(argument[1]));
    Tokens t = encode(&v, read_text(stdin, "standard input"));
    for (long i = 1; i < t.n; i++) printf("%d\n", t.at[i]);
}

/* ------------------------------------------------------------------ 4. one neuron and its gradient */

static double number(void) { /* the next one on standard input */
    double value;
    if (scanf("%lf", &value) != 1) die("standard input", "a number is missing");
    return value;
}

/* A neuron gives p = 1 / (1 + exp(-w.x - b)) as the chance of t = 1.  The gradient of its surprise is
 * p - t times what each weight is multiplied by; against it the weights go, a little at a time. */
static void run_neuron(char **argument) {
    int points = (int)number();
    double(*point)[3] = room(points, sizeof *point), w[3] = {0};
    for (int i = 0; i < 3 * points; i++) point[i / 3][i % 3] = number();
    for (int step = 1; step <= atoi(argument[0]); step++) {
        double nats = 0, gradient[3] = {0};
        for (int i = 0; i < points; i++) {
            double x = point[i][0], y = point[i][1], t = point[i][2];
            double p = 1 / (1 + exp(-w[0] * x - w[1] * y - w[2]));
            nats -= log(t > 0 ? p : 1 - p);
            gradient[0] += (p - t) * x, gradient[1] += (p - t) * y, gradient[2] += p - t;
        }
        for (int i = 0; i < 3; i++) w[i] -= atof(argument[1]) * gradient[i] / points;
        printf("%d %.6f\n", step, nats / points);
    }
    printf("weights %.6f %.6f %.6f\n", w[0], w[1], w[2]);
}

/* ------------------------------------------------------------------ 5. embedding and softmax */

/* A view: element (i, j) is at at[i * down + j * right].  To transpose or slice one costs nothing. */
typedef struct Matrix {
    float *at;
    int rows, cols, down, right;
} Matrix;

static float *row(Matrix m, int i) { return m.at + i * m.down; }
static Matrix turned(Matrix m) { return (Matrix){m.at, m.cols, m.rows, m.right, m.down}; }
static Matrix rows(Matrix m, int i, int n) { return m.at = row(m, i), m.rows = n, m; }
static Matrix columns(Matrix m, int j, int n) { return m.at += j * m.right, m.cols = n, m; }

/* The next numbers of a block of memory as a matrix. */
static Matrix take(float **from, int rows, int cols) {
    Matrix m = {*from, rows, cols, cols, 1};
    *from += (size_t)rows * (size_t)cols;
    return m;
}

static Matrix new_matrix(int rows, int cols) {
    float *at = room((long)rows * cols, sizeof *at);
    return take(&at, rows, cols);
}

static void copy(Matrix to, Matrix from) {
    memcpy(to.at, from.at, sizeof *to.at * (size_t)from.rows * (size_t)from.cols);
}

static void clear(Matrix m) {
    for (int i = 0; i < m.rows; i++) memset(row(m, i), 0, sizeof *m.at * (size_t)m.cols);
}

static void read_matrix(Matrix m) {
    for (int i = 0; i < m.rows * m.cols; i++) m.at[i] = (float)number();
}

static void print_matrix(Matrix m) {
    for (int i = 0; i < m.rows; i++)
        for (int j = 0; j < m.cols; j++)
            printf("%.6g%c", (double)row(m, i)[j], j + 1 < m.cols ? ' ' : '\n');
}

/* c += a b: nearly all time goes here.  A tile of c stays in registers while a, and a strip of b that
 * was copied so that its numbers lie side by side, run past it; compilers vectorize the inner loop. */
static void add_product(Matrix c, Matrix a, Matrix b) {
    enum { TALL = 8, WIDE = 32 };
    float strip[a.cols][WIDE];
    memset(strip, 0, sizeof strip);
    for (int j = 0; j < c.cols; j += WIDE) {
        int tall, wide = c.cols - j < WIDE ? c.cols - j : WIDE;
        for (int k = 0; k < a.cols; k++)
            for (int y = 0; y < wide; y++) strip[k][y] = row(b, k)[(j + y) * b.right];
        for (int i = 0; i < c.rows; i += tall) {
            float tile[TALL][WIDE] = {{0}};
            const float *from[TALL]; /* for a missing row the last one: it is not used */
            tall = c.rows - i < TALL ? c.rows - i : TALL;
            for (int x = 0; x < TALL; x++) from[x] = row(a, i + (x < tall ? x : tall - 1));
            for (int k = 0; k < a.cols; k++)
                for (int x = 0; x < TALL; x++)
                    for (int y = 0; y < WIDE; y++)
                        tile[x][y] += from[x][k * a.right] * strip[k][y];
            for (int x = 0; x < tall; x++)
                for (int y = 0; y < wide; y++) row(c, i + x)[(j + y) * c.right] += tile[x][y];
        }
    }
}

/* y = x w^T: a layer of neurons, each a row of w (out, in). */
static void linear(Matrix y, Matrix x, Matrix w) {
    clear(y);
    add_product(y, x, turned(w));
}

/* Scores become probabilities: positive, 1 in sum.  Subtract the largest, so that exp cannot overflow. */
static void softmax(float *x, int n) {
    float largest = x[0], sum = 0;
    for (int i = 1; i < n; i++) largest = x[i] > largest ? x[i] : largest;
    for (int i = 0; i < n; i++) sum += x[i] = expf(x[i] - largest);
    for (int i = 0; i < n; i++) x[i] /= sum;
}

/* The smallest model: the dot product of a token's row with every row scores what comes next. */
static void run_next(char **argument) {
    (void)argument;
    int vocab = (int)number(), dim = (int)number(), token = (int)number();
    Matrix table = new_matrix(vocab, dim), scores = new_matrix(1, vocab);
    read_matrix(table);
    linear(scores, rows(table, token, 1), table);
    softmax(scores.at, vocab);
    print_matrix(turned(scores));
}

/* ------------------------------------------------------------------ 6. the loss and its floor */

/* Surprise at the target.  Chances p become its gradient by the scores: p, less 1 at the target. */
static double lose(float *p, int target) {
    double nats = -log((double)p[target] + 1e-30);
    p[target] -= 1;
    return nats;
}

/* Learn the bigram instead of counting it: a row of scores for each byte, all of the text in every
 * step.  No loss is below the entropy of what follows, and this one comes as near as you wait. */
static void run_table(char **argument) {
    static double count[256][256];
    Text text = read_file(argument[0]);
    Matrix score = new_matrix(256, 256), p = new_matrix(256, 256);
    double floor = 0, size = (double)text.size;
    count_followers(text, count);
    for (int a = 0; a < 256; a++)
        floor += sum_of(count[a], 256) / size * entropy(count[a], 256);
    for (int step = 1; step <= atoi(argument[1]); step++) {
        double nats = 0;
        copy(p, score);
        for (int a = 0; a < 256; a++) {
            softmax(row(p, a), 256);
            double seen = sum_of(count[a], 256);
            for (int b = 0; b < 256; b++) {
                double chance = (double)row(p, a)[b];
                nats -= count[a][b] * log(chance);
                row(score, a)[b] -=
                    (float)(atof(argument[2]) * (seen * chance - count[a][b]) / size);
            }
        }
        printf("%d %.4f\n", step, nats / size);
    }
    printf("floor %.4f\n", floor);
}

/* ------------------------------------------------------------------ 7. attention */

/* What one head uses of all queries | keys | values, which stand side by side: part 0, 1 or 2. */
static Matrix head(Matrix qkv, int part, int h, int heads) {
    int size = qkv.cols / 3 / heads;
    return columns(qkv, (part * heads + h) * size, size);
}

/* Each row's query asks the keys of all rows up to its own, and the row gets the mean of their
 * values, weighted by how well they answer.  Heads work side by side on columns of their own.
 *
 *   out (n, dim)   qkv (n, 3 dim)   weights (heads n, n): kept for the way back */
static void attention(Matrix out, Matrix qkv, int heads, Matrix weights) {
    int n = out.rows, size = out.cols / heads;
    float scale = 1 / sqrtf((float)size);
    clear(out);
    clear(weights);
    for (int h = 0; h < heads; h++) {
        Matrix w = rows(weights, h * n, n);
        add_product(w, head(qkv, 0, h, heads), turned(head(qkv, 1, h, heads)));
        for (int i = 0; i < n; i++) {
            for (int j = 0; j < n; j++)
                row(w, i)[j] = j <= i ? row(w, i)[j] * scale : 0; /* no future */
            softmax(row(w, i), i + 1);
        }
        add_product(columns(out, h * size, size), w, head(qkv, 2, h, heads));
    }
}

static void run_attention(char **argument) {
    (void)argument;
    int n = (int)number(), heads = (int)number(), size = (int)number();
    Matrix qkv = new_matrix(n, 3 * heads * size), out = new_matrix(n, heads * size);
    read_matrix(qkv);
    attention(out, qkv, heads, new_matrix(heads * n, n));
    print_matrix(out);
}

/* ------------------------------------------------------------------ 8. the block */

static const float EPSILON = 1e-5f, THETA = 10000;

/* dim numbers stand for a token on its way; hidden is the width of the feed-forward network. */
typedef struct Shape {
    int dim, heads, hidden, layers, vocab;
} Shape;

/* The weights of a block (matrices are out, in), or their gradients. */
typedef struct Block {
    Matrix gain1, qkv, out, gain2, gate_up, down;
} Block;

/* What a block computes on the way, needed on the way back; or the gradients of these. */
typedef struct Trace {
    Matrix x, normed, qkv, weights, mixed, middle, normed2, gate_up, product;
} Trace;

static Block take_block(float **from, Shape s) {
    Block b;
    b.gain1 = take(from, 1, s.dim);
    b.qkv = take(from, 3 * s.dim, s.dim), b.out = take(from, s.dim, s.dim);
    b.gain2 = take(from, 1, s.dim);
    b.gate_up = take(from, 2 * s.hidden, s.dim), b.down = take(from, s.dim, s.hidden);
    return b;
}

static Trace take_trace(float **from, Shape s, int n) {
    Trace t;
    t.x = take(from, n, s.dim), t.normed = take(from, n, s.dim);
    t.qkv = take(from, n, 3 * s.dim), t.weights = take(from, s.heads * n, n);
    t.mixed = take(from, n, s.dim), t.middle = take(from, n, s.dim);
    t.normed2 = take(from, n, s.dim), t.gate_up = take(from, n, 2 * s.hidden);
    t.product = take(from, n, s.hidden);
    return t;
}

/* Bring each row to a root mean square of 1; then each column has its gain. */
static void norm(Matrix out, Matrix x, Matrix gain) {
    for (int i = 0; i < x.rows; i++) {
        float sum = 0;
        for (int j = 0; j < x.cols; j++) sum += row(x, i)[j] * row(x, i)[j];
        float r = 1 / sqrtf(sum / (float)x.cols + EPSILON);
        for (int j = 0; j < x.cols; j++) row(out, i)[j] = row(x, i)[j] * r * gain.at[j];
    }
}

/* Say where a row stands: its pairs of numbers turn, each at a speed of its own, by an angle that
 * grows with the place; products of two rows then depend on their distance alone.  way: 1, or -1 to
 * turn back. */
static void turn(Matrix x, int size, int way) {
    for (int i = 0; i < x.rows; i++)
        for (int j = 0; j < size; j += 2) {
            float angle = (float)(way * i) * powf(THETA, -(float)j / (float)size);
            float c = cosf(angle), s = sinf(angle);
            for (float *pair = row(x, i) + j; pair < row(x, i) + x.cols; pair += size) {
                float first = pair[0];
                pair[0] = first * c - pair[1] * s;
                pair[1] = first * s + pair[1] * c;
            }
        }
}

/* out = gate sigmoid(gate) up, from gate | up side by side. */
static void swiglu(Matrix out, Matrix gate_up) {
    for (int i = 0; i < out.rows; i++) {
        const float *gate = row(gate_up, i), *up = gate + out.cols;
        for (int j = 0; j < out.cols; j++)
            row(out, i)[j] = gate[j] / (1 + expf(-gate[j])) * up[j];
    }
}

/* x += attention(norm(x)); x += feed_forward(norm(x)). */
static void block(const Block *w, const Trace *t, Matrix x, Shape s) {
    copy(t->x, x);
    norm(t->normed, x, w->gain1);
    linear(t->qkv, t->normed, w->qkv);
    turn(columns(t->qkv, 0, 2 * s.dim), s.dim / s.heads, 1);
    attention(t->mixed, t->qkv, s.heads, t->weights);
    add_product(x, t->mixed, turned(w->out));
    copy(t->middle, x);
    norm(t->normed2, x, w->gain2);
    linear(t->gate_up, t->normed2, w->gate_up);
    swiglu(t->product, t->gate_up);
    add_product(x, t->product, turned(w->down));
}

/* ------------------------------------------------------------------ 9. backward */

/* What x and w get from the gradient of y = x w^T; that of w is added to. */
static void linear_backward(Matrix dx, Matrix dw, Matrix dy, Matrix x, Matrix w) {
    clear(dx);
    add_product(dx, dy, w);
    add_product(dw, turned(dy), x);
}

static void attention_backward(Matrix dqkv, Matrix dout, Matrix qkv, int heads, Matrix weights,
                               Matrix dweights) {
    int n = dout.rows, size = dout.cols / heads;
    float scale = 1 / sqrtf((float)size);
    clear(dqkv);
    clear(dweights);
    for (int h = 0; h < heads; h++) {
        Matrix w = rows(weights, h * n, n), dw = rows(dweights, h * n, n);
        Matrix d = columns(dout, h * size, size);
        add_product(head(dqkv, 2, h, heads), turned(w), d);
        add_product(dw, d, turned(head(qkv, 2, h, heads)));
        for (int i = 0; i < n; i++) { /* softmax: each less the weighted mean of all */
            float mean = 0;
            for (int j = 0; j <= i; j++) mean += row(w, i)[j] * row(dw, i)[j];
            for (int j = 0; j < n; j++)
                row(dw, i)[j] = row(w, i)[j] * (row(dw, i)[j] - mean) * scale;
        }
        add_product(head(dqkv, 0, h, heads), dw, head(qkv, 1, h, heads));
        add_product(head(dqkv, 1, h, heads), turned(dw), head(qkv, 0, h, heads));
    }
}

/* Both gradients are added to: beside the norm a path goes straight through. */
static void norm_backward(Matrix dx, Matrix dgain, Matrix dout, Matrix x, Matrix gain) {
    for (int i = 0; i < x.rows; i++) {
        const float *in = row(x, i), *d = row(dout, i);
        float sum = 0, along = 0;
        for (int j = 0; j < x.cols; j++)
            sum += in[j] * in[j], along += d[j] * gain.at[j] * in[j];
        float r = 1 / sqrtf(sum / (float)x.cols + EPSILON),
              pull = along * r * r / (float)x.cols;
        for (int j = 0; j < x.cols; j++) {
            row(dx, i)[j] += r * (d[j] * gain.at[j] - pull * in[j]);
            dgain.at[j] += d[j] * in[j] * r;
        }
    }
}

static void swiglu_backward(Matrix dgate_up, Matrix dout, Matrix gate_up) {
    for (int i = 0; i < dout.rows; i++) {
        const float *gate = row(gate_up, i), *up = gate + dout.cols, *d = row(dout, i);
        float *dgate = row(dgate_up, i), *dup = dgate + dout.cols;
        for (int j = 0; j < dout.cols; j++) {
            float sigmoid = 1 / (1 + expf(-gate[j]));
            dgate[j] = d[j] * up[j] * sigmoid * (1 + gate[j] * (1 - sigmoid));
            dup[j] = d[j] * gate[j] * sigmoid;
        }
    }
}

/* dx comes as the gradient of what the block put out and leaves as that of what went in.  Read
 * block() from its end: each line here undoes one there. */
static void block_backward(const Block *w, const Block *dw, const Trace *t, const Trace *d,
                           Matrix dx, Shape s) {
    linear_backward(d->product, dw->down, dx, t->product, w->down);
    swiglu_backward(d->gate_up, d->product, t->gate_up);
    linear_backward(d->normed2, dw->gate_up, d->gate_up, t->normed2, w->gate_up);
    norm_backward(dx, dw->gain2, d->normed2, t->middle, w->gain2);
    linear_backward(d->mixed, dw->out, dx, t->mixed, w->out);
    attention_backward(d->qkv, d->mixed, t->qkv, s.heads, t->weights, d->weights);
    turn(columns(d->qkv, 0, 2 * s.dim), s.dim / s.heads, -1);
    linear_backward(d->normed, dw->qkv, d->qkv, t->normed, w->qkv);
    norm_backward(dx, dw->gain1, d->normed, t->x, w->gain1);
}

static void run_block(char **argument) {
    int n = (int)number(), dim = (int)number(), heads = (int)number(), hidden = (int)number();
    Shape s = {dim, heads, hidden, 1, 0};
    int size = 2 * dim + 4 * dim * dim + 3 * dim * hidden,
        spent = 8 * dim + 3 * hidden + heads * n;
    Matrix weights = new_matrix(size, 1), gradients = new_matrix(size, 1),
           x = new_matrix(n, dim);
    float *at = weights.at, *dat = gradients.at, *memory = new_matrix(2 * n, spent).at;
    Block w = take_block(&at, s), dw = take_block(&dat, s);
    Trace t = take_trace(&memory, s, n), d = take_trace(&memory, s, n);
    bool forward = strcmp(argument[-1], "block") == 0;
    read_matrix(weights);
    read_matrix(x);
    block(&w, &t, x, s);
    if (!forward) read_matrix(x), block_backward(&w, &dw, &t, &d, x, s);
    print_matrix(x);
    if (!forward) print_matrix(gradients);
}

/* ------------------------------------------------------------------ 10. AdamW */

typedef struct Adam {
    float rate, beta1, beta2, decay, clip;
    float *mean, *square; /* running means of each gradient and of its square */
    int step;
} Adam;

/* A step against the gradient, about as long for every weight whatever its gradients; weights that
 * nothing pulls shrink.  The gradients are scaled first, then all together cut to a length of clip. */
static void update(Adam *a, float *w, const float *gradient, long n, float scale) {
    double squares = 0;
    for (long i = 0; i < n; i++) squares += (double)gradient[i] * (double)gradient[i];
    float length = (float)sqrt(squares) * scale;
    if (length > a->clip) scale *= a->clip / length;
    a->step++;
    float fair1 = 1 / (1 - powf(a->beta1, (float)a->step)); /* for the means began at 0 */
    float fair2 = 1 / (1 - powf(a->beta2, (float)a->step));
    for (long i = 0; i < n; i++) {
        float g = gradient[i] * scale;
        a->mean[i] += (1 - a->beta1) * (g - a->mean[i]);
        a->square[i] += (1 - a->beta2) * (g * g - a->square[i]);
        float step = a->mean[i] * fair1 / (sqrtf(a->square[i] * fair2) + 1e-8f);
        w[i] -= a->rate * (step + a->decay * w[i]);
    }
}

static void run_adamw(char **argument) {
    (void)argument;
    int n = (int)number(), steps = (int)number();
    Adam a = {.mean = new_matrix(1, n).at, .square = new_matrix(1, n).at};
    float *const set[] = {&a.rate, &a.beta1, &a.beta2, &a.decay, &a.clip};
    for (int i = 0; i < 5; i++) *set[i] = (float)number();
    Matrix w = new_matrix(1, n), gradient = new_matrix(1, n);
    for (read_matrix(w); steps--; print_matrix(w)) {
        read_matrix(gradient);
        update(&a, w.at, gradient.at, n, 1);
    }
}

/* ------------------------------------------------------------------ 11. the model, trained */

enum { CONTEXT = 320, MOST_LAYERS = 8, WORKERS = 2, BATCH = 8, RUN_NUMBERS = 1 << 23 };
static const Shape SHAPE = {.dim = 128, .heads = 4, .hidden = 384, .layers = 3, .vocab = VOCAB};
static const float RATE = 3e-3f;

/* A table of vectors, blocks, a last norm; the table scores what comes next, too.  All numbers lie
 * in one stretch, so that an update or a check is one loop.  Gradients are a model as well. */
typedef struct Model {
    Shape shape;
    float *numbers;
    long size;
    Matrix table, gain;
    Block blocks[MOST_LAYERS];
} Model;

static Model new_model(Shape s) {
    Model m = {.shape = s, .size = (long)(s.vocab + 1) * s.dim};
    m.size += s.layers * (2L * s.dim + 4L * s.dim * s.dim + 3L * s.dim * s.hidden);
    float *at = m.numbers = room(m.size, sizeof *m.numbers);
    m.table = take(&at, s.vocab, s.dim);
    for (int l = 0; l < s.layers; l++) m.blocks[l] = take_block(&at, s);
    m.gain = take(&at, 1, s.dim);
    return m;
}

/* Normal numbers of a small deviation; gains begin at 1. */
static void randomize(Model *m, float deviation, uint64_t seed) {
    for (long i = 0; i < m->size; i++)
        m->numbers[i] = (float)(sqrt(-2 * log(1 - coin(&seed))) * cos(6.2831853 * coin(&seed)));
    for (long i = 0; i < m->size; i++) m->numbers[i] *= deviation;
    for (int j = 0; j < m->shape.dim; j++) {
        m->gain.at[j] = 1;
        for (int l = 0; l < m->shape.layers; l++)
            m->blocks[l].gain1.at[j] = m->blocks[l].gain2.at[j] = 1;
    }
}

/* A document on its way through the model. */
typedef struct Run {
    float *memory; /* RUN_NUMBERS: more than the longest document needs */
    Trace traces[MOST_LAYERS], d;
    Matrix x, normed, chances, dx;
} Run;

/* The chances of what comes after each of n tokens. */
static void forward(const Model *m, Run *r, const int *tokens, int n) {
    Shape s = m->shape;
    float *at = r->memory;
    for (int l = 0; l < s.layers; l++) r->traces[l] = take_trace(&at, s, n);
    r->d = take_trace(&at, s, n);
    r->x = take(&at, n, s.dim), r->normed = take(&at, n, s.dim), r->dx = take(&at, n, s.dim);
    r->chances = take(&at, n, s.vocab);
    for (int i = 0; i < n; i++) copy(rows(r->x, i, 1), rows(m->table, tokens[i], 1));
    for (int l = 0; l < s.layers; l++) block(&m->blocks[l], &r->traces[l], r->x, s);
    norm(r->normed, r->x, m->gain);
    linear(r->chances, r->normed, m->table);
    for (int i = 0; i < n; i++) softmax(row(r->chances, i), s.vocab);
}

/* Read n tokens, be surprised by the one behind each, and add the gradients of the sum of that to dm. */
static double learn(const Model *m, const Model *dm, Run *r, const int *tokens, int n) {
    double nats = 0;
    forward(m, r, tokens, n);
    for (int i = 0; i < n; i++) nats += lose(row(r->chances, i), tokens[i + 1]);
    linear_backward(r->d.normed, dm->table, r->chances, r->normed, m->table);
    clear(r->dx);
    norm_backward(r->dx, dm->gain, r->d.normed, r->x, m->gain);
    for (int l = m->shape.layers; l-- > 0;)
        block_backward(&m->blocks[l], &dm->blocks[l], &r->traces[l], &r->d, r->dx, m->shape);
    for (int i = 0; i < n; i++)
        for (int j = 0; j < m->shape.dim; j++) row(dm->table, tokens[i])[j] += row(r->dx, i)[j];
    return nats;
}

/* Every gradient of a small model beside the slope between two points near by. */
static void run_check(char **argument) {
    Shape small = {.dim = 16, .heads = 2, .hidden = 24, .layers = 2, .vocab = 20};
    Model m = new_model(small), dm = new_model(small), unused = new_model(small);
    Run r = {.memory = room(RUN_NUMBERS, sizeof(float))};
    uint64_t seed = strtoull(argument[0], NULL, 10);
    int tokens[13];
    double apart = 0, length = 0;
    for (int i = 0; i < 13; i++) tokens[i] = (int)(20 * coin(&seed));
    randomize(&m, 0.2f, seed);
    learn(&m, &dm, &r, tokens, 12);
    for (long i = 0; i < m.size; i++) {
        const float here = m.numbers[i], step = 4e-3f;
        m.numbers[i] = here + step;
        double slope = learn(&m, &unused, &r, tokens, 12);
        m.numbers[i] = here - step;
        slope = (slope - learn(&m, &unused, &r, tokens, 12)) / (2 * (double)step);
        m.numbers[i] = here;
        apart += pow(slope - (double)dm.numbers[i], 2), length += slope * slope;
    }
    printf("%ld gradients, apart by %.6f of their length\n", m.size, sqrt(apart / length));
}

/* A thread learns from every WORKERS-th document of a batch, into gradients of its own. */
typedef struct Worker {
    const Model *model;
    Model gradients;
    Run run;
    const int **batch; /* BATCH documents, each with END before and behind it */
    int first;
    double nats, tokens;
} Worker;

static void *work(void *argument) {
    Worker *w = argument;
    w->nats = w->tokens = 0;
    memset(w->gradients.numbers, 0, sizeof(float) * (size_t)w->gradients.size);
    for (int i = w->first; i < BATCH; i += WORKERS) {
        int n = 1;
        while (n < CONTEXT && w->batch[i][n] != END) n++;
        w->nats += learn(w->model, &w->gradients, &w->run, w->batch[i], n);
        w->tokens += n;
    }
    return NULL;
}

/* One step on a batch; its loss in nats for each token. */
static double train_step(Model *m, Worker *workers, Adam *adam) {
    pthread_t threads[WORKERS];
    double nats = 0, tokens = 0;
    float *sum = workers[0].gradients.numbers;
    for (int i = 0; i < WORKERS; i++)
        if (pthread_create(&threads[i], NULL, work, &workers[i]))
            die("threads", "there is none");
    for (int i = 0; i < WORKERS; i++) {
        pthread_join(threads[i], NULL);
        nats += workers[i].nats, tokens += workers[i].tokens;
        for (long j = 0; i > 0 && j < m->size; j++) sum[j] += workers[i].gradients.numbers[j];
    }
    update(adam, m->numbers, sum, m->size, 1 / (float)tokens);
    return nats / tokens;
}

/* Train for so many seconds of each core, one document after the other and again from the first.
 * The rate rises for 100 steps and then falls, to 0 at the end. */
static void train(Model *m, Tokens t, double seconds) {
    Adam adam = {.beta1 = 0.9f, .beta2 = 0.95f, .decay = 0.1f, .clip = 1};
    adam.mean = room(m->size, sizeof(float)), adam.square = room(m->size, sizeof(float));
    Worker workers[WORKERS];
    const int *batch[BATCH];
    for (int i = 0; i < WORKERS; i++)
        workers[i] = (Worker){.model = m,
                              .gradients = new_model(m->shape),
                              .batch = batch,
                              .first = i,
                              .run.memory = room(RUN_NUMBERS, sizeof(float))};
    clock_t begun = clock();
    double done = 0, mean = 0;
    for (long at = 0; done < 1;) {
        for (int i = 0; i < BATCH; i++) {
            batch[i] = t.at + at++;
            while (t.at[at] != END) at++;
            if (at >= t.n - 1) at = 0;
        }
        adam.rate = RATE * (float)(1 - done) * fminf(1, (float)(adam.step + 1) / 100);
        double nats = train_step(m, workers, &adam);
        mean = adam.step == 1 ? nats : 0.95 * mean + 0.05 * nats;
        done = (double)(clock() - begun) / CLOCKS_PER_SEC / WORKERS / seconds;
        if (adam.step % 50 == 1 || done >= 1)
            printf("%d %.4f\n", adam.step, mean), fflush(stdout);
    }
}

/* ------------------------------------------------------------------ 12. the file, and stories */

/* What a file of ours says before its weights, built up byte by byte. */
typedef struct Header {
    unsigned char bytes[1 << 19];
    size_t size;
} Header;

enum { U32 = 4, I32 = 5, F32 = 6, BOOL = 7, STRING = 8, ARRAY = 9, MERGES_AT = 59 };

static void put(Header *h, const void *bytes, size_t size) {
    memcpy(h->bytes + h->size, bytes, size);
    h->size += size;
}
static void put_int(Header *h, int value) { put(h, &value, 4); }
static void put_long(Header *h, int64_t value) { put(h, &value, 8); }
static void put_string(Header *h, const char *s) {
    put_long(h, (int64_t)strlen(s)), put(h, s, strlen(s));
}
static void key(Header *h, const char *name, int type) {
    put_string(h, name), put_int(h, type);
}
static void key_int(Header *h, const char *name, int n) { key(h, name, U32), put_int(h, n); }
static void key_float(Header *h, const char *name, float x) {
    key(h, name, F32), put(h, &x, 4);
}
static void key_string(Header *h, const char *name, const char *s) {
    key(h, name, STRING), put_string(h, s);
}
static void key_array(Header *h, const char *name, int type, int n) {
    key(h, name, ARRAY), put_int(h, type), put_long(h, n);
}

/* A token as GPT-2 spells it: bytes that cannot be seen are the letters from U+0100 on, in order.
 * Returns where it ends. */
static char *visible(const Vocabulary *v, int token, char *out) {
    unsigned char bytes[LONGEST];
    int n = decode(v, token, bytes);
    for (int i = 0; i < n; i++) {
        int code = 0, hidden = 256;
        for (int b = 0; b <= bytes[i]; b++)
            code = (b > 32 && b < 127) || (b > 160 && b != 173) ? b : hidden++;
        if (code >= 128) *out++ = (char)(0xc0 | code >> 6);
        *out++ = (char)(code < 128 ? code : 0x80 | (code & 63));
    }
    strcpy(out, token == END ? "<|endoftext|>" : "");
    return out + strlen(out);
}

/* The pairs come first, as numbers, for this program; others read them as text, below. */
static void put_vocabulary(Header *h, const Vocabulary *v) {
    char text[4 * LONGEST + 2];
    key_array(h, "mine.merges", I32, 2 * MERGES), put(h, v->merge, sizeof v->merge);
    key_string(h, "tokenizer.ggml.model", "gpt2");
    key_string(h, "tokenizer.ggml.pre", "gpt-2");
    key_array(h, "tokenizer.ggml.tokens", STRING, VOCAB);
    for (int i = 0; i < VOCAB; i++) visible(v, i, text), put_string(h, text);
    key_array(h, "tokenizer.ggml.token_type", I32, VOCAB);
    for (int i = 0; i < VOCAB; i++) put_int(h, i == END ? 3 : 1); /* control, normal */
    key_array(h, "tokenizer.ggml.merges", STRING, MERGES);
    for (int i = 0; i < MERGES; i++) {
        char *middle = visible(v, v->merge[i][0], text);
        *middle = ' ', visible(v, v->merge[i][1], middle + 1), put_string(h, text);
    }
    key_int(h, "tokenizer.ggml.bos_token_id", END);
    key_int(h, "tokenizer.ggml.eos_token_id", END);
    key(h, "tokenizer.ggml.add_bos_token", BOOL), put(h, "\1", 1);
}

/* Where a tensor lies among the weights; the next one lies behind it. */
static void put_tensor(Header *h, const char *name, int rows, int cols, int64_t *offset) {
    put_string(h, name), put_int(h, rows > 1 ? 2 : 1), put_long(h, cols);
    if (rows > 1) put_long(h, rows);
    put_int(h, 0), put_long(h, *offset); /* 0: numbers in F32 */
    *offset += 4L * rows * cols;
}

/* A GGUF file: keys, tensors, and then the weights in the order in which they lie in memory. */
static void put_model(Header *h, const Model *m, const Vocabulary *v) {
    int d = m->shape.dim, hidden = m->shape.hidden;
    const struct {
        const char *name;
        int rows, cols;
    } parts[] = {{"attn_norm", 1, d},     {"attn_q", d, d},      {"attn_k", d, d},
                 {"attn_v", d, d},        {"attn_output", d, d}, {"ffn_norm", 1, d},
                 {"ffn_gate", hidden, d}, {"ffn_up", hidden, d}, {"ffn_down", d, hidden}};
    int64_t offset = 0;
    char name[64];
    put(h, "GGUF\3\0\0", 8), put_long(h, 9 * m->shape.layers + 2), put_long(h, 19);
    put_vocabulary(h, v);
    key_string(h, "general.architecture", "llama");
    key_string(h, "general.name", "mine");
    key_int(h, "llama.context_length", CONTEXT);
    key_int(h, "llama.embedding_length", d);
    key_int(h, "llama.block_count", m->shape.layers);
    key_int(h, "llama.feed_forward_length", hidden);
    key_int(h, "llama.attention.head_count", m->shape.heads);
    key_int(h, "llama.rope.dimension_count", d / m->shape.heads);
    key_float(h, "llama.rope.freq_base", THETA);
    key_float(h, "llama.attention.layer_norm_rms_epsilon", EPSILON);
    put_tensor(h, "token_embd.weight", m->shape.vocab, d, &offset);
    for (int i = 0; i < 9 * m->shape.layers; i++) {
        sprintf(name, "blk.%d.%s.weight", i / 9, parts[i % 9].name);
        put_tensor(h, name, parts[i % 9].rows, parts[i % 9].cols, &offset);
    }
    put_tensor(h, "output_norm.weight", 1, d, &offset);
    while (h->size % 32) put(h, "", 1);
}

static void write_model(const char *path, const Model *m, const Vocabulary *v) {
    Header *h = room(1, sizeof *h);
    FILE *file = fopen(path, "wb");
    put_model(h, m, v);
    if (!file || !fwrite(h->bytes, h->size, 1, file) ||
        fwrite(m->numbers, sizeof(float), (size_t)m->size, file) != (size_t)m->size ||
        fclose(file))
        die(path, "cannot be written");
}

/* The pairs of a file and the sizes here determine its header, so there is nothing to parse: it is
 * made again and compared. */
static void read_model(const char *path, Model *m, Vocabulary *v) {
    Text file = read_file(path);
    Header *h = room(1, sizeof *h);
    size_t weights = sizeof(float) * (size_t)m->size;
    v->merges = MERGES;
    if (file.size > MERGES_AT + (long)sizeof v->merge)
        memcpy(v->merge, file.at + MERGES_AT, sizeof v->merge);
    for (int i = 0; i < MERGES; i++)
        if ((unsigned)v->merge[i][0] >= 256u + (unsigned)i ||
            (unsigned)v->merge[i][1] >= 256u + (unsigned)i)
            die(path, "was not written by this program");
    put_model(h, m, v);
    if ((size_t)file.size != h->size + weights || memcmp(file.at, h->bytes, h->size) != 0)
        die(path, "was not written by this program");
    memcpy(m->numbers, file.at + h->size, weights);
}

static void run_train(char **argument) {
    Text text = read_file(argument[0]), begin = text;
    if (begin.size > 1 << 21) begin.size = 1 << 21; /* enough to learn pairs from */
    Vocabulary v = learn_pairs(begin, MERGES);
    Tokens t = encode(&v, text);
    Model m = new_model(SHAPE);
    randomize(&m, 0.06f, strtoull(argument[2], NULL, 10));
    train(&m, t, atof(argument[1]));
    write_model(argument[3], &m, &v);
}

/* The likeliest token at temperature 0; else one drawn from the chances, sharpened below 1. */
static int choose(const float *p, double temperature, uint64_t *seed) {
    double weight[VOCAB];
    int best = 0;
    for (int i = 1; i < VOCAB; i++) best = p[i] > p[best] ? i : best;
    if (temperature == 0) return best;
    for (int i = 0; i < VOCAB; i++) weight[i] = pow((double)(p[i] / p[best]), 1 / temperature);
    return draw(weight, VOCAB, seed);
}

static void run_generate(char **argument) {
    Text prompt = {(const unsigned char *)argument[4], (long)strlen(argument[4])};
    Vocabulary v;
    Model m = new_model(SHAPE);
    Run r = {.memory = room(RUN_NUMBERS, sizeof(float))};
    uint64_t seed = strtoull(argument[3], NULL, 10);
    read_model(argument[0], &m, &v);
    int tokens[CONTEXT], n = 0;
    for (Tokens t = encode(&v, prompt); n < CONTEXT && n < t.n; n++) tokens[n] = t.at[n];
    printf("%s", argument[4]);
    for (int most = atoi(argument[1]); most > 0 && n < CONTEXT; most--, n++) {
        unsigned char bytes[LONGEST];
        forward(&m, &r, tokens, n);
        tokens[n] = choose(row(r.chances, n - 1), atof(argument[2]), &seed);
        if (tokens[n] == END) break;
        fwrite(bytes, 1, (size_t)decode(&v, tokens[n], bytes), stdout);
    }
    putchar('\n');
}

int main(int argc, char **argv) {
    static const struct {
        const char *name, *arguments;
        int n;
        void (*run)(char **);
    } commands[] = {
        {"bytes", "FILE", 1, run_bytes},
        {"bigram", "FILE SEED N", 3, run_bigram},
        {"pairs", "FILE N", 2, run_pairs},
        {"tokens", "FILE N < TEXT", 2, run_tokens},
        {"neuron", "STEPS RATE < POINTS", 2, run_neuron},
        {"next", "< TABLE", 0, run_next},
        {"table", "FILE STEPS RATE", 3, run_table},
        {"attention", "< ROWS", 0, run_attention},
        {"block", "< WEIGHTS AND ROWS", 0, run_block},
        {"gradient", "< WEIGHTS, ROWS AND GRADIENTS", 0, run_block},
        {"check", "SEED", 1, run_check},
        {"adamw", "< WEIGHTS AND GRADIENTS", 0, run_adamw},
        {"train", "FILE SECONDS SEED MODEL", 4, run_train},
        {"generate", "MODEL N TEMPERATURE SEED PROMPT", 5, run_generate},
    };
    const int n = sizeof commands / sizeof *commands;
    for (int i = 0; i < n; i++)
        if (argc == commands[i].n + 2 && strcmp(argv[1], commands[i].name) == 0)
            return commands[i].run(argv + 2), 0;
    for (int i = 0; i < n; i++)
        fprintf(stderr, "%s %s %s\n", *argv, commands[i].name, commands[i].arguments);
    return 2;
}
