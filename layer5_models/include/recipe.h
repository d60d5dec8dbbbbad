/* recipe.h - a family of models is one row of a table.
 *
 * Everything that sets one family apart from another is data here; what a file shows by having a
 * tensor or not (biases, a head of its own, q, k and v in one, a shared expert) is seen by looking.
 *
 * Invariant: with its row and its file a model is known.  What a file says beyond its row is
 * refused when it is opened (model.h), never ignored. */
#ifndef STRATA_RECIPE_H
#define STRATA_RECIPE_H

#include "roles.h"

/* What queries and keys go through besides the rotation. */
typedef enum HeadNorms {
    HEAD_NORMS_NONE,
    HEAD_NORMS_SHARED, /* a norm of each head, with the same gain for all heads */
    HEAD_NORMS_MAYBE,  /* the same, when the file has them */
    HEAD_NORMS_OWN,    /* a norm of each head, with gains of its own, when the file has them */
    HEAD_NORMS_ROW,    /* one norm over all heads together */
    HEAD_NORMS_ROW_MAYBE, /* the same, when the file has them */
    HEAD_NORMS_UNIT,      /* each head after the rotation, where there is one; no gains */
} HeadNorms;

/* Which numbers of a file scale embeddings, branches, scores and logits. */
typedef enum Scales {
    SCALES_NONE,
    SCALES_GRANITE, /* embedding_scale, residual_scale, attention.scale; logits / logit_scale */
    SCALES_COHERE,  /* logits * logit_scale */
    /* as Granite's, but for the attention; 12 and 1.4 / sqrt(layers) when the file does not say */
    SCALES_MINICPM,
    SCALES_MINICPM3, /* 12, 1.4 / sqrt(layers), 256 / dim, whatever the file says */
} Scales;

/* Attention by way of latents may be told where to look. */
typedef enum IndexerUse {
    INDEXER_NONE,
    INDEXER_CHOOSES,
    /* files have one, and programs look at everything, which is the same in texts of up to top_k tokens */
    INDEXER_IDLE,
} IndexerUse;

/* What some blocks have in place of attention, or beside it. */
typedef enum Recurrent {
    RECURRENT_NONE,
    RECURRENT_MAMBA,       /* each channel has rates of its own */
    RECURRENT_MAMBA2,      /* channels in heads that share one */
    RECURRENT_SHORT_CONV,  /* no more than the nearest neighbours */
    RECURRENT_DELTA,       /* a memory that is corrected: Gated DeltaNet */
    RECURRENT_DELTA_TILED, /* the same; heads of values go round the heads of keys */
    RECURRENT_KDA,         /* the same; each number of a key is forgotten by itself */
    RECURRENT_RWKV,        /* ... and corrected by itself; the network remembers, too: RWKV 7 */
} Recurrent;

/* What is mixed may pass a gate. */
typedef enum AttentionGate {
    GATE_NONE,
    GATE_IN_Q,   /* attn_q has for each head a query and a gate */
    GATE_NUMBER, /* a map of its own, for each number */
    GATE_HEAD,   /* ... for each head */
} AttentionGate;

/* The rotary angles of windowed layers in a file that stretches its context. */
typedef enum WindowStretching {
    WINDOW_STRETCHED,   /* those of the other layers */
    WINDOW_UNSTRETCHED, /* the trained angles, with the file's attn_factor */
    WINDOW_AS_TRAINED,  /* as if the file stretched nothing */
} WindowStretching;

/* Files have to say how wide the inputs of layers are. */
#define LAYER_INPUT_SAID ((size_t)-1)

/* Of own_kv: each layer does, unless the key says otherwise. */
#define ALL_LAYERS ((size_t)-1)

