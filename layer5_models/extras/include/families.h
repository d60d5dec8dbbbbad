/* families.h - families beyond plain decoders: their quirks, and extra fields of models, layers
 * and sessions.
 *
 *     Recipe.quirks        const Quirks *     a row's (quirks_of)
 *     LayerSizes.extras    LayerExtras *      sizes of a layer's other parts
 *     Model.extras         ModelExtras *      weights and settings outside the blocks
 *                          (model_extras)
 *     Session.extras       SessionExtras *    every session has one
 *
 * The core reaches them only through the functions of FamilyHooks (src/model/bind.h).
 *
 * Invariant: a plain decoder has no quirks and no extras: quirks_of and model_extras give
 * zeros [recipes_are_found_by_name]. */
#ifndef STRATA_FAMILIES_H
#define STRATA_FAMILIES_H

#include "decoder.h"
#include "vision_tower.h"
#include "roles_extras.h"
#include "text_head.h"
#include "transformer_extras.h"

/* Which keys scale embeddings, branches, scores and logits. */
typedef enum Scales {
    SCALES_NONE,
    SCALES_GRANITE, /* embedding_scale, residual_scale, attention.scale; logits / logit_scale */
    SCALES_COHERE,  /* logits * logit_scale */
    /* as Granite's, without attention; defaults 12 and 1.4 / sqrt(layers) */
    SCALES_MINICPM,
    /* embedding_scale, attention.output_scale, logits * logit_scale; defaults: Grok 1's */
    SCALES_GROK,
    SCALES_MINICPM3, /* 12, 1.4 / sqrt(layers), 256 / dim, whatever the file says */
} Scales;

/* Latent attention may have an indexer that chooses positions. */
typedef enum IndexerUse {
    INDEXER_NONE,
    INDEXER_CHOOSES,
    /* files have one, but programs attend to everything, which is the same up to top_k
     * tokens */
    INDEXER_IDLE,
} IndexerUse;

/* What some blocks have in place of attention, or beside it. */
typedef enum Recurrent {
    RECURRENT_NONE,
    RECURRENT_MAMBA,       /* one decay rate per channel */
    RECURRENT_MAMBA2,      /* one decay rate per head */
    RECURRENT_SHORT_CONV,  /* a short causal convolution */
    RECURRENT_DELTA,       /* a fast-weight memory with the delta rule: Gated DeltaNet */
    RECURRENT_DELTA_TILED, /* the same; value heads cycle through the key heads */
    RECURRENT_KDA,         /* the same with a decay per key channel: Kimi Delta Attention */
    /* the same with a per-channel learning rate: RWKV 7.  The feed-forward is recurrent, too,
     * unless the recipe's is gated */
    RECURRENT_RWKV,
    RECURRENT_RWKV6, /* the same without the delta rule: RWKV 6 */
} Recurrent;

/* A gate on attention's output. */
typedef enum AttentionGate {
    GATE_NONE,
    GATE_IN_Q,   /* attn_q has a query and a gate for each head */
    GATE_NUMBER, /* a map of its own, per number */
    GATE_HEAD,   /* ... per head */
} AttentionGate;

/* Which pairs rotate by which position in a picture (M-RoPE). */
typedef enum RopeSections {
    SECTIONS_NONE,
    SECTIONS_IN_ORDER, /* first those of time, then of rows, then of columns */
    SECTIONS_MIXED,    /* in turn: time, row, column, time ... */
} RopeSections;

enum { KV_LAG_BITS = 32 }; /* of the lag behind positions, kept in the KV cache */

/* The file must have the width of per-layer inputs. */
#define LAYER_INPUT_FROM_KEY ((size_t)-1)

/* Of kv_layers: all, unless the key says otherwise. */
#define ALL_LAYERS ((size_t)-1)

/* Another name for a role: always, or only in blocks with the tensor `when_block_has`. */
typedef struct RoleName {
    RoleId id;
    const char *name; /* NULL ends a list */
    const char *when_block_has;
} RoleName;

