/* bind.h - looking up a file's keys and tensors while a model is bound; private to layer 5.
 *
 *     keys.c          keys of the family by name, each with its type and range
 *     sizes.c         sizes of the model and of each layer, scales and windows
 *     ropes.c         rotary positions
 *     bind.c          tensors by name, each with its shape and format
 *     bind_block.c    the tensors of a block by their roles
 *     model.c         all of it, in order
 *     refuse_unknown.c  keys and tensors that were never looked up
 *
 * A family beyond plain decoders has FamilyHooks, which replace these steps and are built from
 * the same functions.
 *
 * Invariant: looking a key or tensor up marks it; refuse_unknown refuses a file with unmarked
 * ones, which would otherwise be ignored. */
#ifndef STRATA_BIND_H
#define STRATA_BIND_H

#include "decoder.h"

/* ------------------------------------------------------------------ tables */

/* Shorthands for most rows: the norm, which numbers of a head form a rotated pair, the
 * network's activation. */
#define RMS    .norm = NORM_RMS
#define LAYER  .norm = NORM_LAYER
#define PAIRS  .rope = ROPE_INTERLEAVED
#define HALVES .rope = ROPE_HALF_SPLIT
#define SWIGLU .act = ACT_SILU, .gated = true
#define GEGLU  .act = ACT_GELU_TANH, .gated = true

/* What kind of file is expected: its general.type, in words, and advice when it is another. */
typedef struct FileKind {
    const char *type, *called, *advice;
    bool words; /* it has a vocabulary */
} FileKind;

typedef struct Binder {
    Model *model;
    Fault *fault;
    const FileKind *kind;
    bool ok;          /* once false, nothing more is looked up */
    const char *keys; /* prefix of the family's keys */
    /* prefix of block names; of the first blocks, if they are counted separately */
    const char *blocks, *first_blocks;
    size_t n_first;
    bool norm_bias;     /* RMS norms have a bias, too */
    bool *used_keys;    /* (gguf.n_pairs) */
    bool *used_tensors; /* (gguf.n_tensors) */
} Binder;

/* What families do differently from a plain decoder; no function is NULL. */
typedef struct FamilyHooks {
    /* binding: each replaces the core's function of that name below */
    bool (*read_sizes)(Binder *binder);
    bool (*read_layer)(Binder *binder, size_t layer, LayerSizes *sizes);
    void (*read_ropes)(Binder *binder);
    void (*bind_ends)(Binder *binder);
    void (*bind_block)(Binder *binder, Block *block, size_t layer);
    size_t layer_bytes; /* of LayerSizes.extras */
    Need (*need)(const Recipe *recipe, RoleId id, const LayerSizes *sizes);
    const char *(*role_name)(const Binder *binder, RoleId id, size_t layer);
    /* in refuse_unknown, before the core's checks: redundant keys */
    bool (*check_keys)(Binder *binder);
    /* matrix i to pack, after those of the layers and the head; NULL: the end */
    Linear *(*packed_map)(const Model *model, size_t i);
    void (*close)(Model *model);
    /* a prompt: model_source, model_check_prompt */
    size_t (*source)(const Model *model, const int32_t *tokens, size_t count);
    bool (*check_prompt)(const Model *model, const int32_t *tokens, size_t count, size_t batch,
                         Fault *fault);
    /* a session: KV shapes of each layer (shapes has 2 * layers, with the core's filled in;
     * returns the number of layers); a batch; a text */
    size_t (*shapes)(const Model *model, KvConfig *config, KvShape *shapes);
    size_t (*tokens)(const Session *session);
    bool (*forward)(Session *session, const Batch *batch, Fault *fault);
    bool (*eval)(Session *session, const int32_t *tokens, size_t count, bool all_logits,
                 Fault *fault);
} FamilyHooks;

