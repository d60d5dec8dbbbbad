/* heads.c - effect of every head on the next token, each removed in turn.  See look.h. */
#include "look.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The next token's distribution, evaluated again with one more intervention. */
static bool shares_with(Look *look, const Act *more, float *shares, Fault *fault) {
    Session *s = look->cache.session;
    Interventions acts = look->acts;
    size_t last = 2 * look->cache.layers;
    if (more && acts.count == INTERVENTIONS)
        return fault_set(fault, "no room for one more intervention than %d", INTERVENTIONS);
    if (more) acts.acts[acts.count++] = *more;
    if (!activation_watch(&look->cache, acts.acts, acts.count, fault) ||
        !session_eval(s, look->tokens->ids, look->position + 1, false, fault))
        return false;
    memcpy(shares, activation_lens(&look->cache, last, look->position),
           s->model->sizes.vocab * sizeof *shares);
    return true;
}

/* KL divergence from the distribution with all heads, in nats. */
static double divergence(const float *was, const float *is, size_t n) {
    double sum = 0;
    for (size_t i = 0; i < n; i++)
        if (was[i] > 0)
            sum += (double)was[i] * log((double)was[i] / fmax((double)is[i], 1e-45));
    return sum;
}

static void heads_print_effect(const Look *look, size_t layer, size_t head, const float *was,
                               const float *is) {
    size_t vocab = look->cache.session->model->sizes.vocab, before = look_largest(was, vocab),
           after = look_largest(is, vocab);
    if (look->job->csv)
        printf("%zu,%zu,%.9g,%zu,%.9g,%.9g,%zu,%.9g,%s,%s\n", layer, head,
               divergence(was, is, vocab), before, (double)was[before], (double)is[before],
               after, (double)is[after], look_cell(look, (int32_t)before),
               look_cell(look, (int32_t)after));
    else
        printf("%5zu.%-3zu %10.4f    %.3f -> %.3f    %.3f %s\n", layer, head,
               divergence(was, is, vocab), (double)was[before], (double)is[before],
               (double)is[after], look_word(look, (int32_t)after));
}

bool look_heads(Look *look, Fault *fault) {
    const Model *m = look->cache.session->model;
    float *was = malloc(m->sizes.vocab * sizeof *was),
          *is = malloc(m->sizes.vocab * sizeof *is);
    bool ok = (was && is) || fault_set(fault, "no memory for two distributions");
    ok = ok && shares_with(look, NULL, was, fault);
    if (ok && look->job->csv)
        printf(
            "layer,head,divergence,token,was,is,likeliest,share,token_text,likeliest_text\n");
    else if (ok)
        printf("after token %zu comes %s\n head    divergence    its probability   likeliest\n",
               look->position, look_word(look, (int32_t)look_largest(was, m->sizes.vocab)));
    for (size_t l = 0; ok && l < m->sizes.layers; l++) {
        const Attention *a = &m->blocks[l].attention;
        for (size_t h = 0; ok && a->o.w.data && h < a->shape.heads; h++) {
            const Act silence = {.kind = ACT_HEAD, .layer = l, .index = h};
            ok = shares_with(look, &silence, is, fault);
            if (ok) heads_print_effect(look, l, h, was, is);
        }
    }
    free(was), free(is);
    return ok;
}