typedef struct Quirks {
    const RoleName *names; /* tensors with unusual names; NULL: none */
    const char *blocks;    /* prefix of blocks; NULL: blk */
    /* ... of an encoder's blocks, which come first and which the decoder attends to; NULL:
     * none */
    const char *encoder;
    const char *keys; /* prefix of keys; NULL: arch */
    /* a vision tower for another model: opened by model_open_vision (vision.h) */
    bool is_vision_tower;
    /* a draft head for another model, one joined block (draft_head.h) */
    bool is_draft_head;
    /* a draft model for models of this family: it reads their keys and values, and has none
     * itself (draft_head.h); NULL: none */
    const char *assists;

    /* norms */
    bool norm_bias;           /* RMS norms have a bias, too (optional for NORM_LAYER anyway) */
    bool parallel_by_norm;    /* parallel in blocks without ffn_norm */
    bool first_without_norm;  /* the first block's attention may have no norm */
    bool second_norm;         /* files may have attn_norm_2 (block.h) */
    bool no_gains;            /* norms of rows have neither gain nor bias */
    bool embedding_norm;      /* x starts as the normed embedding */
    const char *out_norm;     /* name of the norm before the head; NULL: output_norm */
    bool no_out_norm;         /* none: blocks end with a norm */
    bool head_norms_optional; /* files may lack head_norms */
    bool head_norms_own;      /* or have gains per head */
    bool head_norms_unit;     /* without gains, after the rotation */
    bool head_norms_late;     /* after the rotation */

    /* positions and attention */
    /* a token sees the whole text: a diffusion model or an encoder */
    bool bidirectional;
    bool token_types;       /* files may have a row per text of a pair: token_types */
    bool rope_windows_only; /* only windowed layers have rotary positions */
    bool rope_by_key;       /* no rotary positions where rope.scaling.finetuned is false */
    bool rope_freqs_needed; /* files must have rope_freqs.weight */
    bool rope_freqs_full;   /* its divisors are for layers without a window */
    /* files may have two divisors per pair: rope_factors_short.weight, and for sessions beyond
     * the trained context rope_factors_long.weight (longrope) */
    bool rope_long;
    bool yarn_multiplier; /* and one for YaRN: rope.scaling.yarn_log_multiplier */
    bool rope_full_half;  /* layers without a window rotate half as many numbers */
    bool rope_alpha;      /* theta is multiplied by rope.scaling.alpha^(d / (d - 2)) */
    /* pairs rotate by a picture's time, row or column: rope.dimension_sections */
    RopeSections rope_sections;
    /* files may have the key, of four kinds of pairs, and pictures are not read */
    bool text_sections;
    /* each distance has a learned bias: attn_rel_b, the first block's for blocks without one */
    bool relative;
    float max_bias; /* ALiBi; -1: as attention.max_alibi_bias says; 0: none */
    /* models with this many layers have ALiBi, and no rotary positions; 0: none has */
    size_t alibi_layers;
    bool clamp;                 /* q, k and v are clamped as attention.clamp_kqv says */
    bool sinks, sinks_optional; /* in every block; files may have them */
    AttentionGate gate;
    bool sub_norms;      /* norms before the output matrices of attention and feed-forward */
    bool value_scale;    /* values are scaled as attention.value_scale says */
    bool value_norms;    /* each head's value is normed, without gains */
    bool keys_as_values; /* layers without a window may have no attn_v: values are keys */
    float score_scale;   /* of scores; 0: 1 / sqrt(head_dim) */
    /* the first so many layers have their own keys and values (unless
     * attention.shared_kv_layers says how many do not); later ones share those of the last
     * layer of their kind; 0: all have their own */
    size_t kv_layers;
    /* files have unused key and value maps in the layers that share */
    bool unused_kv_maps;
    bool latents; /* latent attention (MLA) in blocks with attn_kv_a_mqa */
    IndexerUse indexer;
    bool temperature; /* q grows with the position (attention.temperature_scale) */
    /* > 0: q grows in layers without positions, a step per so many tokens */
    size_t no_rope_temperature_ctx;
    /* the first of every window_pattern layers has no window, instead of the last */
    bool window_after;
    bool window_heads;      /* windowed layers have other head lengths: the keys *_swa */
    bool groups_in_windows; /* rows of a picture see each other in windowed layers alone */
    bool window_listed;     /* the file lists which layers have one: sliding_window_pattern */
    size_t window_layers;   /* only models with this many layers have windows; 0: all */
    /* layers with rotary positions attend within chunks of this many positions; 0: no chunks */
    size_t chunk;

    /* A block's tensors show its mixers: attention, this one, both or none.  A layer whose
     * feed_forward_length is 0 has no feed-forward. */
    Recurrent recurrent;
    /* blocks may lack attention or the feed-forward, or have one map as a mixer */
    bool optional_parts;
    bool ssm_norms;         /* norms on dt, B and C */
    bool ssm_norm_optional; /* Mamba 2 layers may lack the norm of y */

    /* feed-forward */
    bool xielu;      /* ACT_XIELU with the keys xielu.* */
    bool act_by_key; /* the activation is hidden_activation's, if given: gelu or silu */
    /* without ffn_gate, ffn_up holds the gate or, if it is short, there is none */
    bool gate_optional;
    /* without ffn_gate: no gate, and ReLU */
    bool gate_or_relu;
    bool limits; /* clamped activations: swiglu_clamp_exp, _shexp */
    /* layers with sparse activation, unless activation_sparsity_scale says */
    size_t sparse_layers;
    bool half_hidden; /* feed_forward_length counts gate and up together */
    bool experts;     /* files may have a mixture of experts */
    RouterScore router;
    bool router_by_key;  /* or as expert_gating_func says */
    bool router_softcap; /* files may have router_logit_softcapping */
    bool renormalize;
    /* or as expert_weights_norm says; also expert_weights_scale and groups of experts */
    bool weights_by_key;
    bool shared_gate;  /* the shared expert has a gate */
    bool choice_bias;  /* files may have a bias that affects the choice only */
    bool weight_input; /* an expert reads weight * x (not weighted output) */
    /* a layer with experts also has a dense feed-forward, each with its own norms */
    bool dense_and_experts;
    bool adjugates;    /* groups of experts have a small one besides: experts_per_group */
    bool router_ahead; /* the router reads what came into the layer */
    /* a layer with experts also has a dense feed-forward as wide as x, and the experts read
     * what came into the layer */
    bool experts_ahead;
    bool latent_experts; /* experts may work on moe_latent_size numbers */
    /* without expert_feed_forward_length, experts divide feed_forward_length */
    bool split_hidden;

    /* side inputs: width of per-layer inputs unless embedding_length_per_layer_input says so
     * (LAYER_INPUT_FROM_KEY: required), 0: none; parallel streams unless altup.num_inputs says
     * so, 0: one; rank of LAuReL, 0: none */
    size_t layer_input, streams, laurel;
    bool output_scale; /* a block ends with a learned scale */

    bool head_embeds; /* files may lack an embedding: it is the head */
    Scales scales;
    bool scale_tied; /* a tied head scales its input by 1 / sqrt(dim) */

    /* files may have draft heads after the last block (draft_head.h): nextn_predict_layers;
     * they read its output before the norm */
    bool draft_heads, draft_before_norm;

    /* heads for whole texts (text_head.h) */
    bool vectors;      /* no logits: the family has no head */
    bool dense;        /* files may map a text's vector twice: dense_2, dense_3 */
    bool ranks;        /* files may have a head that scores a text: cls, cls.output */
    bool rank_mean;    /* ... from the mean of all rows */
    bool rank_gelu;    /* ... with GELU instead of tanh */
    bool rank_softmax; /* ... with a softmax */
} Quirks;

