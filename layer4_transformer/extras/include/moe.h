/* moe.h - a mixture of experts: many feed-forward networks, and a router that chooses a few of them
 * for each token.
 *
 *     scores = router x                 one for each expert
 *     p      = softmax or sigmoid of them
 *     chosen = the `used` largest of p (+ a bias that acts on the choice only; in the best groups only)
 *     out    = sum over the chosen of p_e * expert_e(x)  (+ a shared network)
 *
 * Experts may read and answer a shorter row than the router: out = up (sum p_e expert_e(down x)).
 *
 *     tokens          t0       t1       t2
 *     their experts   2, 5     2, 7     7, 5
 *
 *     rows            t0 t1  |  t0 t2  |  t1 t2
 *     of expert         2         5         7          each expert's weights are read once for all its tokens
 *
 * Each token has one row for each of its experts.  Rows of an expert stand together, so that it is
 * a product of matrices like any other; then each token takes back its own rows and adds them up,
 * weighted, in the order in which it chose.
 *
 * Invariant: a token's output does not depend on which experts other tokens chose.
 * Source   Shazeer et al. 2017, arXiv:1701.06538; Jiang et al. 2024, arXiv:2401.04088, sec. 2.1 (softmax of the
 *          chosen); Dai et al. 2024, arXiv:2401.06066 (shared experts); DeepSeek 2024, arXiv:2412.19437, sec. 2.1.2
 *          (sigmoid, selection bias, groups); NVIDIA 2025, Nemotron 3 (latent experts). */
#ifndef STRATA_MOE_H
#define STRATA_MOE_H

#include "ffn.h"

enum { MOE_EXPERTS = 512 }; /* at most */

/* How the experts of a token are chosen and weighted. */
typedef enum RouterScore {
    ROUTER_SOFTMAX_CHOSEN, /* softmax over the chosen:           Mixtral, gpt-oss */
    ROUTER_SOFTMAX,        /* softmax over all experts:          Qwen, OLMoE */
    ROUTER_SIGMOID,        /* each score by itself:              DeepSeek V3, Llama 4 */
} RouterScore;

typedef struct Router {
    Linear map; /* (experts, dim); not there: w.data is NULL */
    RouterScore score;
    const float *select_bias;   /* (experts) added to the scores for the choice only; or NULL */
    size_t used;                /* experts per token */
    size_t groups, groups_used; /* only experts of the best groups are chosen; 0: no groups */
    bool renormalize;           /* the chosen weights sum to 1 */
    bool weight_input;          /* an expert's input is weighted instead of its output */
    float scale;                /* on the weights; 0: 1 */
    Norm norm;                  /* of what the router reads; or none */
    float score_scale;          /* on its scores; 0: 1 */
    const float *expert_scale;  /* (experts) on what each answers; or NULL */
} Router;

typedef struct Experts {
    Router router;
    Network net;        /* stacks: (experts, hidden, dim), the last (experts, dim, hidden) */
    Norm norm;          /* of what they read, and the router does not; or none */
    float limit;        /* as that of FeedForward */
    Linear latent_down; /* (latent, dim): experts read and answer latent numbers; or none */
    Linear latent_up;   /* (dim, latent) */
    Network shared;     /* a network that all tokens pass through; or none */
    Linear shared_gate; /* (1, dim): its output times sigmoid(gate x); or none */
} Experts;

/* The largest sizes among a model's mixtures. */
typedef struct ExpertsSizes {
    size_t dim, experts, used, hidden, shared, latent;
} ExpertsSizes;

/* Grow sizes to what this one needs. */
void experts_sizes_include(ExpertsSizes *sizes, const Experts *experts);

/* One of the experts of a token. */
typedef struct ExpertChoice {
    size_t expert, row; /* row: its index among the rows of all experts */
    float weight;
} ExpertChoice;

/* Working memory for a batch.  A token has a row for each of its experts. */
typedef struct ExpertsRun {
    FfnRun net;           /* of one row for each choice; the shared network works there, too */
    float *scores;        /* (tokens, experts) */
    ExpertChoice *choice; /* (tokens, used) */
    size_t *first;        /* (experts + 1): where the rows of each begin */
    float *rows;          /* (rows, dim) */
    float *latent;        /* (tokens, latent) */
    Linear *maps;         /* (2 * experts) */
    LinearProduct *products; /* (2 * experts) */
} ExpertsRun;

void experts_run_init(ExpertsRun *run, size_t tokens, const ExpertsSizes *sizes, Arena *arena);

/* out (n, dim) = the experts applied to each row of x (n, dim), which router and experts norm where they have
 * norms of their own.
 *
 *   ffn   the activation, and whether networks are gated */
void moe_forward(Pool *pool, const FeedForward *ffn, const Experts *experts, const float *x,
                 size_t n, float *out, ExpertsRun *run);

/* The experts of one token: score (experts) is the output of router->map, and is overwritten. */
void moe_choose(const Router *router, float *score, ExpertChoice *choice);

#endif
