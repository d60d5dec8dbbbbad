/* layer3.c - softmax, norm, rotary positions, and one neuron backwards.  See moving.h. */
#include "moving.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Five scores, divided by a temperature. */
bool moving_softmax(FILE *out, const double *at, const char *text, Fault *fault) {
    enum { N = 5 };
    const float scores[N] = {2, 1, 0, -1, -2};
    float scaled[N], shares[N];
    (void)text, (void)fault;
    for (int i = 0; i < N; i++) scaled[i] = scores[i] / (float)at[0];
    softmax(shares, scaled, N);
    for (int i = 0; i < N; i++)
        fprintf(out, "%g,%.6g,%.6g\n", (double)scores[i], (double)scaled[i], (double)shares[i]);
    return true;
}

/* The row of the token "Once", made smaller or larger, before and after both norms. */
enum { ONCE = 586 };

void moving_row(const Model *model, float *row, float *normed) {
    const Norm *norm = &model->blocks[0].attn_norm;
    embedding(row, &model->embedding, ONCE);
    norm_apply(norm, normed, row, model->sizes.dim);
}

bool moving_norm(FILE *out, const double *at, const char *text, Fault *fault) {
    enum { SHOWN = 24, ROOM = 4096 };
    static float row[ROOM], rms[ROOM], layer[ROOM];
    const Model *m = play_model();
    const Norm *norm = &m->blocks[0].attn_norm;
    const size_t dim = m->sizes.dim;
    (void)text, (void)fault;
    embedding(row, &m->embedding, ONCE);
    for (size_t i = 0; i < dim; i++) row[i] *= (float)pow(10, at[0]);
    rms_norm(rms, row, norm->gain, dim, norm->eps);
    layer_norm(layer, row, norm->gain, NULL, dim, norm->eps);
    for (int i = 0; i < SHOWN; i++)
        fprintf(out, "number,%.6g,%.6g,%.6g\n", (double)row[i], (double)rms[i],
                (double)layer[i]);
    fprintf(out, "size,%.6g,%.6g,%.6g\n", 1 / (double)inverse_rms(row, dim, 0),
            1 / (double)inverse_rms(rms, dim, 0), 1 / (double)inverse_rms(layer, dim, 0));
    return true;
}

/* Two equal heads of 32 numbers, rotated to the positions of a query and a key. */
enum { ROTARY = 32, FARTHEST = 64 };

static void rotated(const Rope *rope, size_t position, float *head) {
    float cosine[ROTARY / 2], sine[ROTARY / 2];
    for (int i = 0; i < ROTARY; i++) head[i] = 0.25f;
    rope_angles(rope, position, cosine, sine);
    rope_rotate(rope, cosine, sine, head);
}

bool moving_rope(FILE *out, const double *at, const char *text, Fault *fault) {
    const RopeConfig config = {
        .style = ROPE_INTERLEAVED, .rotary = ROTARY, .theta = 10000, .factor = 1};
    const size_t key = (size_t)at[0], distance = (size_t)at[1];
    Rope rope;
    Arena arena;
    float q[ROTARY], k[ROTARY];
    (void)text;
    arena_measure(&arena), rope_init(&rope, &config, &arena);
    if (!arena_init(&arena, arena.used, fault)) return false;
    rope_init(&rope, &config, &arena);
    rotated(&rope, key, k);
    for (size_t d = 0; d <= FARTHEST; d++) {
        rotated(&rope, key + d, q);
        fprintf(out, "dot,%zu,%.6g,,,\n", d, (double)dot_f32(q, k, ROTARY));
    }
    rotated(&rope, key + distance, q);
    for (int pair = 0; pair < ROTARY / 2; pair += 3)
        fprintf(out, "pair,%d,%.6g,%.6g,%.6g,%.6g\n", pair, (double)q[2 * pair],
                (double)q[2 * pair + 1], (double)k[2 * pair], (double)k[2 * pair + 1]);
    fprintf(out, "now,%zu,%.6g,,,\n", distance, (double)dot_f32(q, k, ROTARY));
    arena_free(&arena);
    return true;
}

/* A neuron is the logit of the right answer; the wrong one has the logit 0. */
typedef struct Neuron {
    float x[3], w[3], z, a, loss, da, dz, dw[3], dx[3];
} Neuron;

static void forward_and_back(Neuron *n, float *scratch) {
    float logits[2] = {0};
    linear_dense(NULL, n->w, 1, 3, n->x, 1, &n->z, scratch);
    silu(&n->a, &n->z, 1);
    logits[0] = n->a;
    n->loss = (float)cross_entropy_backward(logits, 2, 0, 1);
    n->da = logits[0];
    silu_backward(&n->dz, &n->z, &n->da, 1);
    memset(n->dw, 0, sizeof n->dw);
    linear_backward(NULL, n->dx, false, n->dw, n->w, 1, 3, n->x, &n->dz, 1, scratch);
}

bool moving_backward(FILE *out, const double *at, const char *text, Fault *fault) {
    enum { STAGES = 7 };
    Neuron n = {.x = {1, 2, -1}, .w = {0.5f, -0.4f, 0.3f}};
    const int round = (int)at[0] / STAGES, stage = (int)at[0] % STAGES;
    float *scratch = calloc(matmul_scratch_floats(1, 3), sizeof *scratch);
    (void)text;
    if (!scratch) return fault_set(fault, "no memory for a neuron");
    forward_and_back(&n, scratch);
    for (int done = 0; done < round + (stage == STAGES - 1); done++) {
        for (int i = 0; i < 3; i++) n.w[i] -= n.dw[i]; /* a learning rate of 1 */
        forward_and_back(&n, scratch);
    }
    free(scratch);
    fprintf(out, "stage,%d,%d\n", stage, round);
    for (int i = 0; i < 3; i++)
        fprintf(out, "x%d,%.4g,%.4g\nw%d,%.4g,%.4g\n", i, (double)n.x[i], (double)n.dx[i], i,
                (double)n.w[i], (double)n.dw[i]);
    fprintf(out, "z,%.4g,%.4g\na,%.4g,%.4g\nloss,%.4g,1\n", (double)n.z, (double)n.dz,
            (double)n.a, (double)n.da, (double)n.loss);
    return true;
}