const Quirks *quirks_of(const Recipe *recipe);

/* Models of a plain family whose files are more than plain decoders ("llama": "Mixtral"), or
 * NULL. */
const char *more_models(const char *arch);

/* The sizes of a layer's other parts. */
typedef struct LayerExtras {
    const Quirks *quirks;                        /* of its model */
    size_t experts, experts_used, expert_hidden; /* 0: no mixture */
    size_t shared_hidden;                        /* of the shared expert; 0: none */
    size_t groups, groups_used;                  /* of its experts; 0: none */
    size_t per_group, adjugate_hidden;           /* experts that share an adjugate; 0: none */
    size_t expert_latent;   /* width of experts' input and output; 0: dim */
    bool dense_and_experts; /* a dense feed-forward and experts side by side */
    size_t input;           /* width of per-layer inputs; 0: none */
    size_t streams, laurel; /* parallel streams, LAuReL rank; 0: none */
    /* latent attention: width of the key-value latent (0: none) and of the query latent; per
     * head the query numbers without rotation, and the value width.  absorbed: attn_k_b is
     * applied to queries. kv_heads, head_dim and value_dim then describe the KV cache */
    size_t latent, q_latent, plain, latent_value;
    bool absorbed;
    size_t index_heads, index_width, index_top; /* of its indexer; 0: none */
    /* rows of the gate on attention's output; 0: none */
    size_t attn_gate;
    bool gate_in_q;       /* or q holds it: per head a query, then its gate */
    bool map_mixer;       /* in place of attention: attn_output, applied to the normed x */
    bool bare;            /* attention reads x without a norm */
    bool no_gate;         /* the feed-forward has none */
    bool swapped;         /* ffn_up and ffn_down have each other's name */
    bool keys_are_values; /* no attn_v */
    /* > 0: shares keys, values and kv_heads of the layer this many before */
    size_t kv_back;
    size_t buckets;      /* of relative distances with a bias; 0: none */
    bool encodes, cross; /* an encoder layer; a decoder layer with cross attention */
    bool first;          /* of the encoder or of the decoder */
    /* of the state-space mixer; ssm_inner 0: none */
    size_t ssm_inner, ssm_state, ssm_rank, ssm_heads, ssm_groups, ssm_taps;
    size_t short_conv; /* taps of its short convolution; 0: none */
    /* of the delta net, delta_heads 0: none; per_number: a decay per key channel (KDA);
     * fused_ba: beta and decay come from one map */
    size_t delta_heads, delta_keys, delta_dim, delta_taps;
    bool delta_per_number, delta_fused_ba;
    /* of the RWKV mixers, rwkv_heads 0: none; ranks of the maps to w, a, v and g (0: none) */
    size_t rwkv_heads, rwkv_dim, rwkv_hidden, rwkv_w, rwkv_a, rwkv_v, rwkv_g;
    size_t rwkv_shift, rwkv_kv_heads; /* RWKV 6: rank of the shift's maps; 0: RWKV 7 */
    bool rwkv_first;                  /* its values are mixed into later layers' */
    bool rwkv_norm;                   /* what the state returns is normed */
    bool rwkv_fused;                  /* all mu are one tensor */
    bool rwkv_halves;                 /* the block ends with x / 2 */
    bool drafts;                      /* a draft head: it begins with a join */
    bool joined;                      /* ... and attention reads both joined halves */
} LayerExtras;

