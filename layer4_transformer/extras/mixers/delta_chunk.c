/* delta_chunk.c - see delta_chunk.h. */
#include "delta_chunk.h"

#include <math.h>

enum { N = DELTA_CHUNK, BLOCK = 16 /* rows of the triangular system at once */ };

size_t delta_chunk_floats(size_t d) {
    return 2 * N * N + 2 * N * d + matmul_scratch_floats(1, d > N ? d : N);
}

typedef struct Chunk {
    size_t n, d;
    float total[N];   /* G_i */
    float *kk, *qk;   /* (n, n) */
    float *u, *faded; /* (n, d) */
    float *scratch;
} Chunk;

static Matrix rows(const float *x, size_t width) { return (Matrix){x, width, 1}; }
static Matrix columns(const float *x, size_t width) { return (Matrix){x, 1, width}; }

/* kk, all k_i . k_j, becomes -A; qk, all q_i . k_j, becomes the weight of u_j in o_i. */
static void pair_weights(const Chunk *c, const float *beta) {
    for (size_t i = 0; i < c->n; i++)
        for (size_t j = 0; j < c->n; j++) {
            float decay = j > i ? 0 : expf(c->total[i] - c->total[j]);
            c->kk[i * N + j] *= -beta[i] * (j < i ? decay : 0);
            c->qk[i * N + j] *= decay;
        }
}

/* U = (1 + A)^-1 R in place, block by block: the earlier blocks by a product, then row by
 * row. */
static void delta_chunk_solve(const Chunk *c) {
    for (size_t first = 0; first < c->n; first += BLOCK) {
        size_t m = min_size(BLOCK, c->n - first);
        if (first)
            matmul_packed(NULL, m, c->d, first, rows(c->kk + first * N, N), rows(c->u, c->d),
                          c->u + first * c->d, c->d, true, c->scratch);
        for (size_t i = first; i < first + m; i++)
            for (size_t j = first; j < i; j++)
                axpy(c->u + i * c->d, c->kk[i * N + j], c->u + j * c->d, c->d);
    }
}

/* The state after the chunk. */
static void update_state(const Chunk *c, float *state, const float *k) {
    float last = c->total[c->n - 1];
    for (size_t j = 0; j < c->n; j++) {
        float decay = expf(last - c->total[j]);
        for (size_t i = 0; i < c->d; i++) c->faded[j * c->d + i] = decay * k[j * c->d + i];
    }
    for (size_t i = 0; i < c->d * c->d; i++) state[i] *= expf(last);
    matmul_packed(NULL, c->d, c->d, c->n, columns(c->faded, c->d), rows(c->u, c->d), state,
                  c->d, true, c->scratch);
}

void delta_chunk(float *state, size_t d, size_t n, const float *rate, const float *beta,
                 const float *q, const float *k, const float *v, float *out, float *scratch) {
    Chunk c = {n, d, {0}, scratch, scratch + N * N, scratch + 2 * N * N, NULL, NULL};
    c.faded = c.u + N * d, c.scratch = c.faded + N * d;
    for (size_t i = 0; i < n; i++) c.total[i] = (i ? c.total[i - 1] : 0) + rate[i];
    matmul_packed(NULL, n, n, d, rows(k, d), columns(k, d), c.kk, N, false, c.scratch);
    matmul_packed(NULL, n, n, d, rows(q, d), columns(k, d), c.qk, N, false, c.scratch);
    matmul_packed(NULL, n, d, d, rows(k, d), rows(state, d), c.u, d, false, c.scratch);
    matmul_packed(NULL, n, d, d, rows(q, d), rows(state, d), out, d, false, c.scratch);
    for (size_t i = 0; i < n; i++) {
        float decay = expf(c.total[i]);
        for (size_t j = i * d; j < (i + 1) * d; j++) {
            c.u[j] = beta[i] * (v[j] - decay * c.u[j]);
            out[j] *= decay;
        }
    }
    pair_weights(&c, beta), delta_chunk_solve(&c);
    matmul_packed(NULL, n, d, n, rows(c.qk, N), rows(c.u, d), out, d, true, c.scratch);
    update_state(&c, state, k);
}