typedef struct Recipe {
    const char *arch;      /* general.architecture */
    const char *models;    /* for people */
    const RoleName *names; /* tensors that are called otherwise than usual; NULL: none */
    const char *blocks;    /* what blocks are called; NULL: blk */
    /* ... those of an encoder, which come first, and which the others look at; NULL: none */
    const char *encoder;
    const char *keys; /* what keys begin with; NULL: arch */
    /* it reads pictures, not texts, for another model: opened by model_open_eye (eye.h) */
    bool sees;
    /* it is a draft head for another model, one block that is joined (draft_head.h) */
    bool guesses;

    /* norms and wiring */
    NormKind norm;
    bool norm_bias; /* RMS norms have a bias, too; those of NORM_LAYER may have one anyway */
    const Wiring *wiring;  /* NULL: sequential */
    bool parallel_by_key;  /* parallel where use_parallel_residual says so */
    bool parallel_by_norm; /* parallel where a block has no ffn_norm */
    bool no_pre_norms;     /* branches read x as it is */
    bool first_bare;  /* attention of the first block reads x as it is, where it has no norm */
    bool second_norm; /* of after_wiring: files may have attn_norm_2 (block_extras.h) */
    bool post_norms;  /* what a branch returns is normed before it is added */
    bool embedding_norm;  /* x starts as a norm of the embedding */
    const char *out_norm; /* what the norm before the head is called; NULL: output_norm */
    bool no_out_norm;     /* there is none: blocks end with one */
    HeadNorms head_norms;
    bool head_norms_late; /* after the rotation */

    /* positions and attention */
    /* a token sees all of the text: a diffusion model, which fills a canvas, or an encoder */
    bool both_ways;
    RopeStyle rope;
    bool learned_positions;
    bool token_types;       /* files may have a row for each of two texts: token_types */
    size_t no_rope_every;   /* every n-th layer has no positions; 0: all have them */
    bool rope_windows_only; /* only layers with a window have positions */
    bool rope_by_key;       /* none have where rope.scaling.finetuned is false */
    bool rope_freqs;        /* files may have a divisor for each pair: rope_freqs.weight */
    bool rope_freqs_needed; /* ... they must */
    /* files may have two for each pair: rope_factors_short.weight, and for sessions longer than the
     * trained context rope_factors_long.weight (longrope) */
    bool rope_long;
    bool yarn_multiplier; /* and one for YaRN: rope.scaling.yarn_log_multiplier */
    bool rope_full_half;  /* layers without a window turn half as many numbers */
    bool rope_freqs_full; /* the divisors are of layers without a window */
    bool rope_alpha;      /* theta grows by rope.scaling.alpha^(d / (d - 2)) */
    bool rope_sections;   /* pairs belong to time, height and width; text has but time */
    /* each distance has a learned bias: attn_rel_b, the first block's for all without one */
    bool relative;
    float max_bias;          /* ALiBi; -1: as attention.max_alibi_bias says; 0: none */
    bool clamp;              /* q, k and v are clamped as attention.clamp_kqv says */
    bool sinks, sinks_maybe; /* every block has; files may have */
    AttentionGate gate;
    bool sub_norms;      /* before the last map of attention and of the feed-forward */
    bool value_scale;    /* values are scaled as attention.value_scale says */
    bool value_norms;    /* each head's value is normed, without gains */
    bool keys_as_values; /* layers without a window may have no attn_v: their values are keys */
    float score_scale;   /* of scores, in place of 1 / sqrt(head_dim); 0: that */
    /* so many layers keep keys and values, unless attention.shared_kv_layers says how many do not; the
     * others read those of the last layer of their kind; 0: each keeps its own */
    size_t own_kv;
    /* files have maps for the keys and values of those others, and the models do without */
    bool idle_kv;
    bool latents; /* keys and values by way of latents, where a block has attn_kv_a_mqa */
    IndexerUse indexer;
    bool temperature; /* q grows with the position, as attention.temperature_scale says */
    /* > 0: it grows in layers without positions, every so many tokens */
    size_t no_rope_temperature_ctx;
    /* of every window_pattern layers the last one sees everything; 0: no windows */
    size_t window_pattern;
    bool window_after;   /* or the first one */
    size_t window;       /* positions a windowed layer sees; 0: the file says, or none */
    double window_theta; /* theta of windowed layers; 0: as the others */
    WindowStretching window_stretching;
    bool window_heads; /* their heads have lengths of their own: the keys *_swa */
    /* every layer has the window that the file names, if it names one */
    bool window_everywhere;
    bool window_listed;   /* which layers have one, the file says: sliding_window_pattern */
    size_t window_layers; /* only models of so many layers have windows; 0: all */
    size_t chunk; /* layers that turn see their own chunk of so many positions; 0: no chunks */
    /* with this many layers scores scale by 1 / sqrt(dim / heads), not head_dim: the 27B models */
    size_t scale_by_dim_layers;

    /* A block's mixers follow from its tensors: attention, this, or both, or none; and one of which
     * feed_forward_length says 0 has no network. */
    Recurrent recurrent;
    bool ssm_norms;      /* of what dt, B and C are made from */
    bool ssm_norm_maybe; /* files of Mamba 2 layers without a norm of y exist */

    /* feed-forward */
    Activation act;
    bool act_by_key; /* or as hidden_activation says: gelu or silu */
    bool gated;
    bool gate_in_up; /* ffn_up holds gate, then up */
    /* where there is no ffn_gate, ffn_up does, or, as short as it, there is none */
    bool gate_maybe;
    /* a network without ffn_gate has none, and is a ReLU between up and down */
    bool gate_or_relu;
    bool limits; /* what experts and networks multiply is limited: swiglu_clamp_exp, _shexp */
    /* in so many few gates pass, unless activation_sparsity_scale says where */
    size_t cut_layers;
    bool half_hidden; /* feed_forward_length counts gate and up together */
    bool experts;     /* files may have a mixture of them */
    RouterScore router;
    bool router_by_key; /* or as expert_gating_func says */
    bool renormalize;
    /* or as expert_weights_norm says; with expert_weights_scale, and groups of experts */
    bool weights_by_key;
    bool shared_gate;  /* the network beside them has a gate */
    bool choice_bias;  /* files may have one that acts on the choice only */
    bool weight_input; /* an expert reads weight * x */
    /* a layer with experts has a network beside them, each with norms of its own */
    bool beside;
    bool latent_experts; /* files may have experts that read moe_latent_size numbers */
    /* without expert_feed_forward_length the experts share feed_forward_length */
    bool split_hidden;

    /* what comes beside the stream: numbers of a layer's own input, unless
     * embedding_length_per_layer_input says (LAYER_INPUT_SAID: it must), 0: none; parts of the stream,
     * unless altup.num_inputs says, 0: one; rank of the way beside attention, 0: none */
    size_t layer_input, streams, laurel;
    bool output_scale; /* a block ends with a scale of its own */

    /* scales; caps: when the file does not say; -1: none then; 0: the family never has one */
    bool scale_embedding; /* x starts as embedding * sqrt(dim) */
    Scales scales;
    bool scale_tied; /* a head that is the embedding reads rows / sqrt(dim) */
    float attn_softcap;
    float logit_softcap;

    /* files may have draft heads behind the last block (draft_head.h): nextn_predict_layers; they read what
     * comes out of it before the norm */
    bool draft_heads, draft_bare;

    /* what a text becomes (text_head.h) */
    bool vectors; /* never logits: the family has no head */
    bool dense;   /* files may have two maps of a text's vector: dense_2, dense_3 */
    bool ranks;   /* files may have a head that scores a text: cls, cls.output */
    bool rank_mean, rank_gelu,
        rank_softmax; /* of the mean of all rows; GELU, not tanh; shares of 1 */
} Recipe;

typedef enum Need { NEED_NO, NEED_MAYBE, NEED_YES } Need;

/* Must a block of this family and of these sizes have the tensor, may it, or may it not? */
Need recipe_need(const Recipe *recipe, RoleId id, const LayerSizes *sizes);

/* The row of a family, or NULL. */
const Recipe *recipe_find(Text arch);

/* All rows; returns their number. */
size_t recipe_list(const Recipe **list);

#endif