/* What a draft head has of its own instead of the model's; else data NULL, kind NORM_NONE. */
typedef struct DraftEnds {
    Tensor embedding;
    Norm out_norm;
    Linear head;
} DraftEnds;

enum { DRAFT_DEPTHS = 3 };

/* Which of longrope's two ropes a session has. */
typedef enum RopeChoice {
    ROPE_BY_LENGTH, /* by its context */
    ROPE_SHORT,
    ROPE_LONG
} RopeChoice;

/* A draft head or an assistant in a file of its own: what it reads of its model, and which
 * tokens it predicts. */
typedef struct DraftHead {
    const Model *model;                 /* attached by draft_head_fit; or NULL */
    size_t layers[DRAFT_DEPTHS], width; /* the layers whose inputs it reads, and their width */
    Linear in, out; /* of an assistant: (dim, 2 width) and (width, dim); or none */
    size_t count;   /* tokens it can predict: rows of its head */
    /* (vocab) each token's row; -1: none; NULL: all tokens in order */
    int32_t *row_of;
} DraftHead;

typedef struct ModelExtras {
    const Quirks *quirks; /* of its row, or of its file */
    /* number of encoder layers, which come first; 0: no encoder */
    size_t encoder;
    size_t drafts; /* draft heads after the layers; the first one is used */
    float logit_scale;
    float attention_scale; /* replaces 1 / sqrt(head_dim); 0: no */
    float latent_scale;    /* of scores, times 1 / sqrt(query length), in latent attention */
    float max_bias, clamp; /* of all layers; 0: none */
    /* ids of tokens whose logits are -infinity; NULL: none */
    const GgufPair *suppressed;
    /* with an encoder: the token that separates the source from the output */
    int32_t start;
    /* of a diffusion model: a position's logits predict the next position */
    bool shift_logits;
    Norm embedding_norm;    /* or none */
    Tensor types;           /* (1 or 2, dim) for the first and second text; or none */
    TextHead text_head;     /* for whole texts */
    VisionTower vision;     /* of a vision tower; or empty */
    Norm source_norm;       /* after the encoder's last block */
    LayerTable layer_table; /* per-layer inputs; or empty */
    AltUpEnds altup;        /* of parallel streams */
    size_t streams;         /* 0: a single stream */
    size_t deep;            /* layers behind which lent rows have a part to add */
    /* of layers without a window in sessions of more than long_ctx positions */
    Rope long_rope;
    size_t long_ctx; /* 0: the same rope in all sessions */
    RopeChoice long_choice;
    DraftEnds draft;      /* of the first draft head */
    DraftHead draft_head; /* of a draft head, or an assistant, in a file of its own */
} ModelExtras;

