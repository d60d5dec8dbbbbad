/* families.h - what families need beyond plain decoders: their rows' quirks, and what models,
 * layers and sessions of theirs have besides.
 *
 *     Recipe.quirks        const Quirks *     a row's (quirks_of)
 *     LayerSizes.extras    LayerExtras *      sizes of a layer's other parts
 *     Model.extras         ModelExtras *      weights and settings outside the blocks (more_of)
 *     Session.extras       SessionExtras *    every session has one
 *
 * The core reaches them by the functions of FamilyHooks (src/model/bind.h) alone.
 *
 * Invariant: a plain decoder has no quirks and no extras: quirks_of and more_of give zeros. */
#ifndef STRATA_FAMILIES_H
#define STRATA_FAMILIES_H

#include "decoder.h"
#include "vision_tower.h"
#include "roles_extras.h"
#include "text_head.h"
#include "transformer_extras.h"

/* Which numbers of a file scale embeddings, branches, scores and logits. */
typedef enum Scales {
    SCALES_NONE,
    SCALES_GRANITE, /* embedding_scale, residual_scale, attention.scale; logits / logit_scale */
    SCALES_COHERE,  /* logits * logit_scale */
    /* as Granite's without the attention; defaults 12 and 1.4 / sqrt(layers) */
    SCALES_MINICPM,
    SCALES_MINICPM3, /* 12, 1.4 / sqrt(layers), 256 / dim, whatever the file says */
} Scales;

