/* router.c - the experts of a token, and their weights.  See moe.h. */
#include "moe.h"

#include <math.h>

/* Index of the largest of n numbers not taken yet. */
static size_t router_largest(const float *x, const bool *taken, size_t n) {
    size_t best = n;
    for (size_t i = 0; i < n; i++)
        if (!taken[i] && (best == n || x[i] > x[best])) best = i;
    return best;
}

/* Score of a group of experts: its best two added up, or without a bias its best one.
 * Source   DeepSeek 2024, arXiv:2412.19437, sec. 2.1.2; arXiv:2405.04434, sec. 2.2.2 (its best
 *          one). */
static float group_score(const Router *r, const float *p, size_t n) {
    bool taken[MOE_EXPERTS] = {false};
    size_t best = router_largest(p, taken, n);
    if (!r->select_bias || n < 2) return p[best];
    taken[best] = true;
    return p[best] + p[router_largest(p, taken, n)];
}

/* Mask experts outside the top groups. */
static void leave_groups(const Router *r, const float *p, size_t experts, bool *taken) {
    size_t each = experts / r->groups;
    float score[MOE_EXPERTS];
    bool kept[MOE_EXPERTS] = {false};
    for (size_t g = 0; g < r->groups; g++) score[g] = group_score(r, p + g * each, each);
    for (size_t i = 0; i < r->groups_used; i++)
        kept[router_largest(score, kept, r->groups)] = true;
    for (size_t e = 0; e < experts; e++) taken[e] = !kept[e / each];
}

static void weigh(const Router *r, ExpertChoice *choice) {
    float weight[MOE_EXPERTS], sum = 0, scale = r->scale > 0 ? r->scale : 1;
    for (size_t i = 0; i < r->used; i++) weight[i] = choice[i].weight;
    if (r->score == ROUTER_SOFTMAX_CHOSEN) softmax(weight, weight, r->used);
    for (size_t i = 0; i < r->used; i++) sum += weight[i];
    for (size_t i = 0; i < r->used; i++) {
        if (r->renormalize) weight[i] /= sum;
        choice[i].weight = scale == 1 ? weight[i] : weight[i] * scale;
        if (r->expert_scale) choice[i].weight *= r->expert_scale[choice[i].expert];
    }
}

void moe_choose(const Router *r, float *score, ExpertChoice *choice) {
    size_t experts = r->map.w.shape[0];
    float biased[MOE_EXPERTS], *p = score;
    bool taken[MOE_EXPERTS] = {false};
    if (r->score == ROUTER_SOFTMAX) softmax(p, p, experts);
    for (size_t e = 0; r->score == ROUTER_SIGMOID && e < experts; e++)
        p[e] = 1 / (1 + expf(-p[e]));
    for (size_t e = 0; e < experts; e++)
        biased[e] = r->select_bias ? p[e] + r->select_bias[e] : p[e];
    if (r->groups > 1) leave_groups(r, biased, experts, taken);
    for (size_t i = 0; i < r->used; i++) {
        size_t best = router_largest(biased, taken, experts);
        taken[best] = true;
        choice[i] = (ExpertChoice){.expert = best, .weight = p[best]};
    }
    weigh(r, choice);
}