const ModelExtras *model_extras(const Model *model);

/* Choose longrope's rope for all sessions of a model: "auto", "short" or "long".
 *
 * Fails for another word, and for models without longrope. */
bool model_choose_rope(Model *model, const char *which, Fault *fault);

/* Does it have logits?  Otherwise texts become vectors or scores (pooling.h). */
bool model_writes(const Model *model);

/* Append what follows a prompt: with an encoder, the end of the source and the start token;
 * else nothing. */
void model_end_prompt(const Model *model, TokenList *tokens);

/* Fails when a companion model ("the draft", "the amateur") has another vocabulary.  Up to 1 %
 * of the tokens may differ, such as unused ids. */
bool model_shares_vocabulary(const Model *model, const Model *companion, const char *name,
                             Fault *fault);

/* ------------------------------------------------------------------ sessions */

typedef struct SessionExtras {
    bool elsewhere;       /* other machines have layers of it (layers_elsewhere.h) */
    float *key;           /* (the longest key) for shifting keys */
    float *pooled, *wide; /* a text's row inside the text head (text_head.h) */
    void *wide_scratch;
    size_t second; /* the position where the second of two texts begins; 0: only one */
    struct {       /* (max_tokens) with an encoder: a batch split into sources and the rest; of
                    * an assistant: the wanted rows */
        int32_t *token, *sequence, *position;
        bool *wanted;
    } split;
    /* (n_rows, session_lent_width) lent rows for tokens beyond the vocabulary; borrows */
    const float *rows;
    size_t n_rows;
    size_t group;        /* at most so many of them see each other; 0: none do */
    size_t (*groups)[3]; /* (max_tokens) of a batch with pictures whose rows see each other */
    /* of a family with sections (session_grid), or of a vision tower: places of a batch's rows,
     * and the rope with them */
    const size_t (*grid)[2];
    size_t grid_rows;
    int32_t (*places)[3]; /* (max_tokens) */
    Rope placed;
    const uint64_t *windows; /* (rows, window_words) AttentionShape.chosen of a vision tower */
    size_t window_words;
    struct { /* session_tap: rows of the last batch as they entered some layers */
        const size_t *layers;
        size_t count; /* 0: none are kept */
        float *rows;
    } tap;
    /* (rows of the head) of a draft head that predicts only some tokens */
    float *reduced_logits;
    struct {                  /* of an assistant (draft_head.h) */
        const Session *model; /* whose keys it reads (assistant_reads); or NULL */
        size_t *sequence;     /* (sequences) the model's for each of its own */
        float *both;          /* (max_tokens, 2 width) */
        void *scratch;
        size_t *row, count; /* (max_tokens) which rows of the last batch were wanted */
        Rope rope;
    } assistant;
} SessionExtras;

