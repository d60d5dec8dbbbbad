/* forward.c - the judge's forward pass, in double precision, a token at a time; and the checks
 * of tokens that a program chose.  See engine.h. */
#include "engine.h"

int engine_way;

Reading reading_begin(const TestModel *m) {
    size_t kv = (size_t)m->kv_heads * (size_t)m->head_dim, n = (size_t)m->ctx * kv;
    Reading r = {m, 0, malloc(n * (size_t)m->layers * sizeof(double)),
                 malloc(n * (size_t)m->layers * sizeof(double)),
                 malloc((size_t)m->vocab * sizeof(double))};
    need(r.keys && r.values && r.logits, "no memory for a model");
    return r;
}

void reading_end(Reading *r) { free(r->keys), free(r->values), free(r->logits); }

static void product(double *y, const double *w, int rows, int cols, const double *x) {
    for (int i = 0; i < rows; i++) {
        y[i] = 0;
        for (int j = 0; j < cols; j++) y[i] += w[(long)i * cols + j] * x[j];
    }
}

static void norm(double *out, const double *x, const double *gain, int n, double epsilon) {
    double sum = 0;
    for (int i = 0; i < n; i++) sum += x[i] * x[i];
    double scale = 1 / sqrt(sum / n + (engine_way & NO_EPSILON ? 0 : epsilon));
    for (int i = 0; i < n; i++) out[i] = x[i] * scale * (engine_way & NO_GAIN ? 1 : gain[i]);
}

/* Heads of queries or keys: normed and in halves for qwen3, neighbors for llama. */
static void rotate(const TestModel *m, double *x, int heads, const double *gain, int position) {
    int size = m->head_dim, half = size / 2;
    bool halves = m->qwen3 != ((engine_way & HALVES) != 0);
    double base = engine_way & BASE ? 10000 : m->rope_base;
    if (engine_way & CAPPED && position > 16) position = 16;
    if (engine_way & NO_TURN || (engine_way & STILL_KEYS && heads != m->heads)) position = 0;
    if (engine_way & FROM_ONE && heads == m->heads) position++;
    for (int h = 0; h < heads; h++, x += size) {
        if (gain && !(engine_way & NO_HEAD_NORMS)) norm(x, x, gain, size, m->epsilon);
        for (int k = 0; k < half; k++) {
            double *a = x + (halves ? k : 2 * k), *b = a + (halves ? half : 1);
            double angle = position * pow(base, -2.0 * k / size), u = *a, v = *b;
            *a = u * cos(angle) - v * sin(angle), *b = u * sin(angle) + v * cos(angle);
        }
    }
}

static void attend(const Reading *r, int layer, const double *q, double *mixed) {
    const TestModel *m = r->m;
    int size = m->head_dim, kv = m->kv_heads * size;
    double *score = malloc((size_t)m->ctx * sizeof *score);
    need(score, "no memory");
    for (int h = 0; h < m->heads; h++) {
        int g = engine_way & SPREAD_HEADS ? h % m->kv_heads : h / (m->heads / m->kv_heads);
        long from = (long)layer * m->ctx * kv + g * size;
        for (int j = 0; j <= r->n; j++) {
            score[j] = 0;
            for (int k = 0; k < size; k++)
                score[j] += q[h * size + k] * r->keys[from + (long)j * kv + k] /
                            (engine_way & NO_SCALE     ? 1
                             : engine_way & WIDE_SCALE ? sqrt(r->m->dim)
                                                       : sqrt(size));
            if (engine_way & FORGETFUL && j < r->n - 15) score[j] = -INFINITY;
            if (engine_way & BLIND && j == r->n && j > 0) score[j] = -INFINITY;
        }
        chances(score, r->n + 1, 1, score);
        for (int k = 0; k < size; k++) {
            mixed[h * size + k] = 0;
            for (int j = 0; j <= r->n; j++)
                mixed[h * size + k] += score[j] * r->values[from + (long)j * kv + k];
        }
    }
    free(score);
}

static void add(double *x, const double *y, int n) {
    for (int i = 0; i < n; i++) x[i] += y[i];
}