/* Families and roles beyond the core's (more_families.c). */
typedef struct MoreFamilies {
    const Recipe *rows;
    size_t n_rows;
    const Role *roles;
    RoleId n_roles;
    /* after the row is found: if the file is more than a plain decoder, set model->hooks and
     * extras; NULL: it never is */
    bool (*find)(Binder *binder);
    /* of every session: check its configuration, lay out its extra memory; NULL: nothing */
    bool (*check_session)(const Model *model, const SessionConfig *config, Fault *fault);
    void (*layout_session)(Session *session, const SessionConfig *config);
    const char *advice; /* for a user whose file is refused */
    /* what to do with a file of this general.type, or NULL; NULL: no advice */
    const char *(*advice_on)(Text type);
} MoreFamilies;
extern const MoreFamilies more_families;

/* Open a file in memory that is not an ordinary model. */
bool model_open_kind(Model *model, const void *bytes, size_t size, const FileKind *kind,
                     Fault *fault);

/* ------------------------------------------------------------------ keys */

/* Look up "<family>.<key>" and mark it; NULL: missing, or an earlier check failed. */
const GgufPair *find_key(Binder *binder, const char *key);

/* Has this key been looked up? */
bool was_read(const Binder *binder, const char *key);

#define KEY_MAX_CTX ((size_t)1 << 31)

/* Larger than any dimension of a real model, and small enough that products do not overflow. */
enum { MAX_SIZE = 1 << 24, MAX_HEADS = 65536 };

/* The value of "<family>.<key>": need_ fails without the key, key_ then returns `fallback`.
 *
 * Fails when the key has the wrong type or is outside min to max.  A float may be written as an
 * integer; _of_layer also accepts an array with a value per layer. */
size_t need_size(Binder *binder, const char *key, size_t min, size_t max);
size_t key_size(Binder *binder, const char *key, size_t fallback, size_t min, size_t max);
size_t need_of_layer(Binder *binder, const char *key, size_t layer, size_t min, size_t max);
size_t key_of_layer(Binder *binder, const char *key, size_t layer, size_t fallback, size_t min,
                    size_t max);
double need_number(Binder *binder, const char *key, double min, double max);
double key_number(Binder *binder, const char *key, double fallback, double min, double max);
bool need_bool(Binder *binder, const char *key);
bool key_bool(Binder *binder, const char *key, bool fallback);
Text key_text(Binder *binder, const char *key, const char *fallback);

/* The value as text ("17", "0.5", "true", "\"yarn\"", "an array of 4 u32"; without a pair
 * "missing") in `out`; returns out. */
const char *value_text(const GgufPair *pair, char *out, size_t size);

/* The fault "key '<family>.<key>' is <value>, wanted <...>: <why>".  Returns false. */
bool refuse_key(Binder *binder, const char *key, const char *wanted, const char *why);

/* A key with only one supported value. */
typedef struct FixedKey {
    const char *key;
    bool flag; /* written as true or false */
    double wanted;
    const char *why;
} FixedKey;

/* Fails when one of these that was not looked up has another value. */
bool check_fixed(Binder *binder, const FixedKey *keys, size_t count);

/* ------------------------------------------------------------------ sizes */

/* Read the sizes and scales of the model. */
bool read_sizes(Binder *binder);

/* Read the eps of its norms. */
void read_eps(Binder *binder);

/* Tokens that the model never predicts. */
#define SUPPRESSED_KEY "tokenizer.ggml.suppress_tokens"

/* The softcap of scores or logits, 0: none; the family's own if the file has no key. */
float read_softcap(Binder *binder, const char *key, float of_family);

/* The sizes of one layer, whose dim and extras are set. */
bool read_layer(Binder *binder, size_t layer, LayerSizes *sizes);

/* Read the numbers of its query heads and KV heads; without attention both are 0. */
bool read_heads(Binder *binder, size_t layer, bool attends, LayerSizes *sizes);

/* Read the lengths of keys and values, from keys that end with `kind`, and derive the widths of
 * its projections. */
bool read_lengths(Binder *binder, const char *kind, bool required, LayerSizes *sizes);