/* Tokens vocab .. vocab + count - 1 become aliases for these rows, which replace their
 * embeddings (an image is a run of tokens: vision.h).
 *
 *   rows       (count, session_lent_width)   borrowed; unchanged once their token was read
 *   together   so many rows at a time attend to each other, both ways (Gemma 3), and are read
 *              in one batch (session_group); 0: a row sees only what comes before it
 *
 * To per-layer inputs they are token 0, as in the published code of Gemma 3n and 4
 * [rows_are_token_0_to_tables_of_layers].
 *
 * Fails for a model with an encoder, or bidirectional; and when
 * `together` rows fit into no batch or no window, or a layer has no attention. */
bool session_lend(Session *session, const float *rows, size_t count, size_t together,
                  Fault *fault);

/* How many of a batch's `count` groups (KvCache.groups) see each other in a layer: all or
 * none. */
size_t layer_groups(const Model *model, size_t layer, size_t count);

/* Numbers of a lent row: those of a token, and as many for each layer behind which a picture
 * adds some (Qwen 3 VL: DeepStack). */
size_t session_lent_width(const Model *model);

/* How pictures among the lent rows lie, and how many rows each has.  Families with M-RoPE give
 * a row the place of its time, row and column, and text after a picture continues behind the
 * greatest place [places_follow_pictures].
 *
 *   grid   (count / rows) rows down and across of each picture, whose tokens are vocab + rows *
 *          number ...; borrowed
 *   rows   as many as see each other at most (session_lend): then of each picture only its own
 *          rows do */
void session_grid(Session *session, const size_t (*grid)[2], size_t rows);

/* A token's place in its group of rows that see each other; 0 also for a token without a group.
 *
 *   left   written: how many of the group are left, this one counted; 0: no group */
size_t session_group(const Session *session, int32_t token, size_t *left);

/* Keep the rows of each batch as they enter some layers.
 *
 *   layers   (count) borrowed; count 0: stop
 *   rows     (max_tokens, count, dim) borrowed */
void session_tap(Session *session, const size_t *layers, size_t count, float *rows);

/* Norm and head applied to x (dim), as if it came from the last layer: session->hidden and
 * session->logits then have its row (logit lens). */
void session_lens(Session *session, const float *x);

/* The rope of a layer: in a session longer than the trained context some families have
 * another. */
const Rope *session_rope(const Session *session, size_t layer);
bool session_is_long(const Session *session);

/* The same of a model's layer: `longer` as session_is_long, `placed` (NULL: none) for families
 * with axes. */
const Rope *layer_rope(const Model *model, size_t layer, bool longer, const Rope *placed);

/* Cut positions keep .. keep + gone - 1 out of a sequence; later ones move up.  It continues
 * almost as if it had never read them: see shift.h.
 *
 * Needs    keep and gone multiples of KV_PAGE, keep + gone <= its length; session_can_shift.
 * False, and nothing changes, when there are too few pages to copy shared ones. */
bool session_shift(Session *session, size_t sequence, size_t keep, size_t gone);

/* Fails, with the reason, when positions affect more than the rotation of keys: learned
 * positions, recurrent layers, keys scaled after rotation, indexer keys. */
bool session_can_shift(const Session *session, Fault *fault);

#endif