static void block(Reading *r, int layer, double *x) {
    const TestModel *m = r->m;
    double *const *w = m->w[layer];
    int q_dim = m->heads * m->head_dim, kv = m->kv_heads * m->head_dim, d = m->dim;
    long here = ((long)layer * m->ctx + r->n) * kv;
    double normed[d], q[q_dim], mixed[q_dim], out[d], gate[m->hidden], up[m->hidden];
    norm(normed, x, w[ATTN_NORM], d, m->epsilon);
    product(q, w[ATTN_Q], q_dim, d, normed);
    product(r->keys + here, w[ATTN_K], kv, d, normed);
    product(r->values + here, w[ATTN_V], kv, d, normed);
    rotate(m, q, m->heads, w[Q_NORM], r->n);
    rotate(m, r->keys + here, m->kv_heads, w[K_NORM], r->n);
    attend(r, layer, q, mixed);
    product(out, w[ATTN_OUT], d, q_dim, mixed);
    add(x, out, d);
    norm(normed, x, w[FFN_NORM], d, m->epsilon);
    product(gate, w[GATE], m->hidden, d, normed);
    product(up, w[UP], m->hidden, d, normed);
    for (int i = 0; i < m->hidden; i++) {
        double g = engine_way & SWAPPED ? up[i] : gate[i];
        gate[i] = gate[i] * up[i] / (1 + exp(-g));
    }
    product(out, w[DOWN], d, m->hidden, gate);
    add(x, out, d);
}

void reading_take(Reading *r, int token) {
    const TestModel *m = r->m;
    double x[m->dim];
    need(r->n < m->ctx, "the judge: the context is full");
    memcpy(x, m->embedding + (long)token * m->dim, sizeof x);
    for (int l = 0; l < m->layers; l++) block(r, l, x);
    if (!(engine_way & NO_END_NORM)) norm(x, x, m->end_norm, m->dim, m->epsilon);
    product(r->logits, engine_way & TIED ? m->embedding : m->output, m->vocab, m->dim, x);
    r->n++;
}

/* ------------------------------------------------------------------ tokens */

void chances(const double *x, int n, double temperature, double *p) {
    double largest = x[likeliest(x, n)], sum = 0;
    for (int i = 0; i < n; i++) sum += p[i] = exp((x[i] - largest) / temperature);
    for (int i = 0; i < n; i++) p[i] /= sum;
}

int likeliest(const double *x, int n) {
    int best = 0;
    for (int i = 1; i < n; i++)
        if (x[i] > x[best]) best = i;
    return best;
}

int drawn(const double *p, int n) {
    double left = judge_uniform();
    for (int i = 0; i < n; i++)
        if ((left -= p[i]) < 0) return i;
    return likeliest(p, n);
}

void write_ids(FILE *in, const int *ids, int n) {
    for (int i = 0; i < n; i++) fprintf(in, "%d%c", ids[i], i + 1 < n ? ' ' : '\n');
}

int some_ids(const TestModel *m, int *ids, int n) {
    for (int i = 0; i < n; i++) ids[i] = judge_between(0, m->vocab - 1);
    return n;
}

void need_greedy(const char *what, const TestModel *m, const int *prompt, int n_prompt,
                 const double *got, size_t n_got, size_t wanted) {
    Reading r = reading_begin(m);
    for (int i = 0; i < n_prompt; i++) reading_take(&r, prompt[i]);
    for (size_t i = 0; i < wanted; i++) {
        int best = likeliest(r.logits, m->vocab);
        if (best == m->end) {
            need(n_got <= i, "%s: token %zu ends the text: nothing comes after it", what,
                 i + 1);
            break;
        }
        need(i < n_got,
             "%s: %zu tokens, and token %zu does not end it: each text ends at its own end "
             "token, or after %zu tokens",
             what, n_got, i + 1, wanted);
        int token = (int)got[i];
        need(token >= 0 && token < m->vocab, "%s: token %zu is %g, and the vocabulary has %d",
             what, i + 1, got[i], m->vocab);
        if (token != best && r.logits[best] - r.logits[token] < 1e-3)
            break; /* as good as equal */
        need(token == best, "%s: token %zu is %d, expected %d, whose logit is higher by %.4f",
             what, i + 1, token, best, r.logits[best] - r.logits[token]);
        if (i + 1 < wanted) reading_take(&r, token);
    }
    need(n_got <= wanted, "%s: %zu tokens, expected %zu", what, n_got, wanted);
    reading_end(&r);
}