/* Fails when head counts, lengths and rotated numbers do not fit together. */
bool check_heads(Binder *binder, const LayerSizes *sizes);

/* The window of a layer; 0: none, so it sees all positions.
 *
 *   windows   the file's layers may have windows
 *   after     the first of every window_pattern layers has none, instead of the last */
size_t window_in(Binder *binder, size_t layer, bool windows, bool after);

/* Does the layer have rotary positions? */
bool has_rope(const Recipe *recipe, size_t layer);

/* The first layer that has attention, or the last one. */
const LayerSizes *attention_sizes(const Model *model);

/* ------------------------------------------------------------------ ropes */

/* Initialize the ropes of layers without a window, and with one. */
void read_ropes(Binder *binder);

/* The context the model was trained with, before rope scaling. */
size_t trained_ctx(Binder *binder);

/* Rotated numbers per head in the first layer without a window, or with one. */
size_t rotary_of(const Model *model, bool windowed);

/* The kind of rope scaling that the file names. */
RopeScaling read_scaling(Binder *binder);

/* Read the factor of c->scaling, and YaRN's numbers.
 *
 *   sized   attn_factor may scale the rotated vectors */
void read_scale_factor(Binder *binder, RopeConfig *c, bool sized);

/* A divisor for each rotated pair; layers that rotate fewer use the first ones. */
const float *read_divisors(Binder *binder, bool required);

/* The rope of windowed layers, from the other layers' rope in c. */
void read_window_rope(Binder *binder, RopeConfig *c);

/* ------------------------------------------------------------------ tensors */

/* "blk.3.attn_q.weight" in out, with the family's prefix; returns out. */
const char *block_name(const Binder *binder, char *out, size_t size, size_t layer,
                       const char *name, const char *suffix);

/* A matrix or a stack of them, of exactly this shape.  `from` names the keys that determine the
 * shape.  Missing optional tensors have data NULL. */
Tensor bind_tensor(Binder *binder, const char *name, bool required, int ndim,
                   const size_t *shape, const char *from);

/* The same as f32 numbers: a vector, or a small matrix. */
const float *bind_numbers(Binder *binder, const char *name, bool required, int ndim,
                          const size_t *shape, const char *from);
const float *bind_vector(Binder *binder, const char *name, bool required, size_t size,
                         const char *from);

/* NAME.weight and NAME.bias of a norm of `width` numbers, or of each of `heads` such rows. */
Norm bind_norm(Binder *binder, const char *name, bool required, size_t heads, size_t width,
               const char *from);

/* Bind all tensors of a block, and set the rest of it. */
void bind_block(Binder *binder, Block *block, size_t layer);

/* Bind the tensor of one role. */
void bind_role(Binder *binder, Block *block, RoleId id, size_t layer, Need need);

/* Bind "x.scale" beside "x.weight", of each of a stack's `count` maps; NVFP4 has them. */
void bind_scale(Binder *binder, Linear *map, const char *weight, size_t count,
                const char *from);

/* Bind `count` roles that one tensor holds, one after the other; false: the file has none. */
bool bind_fused(Binder *binder, Block *block, const char *name, const RoleId *ids, int count,
                size_t layer);

/* Does this layer need the role? */
Need need_of(const Model *model, RoleId id, size_t layer);

/* A RoleSize: 1. */
size_t size_one(const LayerSizes *sizes);

/* Bind the embedding and learned positions. */
void bind_tables(Binder *binder, bool required);

/* Bind the norm before the head. */
void bind_out_norm(Binder *binder, const char *name);

/* Bind the head; if the file has none, it is the embedding. */
void bind_head(Binder *binder, size_t rows, const char *from);

/* Bind all of these. */
void bind_ends(Binder *binder);

/* ------------------------------------------------------------------ the end */

/* Fails when the file is not a model, or is one part of a split. */
bool check_container(Binder *binder);

/* Fails when the file has a key whose value is not supported, or a key or tensor that was never
 * looked up. */
bool refuse_unknown(Binder *binder);

#endif