/* Attention by way of latents may be told where to look. */
typedef enum IndexerUse {
    INDEXER_NONE,
    INDEXER_CHOOSES,
    /* files have one, and programs look at everything, which is the same in texts of up to
     * top_k tokens */
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

/* Files have to say how wide the inputs of layers are. */
#define LAYER_INPUT_FROM_KEY ((size_t)-1)

/* Of own_kv: each layer does, unless the key says otherwise. */
#define ALL_LAYERS ((size_t)-1)

/* A role that a family calls otherwise: always, or in blocks that have the tensor `beside`. */
typedef struct RoleName {
    RoleId id;
    const char *name; /* NULL ends a list */
    const char *when_block_has;
} RoleName;

typedef struct Quirks {
    const RoleName *names; /* tensors that are called otherwise than usual; NULL: none */
    const char *blocks;    /* what blocks are called; NULL: blk */
    /* ... those of an encoder, which come first, and which the others look at; NULL: none */
    const char *encoder;
    const char *keys; /* what keys begin with; NULL: arch */
    /* it reads pictures, not texts, for another model: opened by model_open_eye (vision.h) */
    bool is_vision_tower;
    /* it is a draft head for another model, one block that is joined (draft_head.h) */
    bool is_draft_head;

    /* norms */
    bool norm_bias; /* RMS norms have a bias, too; those of NORM_LAYER may have one anyway */
    bool parallel_by_norm; /* parallel where a block has no ffn_norm */
    bool
        first_without_norm; /* attention of the first block reads x as it is, where it has no norm */
    bool second_norm;       /* files may have attn_norm_2 (block.h) */
    bool embedding_norm;      /* x starts as a norm of the embedding */
    const char *out_norm;     /* what the norm before the head is called; NULL: output_norm */
    bool no_out_norm;         /* there is none: blocks end with one */
    bool head_norms_optional; /* files may do without head_norms */
    bool head_norms_own;      /* or have gains for each head */
    bool head_norms_unit;     /* none with gains; each head after the rotation */
    bool head_norms_late;     /* after the rotation */

    /* positions and attention */
    /* a token sees all of the text: a diffusion model, which fills a canvas, or an encoder */
    bool bidirectional;
    bool token_types;       /* files may have a row for each of two texts: token_types */
    bool rope_windows_only; /* only layers with a window have positions */
    bool rope_by_key;       /* none have where rope.scaling.finetuned is false */
    bool rope_freqs_needed; /* files must have rope_freqs.weight */
    bool rope_freqs_full;   /* its divisors are of layers without a window */
    /* files may have two for each pair: rope_factors_short.weight, and for sessions longer than
     * the trained context rope_factors_long.weight (longrope) */
    bool rope_long;
    bool yarn_multiplier; /* and one for YaRN: rope.scaling.yarn_log_multiplier */
    bool rope_full_half;  /* layers without a window turn half as many numbers */
    bool rope_alpha;      /* theta grows by rope.scaling.alpha^(d / (d - 2)) */
    bool rope_sections;   /* pairs belong to time, height and width; text has but time */
    /* each distance has a learned bias: attn_rel_b, the first block's for all without one */
    bool relative;
    float max_bias;             /* ALiBi; -1: as attention.max_alibi_bias says; 0: none */
    bool clamp;                 /* q, k and v are clamped as attention.clamp_kqv says */
    bool sinks, sinks_optional; /* every block has; files may have */
    AttentionGate gate;
    bool sub_norms;      /* before the last map of attention and of the feed-forward */
    bool value_scale;    /* values are scaled as attention.value_scale says */
    bool value_norms;    /* each head's value is normed, without gains */
    bool keys_as_values; /* layers without a window may have no attn_v: their values are keys */
    float score_scale;   /* of scores, in place of 1 / sqrt(head_dim); 0: that */
    /* so many layers keep keys and values, unless attention.shared_kv_layers says how many do
     * not; the others read those of the last layer of their kind; 0: each keeps its own */
    size_t kv_layers;
    /* files have maps for the keys and values of those others, and the models do without */
    bool unused_kv_maps;
    bool latents; /* keys and values by way of latents, where a block has attn_kv_a_mqa */
    IndexerUse indexer;
    bool temperature; /* q grows with the position, as attention.temperature_scale says */
    /* > 0: it grows in layers without positions, every so many tokens */
    size_t no_rope_temperature_ctx;
    bool window_after;  /* of every window_pattern layers the first one sees everything */
    bool window_heads;  /* heads of windowed layers have lengths of their own: the keys *_swa */
    bool window_listed; /* which layers have one, the file says: sliding_window_pattern */
    size_t window_layers; /* only models of so many layers have windows; 0: all */
    size_t chunk; /* layers that turn see their own chunk of so many positions; 0: no chunks */

    /* A block's mixers follow from its tensors: attention, this, or both, or none; and one of
     * which feed_forward_length says 0 has no network. */
    Recurrent recurrent;
    bool ssm_norms;         /* of what dt, B and C are made from */
    bool ssm_norm_optional; /* files of Mamba 2 layers without a norm of y exist */

    /* feed-forward */
    bool xielu;      /* ACT_XIELU: curves from the keys xielu.* */
    bool act_by_key; /* act, or as hidden_activation says: gelu or silu */
    /* where there is no ffn_gate, ffn_up does, or, as short as it, there is none */
    bool gate_optional;
    /* a network without ffn_gate has none, and is a ReLU between up and down */
    bool gate_or_relu;
    bool limits; /* what experts and networks multiply is limited: swiglu_clamp_exp, _shexp */
    /* in so many few gates pass, unless activation_sparsity_scale says where */
    size_t sparse_layers;
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
    bool dense_and_experts;
    bool latent_experts; /* files may have experts that read moe_latent_size numbers */
    /* without expert_feed_forward_length the experts share feed_forward_length */
    bool split_hidden;

    /* what comes beside the stream: numbers of a layer's own input, unless
     * embedding_length_per_layer_input says (LAYER_INPUT_SAID: it must), 0: none; parts of the
     * stream, unless altup.num_inputs says, 0: one; rank of the way beside attention, 0:
     * none */
    size_t layer_input, streams, laurel;
    bool output_scale; /* a block ends with a scale of its own */

    Scales scales;
    bool scale_tied; /* a head that is the embedding reads rows / sqrt(dim) */

    /* files may have draft heads behind the last block (draft_head.h): nextn_predict_layers;
     * they read what comes out of it before the norm */
    bool draft_heads, draft_before_norm;

    /* what a text becomes (text_head.h) */
    bool vectors;      /* never logits: the family has no head */
    bool dense;        /* files may have two maps of a text's vector: dense_2, dense_3 */
    bool ranks;        /* files may have a head that scores a text: cls, cls.output */
    bool rank_mean;    /* ... of the mean of all rows */
    bool rank_gelu;    /* ... by GELU, not tanh */
    bool rank_softmax; /* ... which are shares of 1 */
} Quirks;

/* Those of a row. */
const Quirks *quirks_of(const Recipe *recipe);

/* Models of a plain family whose files are more than plain decoders ("llama": "Mixtral"), or
 * NULL. */
const char *more_models(const char *arch);

/* The sizes of a layer's other parts. */
typedef struct LayerExtras {
    const Quirks *quirks;                        /* of its model */
    size_t experts, experts_used, expert_hidden; /* 0: no mixture */
    size_t shared_hidden;       /* of the network beside its experts; 0: none */
    size_t groups, groups_used; /* of its experts; 0: none */
    size_t expert_latent;       /* numbers that experts read and answer; 0: dim */
    bool dense_and_experts;     /* it has a network and experts side by side */
    size_t input;               /* numbers of a layer's own input; 0: it has none */
    size_t streams, laurel; /* parts of the stream, rank of the way beside attention; 0: none */
    /* with latents: of keys and values, 0: none, and of queries; numbers of a query that do not
     * turn, and of a value; one matrix moves to the queries, or makes keys.  Then kv_heads,
     * head_dim and value_dim of the layer are what memory holds */
    size_t latent, q_latent, plain, latent_value;
    bool absorbed;
    size_t index_heads, index_width, index_top; /* of its indexer; 0: none */
    size_t attn_gate;                           /* rows of the gate on what is mixed; 0: none */
    bool gate_in_q;       /* or q holds it: each head a query, then its gate */
    bool bare;            /* attention reads x without a norm */
    bool no_gate;         /* its network has none */
    bool swapped;         /* ffn_up is called ffn_down, and the other way round */
    bool keys_are_values; /* there is no map of its own for values */
    /* > 0: keys and values, and kv_heads, are those of the layer so many before */
    size_t kv_back;
    size_t buckets;      /* of distances that have a bias; 0: none */
    bool encodes, cross; /* its rows are a source's; they look at one */
    bool first;          /* of the encoder or of those that write */
    /* of its state-space mixer; ssm_inner 0: none */
    size_t ssm_inner, ssm_state, ssm_rank, ssm_heads, ssm_groups, ssm_taps;
    size_t short_conv; /* taps of its short convolution; 0: none */
    /* of its delta net, delta_heads 0: none; each: numbers of a key are forgotten by themselves
     * (KDA); both: betas and decays come from one map */
    size_t delta_heads, delta_keys, delta_dim, delta_taps;
    bool delta_per_number, delta_fused_ba;
    /* of its RWKV mixers, rwkv_heads 0: none; ranks of the maps to w, a, v and g */
    size_t rwkv_heads, rwkv_dim, rwkv_hidden, rwkv_w, rwkv_a, rwkv_v, rwkv_g;
    bool rwkv_first; /* its values are mixed into those of later layers */
    bool drafts;     /* it is a draft head: it begins with a join */
    bool joined;     /* ... all of which its attention reads */
} LayerExtras;

/* Between what a draft head shares with its model: where it has its own; else data NULL, kind
 * NORM_NONE. */
typedef struct DraftEnds {
    Tensor embedding;
    Norm out_norm;
    Linear head;
} DraftEnds;

enum { DRAFT_DEPTHS = 3 };

/* A draft head in a file of its own: what it reads of its model, which tokens it guesses. */
typedef struct DraftHead {
    const Model *model; /* the one that it was fitted to (draft_head_fit); or NULL */
    size_t layers[DRAFT_DEPTHS], width; /* rows that go into these, of so many numbers each */
    size_t count;                       /* tokens that it can guess: rows of its head */
    /* (vocab) which row is a token's; -1: none; NULL: it can guess all, in their order */
    int32_t *row_of;
} DraftHead;

typedef struct ModelExtras {
    const Quirks *quirks; /* of its row, or of its file */
    /* of the layers, the first ones: they read a source; 0: the model has none */
    size_t encoder;
    size_t drafts; /* blocks behind the layers, each a draft head; the first one is used */
    float logit_scale;
    float attention_scale; /* in place of 1 / sqrt(head_dim); 0: not */
    float latent_scale;    /* of scores, times 1 / sqrt(length of a query), with latents */
    float max_bias, clamp; /* of all layers; 0: none */
    int32_t start;         /* with an encoder: the token between a source and what is written */
    bool shift_logits;     /* of a diffusion model: the logits of a place are of the next one */
    Norm embedding_norm;   /* or none */
    Tensor types;          /* (1 or 2, dim) of the first text and of the second; or none */
    TextHead text_head;    /* what a whole text becomes */
    VisionTower vision;    /* of a model that reads pictures; or not there */
    Norm source_norm;      /* behind the last block of an encoder */
    LayerTable layer_table; /* inputs of layers; or not there */
    AltUpEnds altup;        /* of a stream in parts */
    size_t streams;         /* 0: the stream is one */
    Rope long_rope;         /* of full layers in sessions of more than long_ctx positions */
    size_t long_ctx;        /* 0: it is the same in all */
    DraftEnds draft;        /* of the first draft head */
    DraftHead draft_head;   /* of a draft head in a file of its own */
} ModelExtras;

/* Those of a model. */
const ModelExtras *model_extras(const Model *model);

/* Has it logits, and so can write?  Else texts become vectors or scores (pooling.h). */
bool model_writes(const Model *model);

/* What comes behind the tokens of a prompt: nothing, or, with an encoder, the end of the source
 * and the start token. */
void model_end_prompt(const Model *model, TokenList *tokens);

/* Fails when a companion ("the draft", "the amateur") numbers other words than the model: what
 * it says of a token would be taken for another one.  Up to a hundredth of the tokens may
 * differ, such as names of ids that no text has. */
bool model_shares_vocabulary(const Model *model, const Model *companion, const char *name,
                             Fault *fault);

/* ------------------------------------------------------------------ sessions */

typedef struct SessionExtras {
    float *key;           /* (the longest key) while keys are moved */
    float *pooled, *wide; /* a text's row on its way through the text head (text_head.h) */
    void *wide_scratch;
    size_t second; /* the position where the second of two texts begins; 0: there is one */
    struct {       /* (max_tokens) with an encoder: a batch's sources, then what is written */
        int32_t *token, *sequence, *position;
        bool *wanted;
    } split;
    const float *rows; /* (n_rows, dim) what the tokens behind the vocabulary are; borrows */
    size_t n_rows;
    struct { /* rows of the last batch that went into some layers: session_tap */
        const size_t *layers;
        size_t count; /* 0: none are kept */
        float *rows;
    } tap;
    float
        *reduced_logits; /* (rows of the head) of a draft head that guesses some tokens alone */
} SessionExtras;

/* From now on tokens vocab .. vocab + count - 1 stand for rows, which go into the first block
 * as they are: a picture is a run of tokens (vision.h), and all that holds of a text's tokens
 * holds of them.
 *
 *   rows   (count, dim)   borrowed; of a token that was read already they stay the same
 *
 * Fails for a model whose layers look tokens up by themselves, and for one with an encoder or
 * that fills a canvas. */
bool session_lend(Session *session, const float *rows, size_t count, Fault *fault);

/* From now on each batch leaves behind what went into some layers.
 *
 *   layers   (count) borrowed; count 0: no more
 *   rows     (max_tokens, count, dim) borrowed */
void session_tap(Session *session, const size_t *layers, size_t count, float *rows);

/* What the model would say if x (dim) were the stream after its last layer: session->hidden and
 * session->logits then have its row. */
void session_lens(Session *session, const float *x);

/* What queries and keys of a layer are rotated by: in a session longer than the trained context
 * some families have other angles. */
const Rope *session_rope(const Session *session, size_t layer);

/* Cut positions keep .. keep + gone - 1 out of a sequence; those behind move up.  It goes on
 * nearly as if it had never read them: shift.h says what nearly means.
 *
 * Needs    keep and gone multiples of KV_PAGE, keep + gone at most its length; session_can_shift.
 * False, and nothing changes, when there are too few pages to copy shared ones. */
bool session_shift(Session *session, size_t sequence, size_t keep, size_t gone);

/* Fails, with the reason, when places are in more than the rotation of keys: learned positions,
 * recurrent layers, keys that are stretched after they were rotated, keys of an indexer. */
bool session_can_shift(const Session *session, Fault *fault);

#endif
