/* moe.h - mixture of experts: many feed-forward networks, of which a router picks a few per
 * token.
 *
 *     scores = router x                 one for each expert
 *     p      = softmax or sigmoid of scores
 *     chosen = the `used` largest of p + bias in the top groups; the bias affects no weight
 *     out    = sum over the chosen of p_e * expert_e(x)  (+ a shared network)
 *
 * Latent experts read and return a shorter row: out = up (sum p_e expert_e(down x)).
 *
 * Adjugate experts: each group of `per_group` experts has a small one besides, which joins in
 * for every chosen one of them: out += scale sum p_e adjugate_(e / per_group)(x).
 *
 *     tokens          t0       t1       t2
 *     their experts   2, 5     2, 7     7, 5
 *
 *     rows            t0 t1  |  t0 t2  |  t1 t2      each expert's weights are read once
 *     of expert         2         5         7        for all its tokens
 *
 * Each token has one row for each of its experts.  The rows of an expert lie together and are
 * one matrix product; then each token sums its own rows, weighted, in the order of its choices.
 *
 * Invariant: a token's output does not depend on which experts other tokens chose
 * [neighbours_change_no_bit].
 * Source   Shazeer et al. 2017, arXiv:1701.06538; Jiang et al. 2024, arXiv:2401.04088, sec. 2.1
 *          (softmax of the chosen); Dai et al. 2024, arXiv:2401.06066 (shared experts);
 *          DeepSeek 2024, arXiv:2412.19437, sec. 2.1.2 (sigmoid, selection bias, groups);
 *          NVIDIA 2025, Nemotron 3 (latent experts); Wu et al. 2025, arXiv:2508.07785 (adjugate
 *          experts). */
#ifndef STRATA_MOE_H
#define STRATA_MOE_H

#include "ffn.h"

enum { MOE_EXPERTS = 512 }; /* max */

/* How router scores become weights. */
typedef enum RouterScore {
    ROUTER_SOFTMAX_CHOSEN, /* softmax over the chosen:           Mixtral, gpt-oss */
    ROUTER_SOFTMAX,        /* softmax over all experts:          Qwen, OLMoE */
    ROUTER_SIGMOID,        /* each score by itself:              DeepSeek V3, Llama 4 */
} RouterScore;

typedef struct Router {
    Linear map; /* (experts, dim); w.data NULL: no experts */
    RouterScore score;
    const float *select_bias;   /* (experts) added for the choice only; or NULL */
    size_t used;                /* experts per token */
    size_t groups, groups_used; /* only experts of the top groups_used groups; 0: no groups */
    bool renormalize;           /* weights of the chosen sum to 1 */
    bool ahead;                 /* moe_route has been called, with another x */
    bool weight_input;          /* scale an expert's input, not its output */
    float scale;                /* factor on the weights; 0: 1 */
    Norm norm;                  /* of the router's input; or none */
    float score_scale;          /* factor on its scores; 0: 1 */
    float softcap;              /* > 0: scores are softcap tanh(score / softcap) */
    const float *expert_scale;  /* (experts) factor on each expert's weight; or NULL */
} Router;

typedef struct Experts {
    Router router;
    Network net;        /* stacks: (experts, hidden, dim), down (experts, dim, hidden) */
    Norm norm;          /* of the experts' input only; or none */
    float limit;        /* as in FeedForward */
    Linear latent_down; /* (latent, dim); or none */
    Linear latent_up;   /* (dim, latent) */
    Network adjugates;  /* stacks of experts / per_group; or none */
    size_t per_group;
    float adjugate_scale;
    Network shared;     /* a network for all tokens; or none */
    Linear shared_gate; /* (1, dim): shared output times sigmoid(gate x); or none */
} Experts;

/* The largest of a model. */
typedef struct ExpertsSizes {
    size_t dim, experts, used, hidden, shared, latent;
} ExpertsSizes;

/* Grow sizes to fit this one. */
void experts_sizes_include(ExpertsSizes *sizes, const Experts *experts);

/* One of a token's experts. */
typedef struct ExpertChoice {
    size_t expert, row; /* row: index among the rows of all experts */
    float weight;
} ExpertChoice;

/* Working memory for a batch; rows = tokens * used. */
typedef struct ExpertsRun {
    FfnRun net;              /* for the rows; the shared network uses it, too */
    float *scores;           /* (tokens, experts) */
    ExpertChoice *choice;    /* (tokens, used) */
    size_t *first;           /* (experts + 1) where each expert's rows begin */
    float *rows;             /* (rows, dim) */
    float *latent;           /* (tokens, latent) */
    Linear *maps;            /* (2 * experts) */
    LinearProduct *products; /* (2 * experts) */
} ExpertsRun;

void experts_run_init(ExpertsRun *run, size_t tokens, const ExpertsSizes *sizes, Arena *arena);

/* out (n, dim) = the experts applied to each row of x (n, dim).
 *
 *   ffn   the activation, and whether networks are gated */
void moe_forward(Pool *pool, const FeedForward *ffn, const Experts *experts, const float *x,
                 size_t n, float *out, ExpertsRun *run);

/* Choose the experts of the rows of x (n, dim), as moe_forward does unless router->ahead. */
void moe_route(Pool *pool, const Router *router, const float *x, size_t n, ExpertsRun *run);

/* Choose one token's experts; overwrites score (experts), the output of router->map. */
void moe_choose(const Router *router, float *score, ExpertChoice *choice);

#endif
