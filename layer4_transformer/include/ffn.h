/* ffn.h - the feed-forward half of a block: computed for each token on its own.
 *
 *     plain    out = down( act(up x) )
 *     gated    out = down( act(gate x) * up x )
 *     experts  a few of many such networks, chosen for each token: moe.h
 *
 * Source   Vaswani et al. 2017, arXiv:1706.03762, sec. 3.3 (plain); Shazeer 2020, arXiv:2002.05202 (gated). */
#ifndef STRATA_FFN_H
#define STRATA_FFN_H

#include "probe.h"

/* The maps of one network: gate and up (hidden, dim), down (dim, hidden); or, for experts, a stack
 * of each. */
typedef struct Network {
    Linear gate, up, down;
} Network;

/* How the experts of a token are chosen and weighted. */
typedef enum RouterScore {
    ROUTER_SOFTMAX_CHOSEN, /* softmax over the chosen:           Mixtral, gpt-oss */
    ROUTER_SOFTMAX,        /* softmax over all experts:          Qwen, OLMoE */
    ROUTER_SIGMOID,        /* each score by itself:              DeepSeek V3, Llama 4 */
} RouterScore;

typedef struct Router {
    Linear map; /* (experts, dim); not there: a dense network */
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

typedef struct FeedForward {
    Activation act;
    bool gated;
    Network net;   /* of a layer without experts */
    Norm sub_norm; /* of what `down` reads there; or none */
    /* > 0: act(gate) stays below, up within; of experts, and of the other networks */
    float expert_limit, limit;
    /* > 0: only gates so many standard deviations above the mean of their row pass, by as much as they
     * exceed that; most of a row is 0 then.  Gemma 3n, Spark Transformer: arXiv:2506.06644 */
    float cut;
    Xielu xielu; /* of ACT_XIELU */
    Router router;
    Network experts;   /* stacks: (experts, hidden, dim), the last (experts, dim, hidden) */
    Norm experts_norm; /* of what they read, and the router does not; or none */
    Linear latent_down,
        latent_up;      /* (latent, dim), (dim, latent): experts read and answer fewer
                                      numbers than dim; or none */
    Network shared;     /* an expert that all tokens pass through; or none */
    Linear shared_gate; /* (1, dim): its output times sigmoid(gate x); or none */
} FeedForward;

/* The largest sizes among a model's networks; 0 for what it does not have. */
typedef struct FfnSizes {
    size_t dim, hidden;                  /* dense and shared */
    size_t experts, used, expert_hidden; /* of layers with experts */
    size_t latent;                       /* of what they read in place of dim; or 0 */
} FfnSizes;

/* Grow sizes to what this one needs. */
void ffn_sizes_include(FfnSizes *sizes, const FeedForward *ffn);

/* One of the experts of a token. */
typedef struct ExpertChoice {
    size_t expert, row; /* row: its place among the rows of all experts */
    float weight;
} ExpertChoice;

/* Working memory for a batch.  A token has one row, or one for each of its experts. */
typedef struct FfnRun {
    float *a, *b;  /* (rows, hidden) */
    void *scratch; /* of the products */
    Probe *probe;  /* NULL: nobody looks, or there are experts */
    /* with experts: */
    float *scores;           /* (tokens, experts) */
    ExpertChoice *choice;    /* (tokens, used) */
    size_t *first;           /* (experts + 1): where the rows of each begin */
    float *rows;             /* (rows, dim) */
    float *latent;           /* (tokens, latent) */
    Linear *maps;            /* (2 * experts) */
    LinearProduct *products; /* (2 * experts) */
} FfnRun;

void ffn_run_init(FfnRun *run, size_t tokens, const FfnSizes *sizes, Arena *arena);

/* out (n, dim) = one network applied to each row of x (n, dim): up and gate, activate_rows with ffn->limit,
 * ffn->sub_norm of each row where there is one, down. */
void dense_forward(Pool *pool, const FeedForward *ffn, const Network *net, const float *x,
                   size_t n, float *out, FfnRun *run);

/* The activation between up, gate and down, for n rows: a = act(a) * b, or act(b) without a gate.
 *
 *   limit   > 0: act(a) at most this, b within it */
void activate_rows(Pool *pool, const FeedForward *ffn, float limit, size_t n, size_t hidden,
                   FfnRun *run);

#endif
