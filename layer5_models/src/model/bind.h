/* bind.h - what a file says, looked up while a model is bound; private to layer 5.
 *
 *     keys.c        keys of the family by name, each with its type and range
 *     sizes.c       the keys as sizes of the model and of each layer, scales and windows
 *     ropes.c       rotary positions, from the keys
 *     bind.c        tensors by name, each with its shape and format
 *     bind_block.c  the tensors of a block by their roles
 *     model.c       all of it, in order
 *     unknown_keys.c   keys and tensors that were never looked up
 *
 * A family that is more than a plain decoder has FamilyHooks, which take the place of these
 * steps and are made of the same functions.
 *
 * Invariant: a key or tensor is marked when it is looked up, here and nowhere else; what is not
 * marked once all is bound is not computed with, and refuse_left_over says so. */
#ifndef STRATA_BIND_H
#define STRATA_BIND_H

#include "decoder.h"

/* ------------------------------------------------------------------ tables */

/* What most rows say, in a word: the norm, which numbers of a head turn together, the network
 * between up and down. */
#define RMS    .norm = NORM_RMS
#define LAYER  .norm = NORM_LAYER
#define PAIRS  .rope = ROPE_INTERLEAVED
#define HALVES .rope = ROPE_HALF_SPLIT
#define SWIGLU .act = ACT_SILU, .gated = true
#define GEGLU  .act = ACT_GELU_TANH, .gated = true

/* What a file is to be: general.type, in words, and the advice when it is another. */
typedef struct FileKind {
    const char *type, *called, *advice;
    bool words; /* it has a vocabulary */
} FileKind;

typedef struct Binder {
    Model *model;
    Fault *fault;
    const FileKind *kind;
    bool ok;          /* once false, nothing more is looked up */
    const char *keys; /* what the family's keys begin with */
    /* what blocks are called; ... the first ones, when they are counted by themselves */
    const char *blocks, *first_blocks;
    size_t n_first;
    bool norm_bias;     /* RMS norms have a bias, too */
    bool *used_keys;    /* (gguf.n_pairs) */
    bool *used_tensors; /* (gguf.n_tensors) */
} Binder;

/* What families do in another way than a plain decoder; all functions are there. */
typedef struct FamilyHooks {
    /* binding: each in place of the core's function of that name below */
    bool (*read_sizes)(Binder *binder);
    bool (*read_layer)(Binder *binder, size_t layer, LayerSizes *sizes);
    void (*read_ropes)(Binder *binder);
    void (*bind_ends)(Binder *binder);
    void (*bind_block)(Binder *binder, Block *block, size_t layer);
    size_t layer_bytes; /* of LayerSizes.extras */
    Need (*need)(const Recipe *recipe, RoleId id, const LayerSizes *sizes);
    const char *(*role_name)(const Binder *binder, RoleId id, size_t layer);
    /* in refuse_left_over, before the core's checks: keys that say what is done anyway */
    bool (*check_keys)(Binder *binder);
    Linear *(*packed_map)(const Model *model,
                          size_t i); /* map i behind those of layers and head */
    void (*close)(Model *model);
    /* a prompt: model_source, model_check_prompt */
    size_t (*source)(const Model *model, const int32_t *tokens, size_t count);
    bool (*check_prompt)(const Model *model, const int32_t *tokens, size_t count, size_t batch,
                         Fault *fault);
    /* a session: the memory of each layer, of which shapes (2 * layers) has the core's; returns
     * how many layers it has; a batch; a text */
    size_t (*shapes)(const Model *model, KvConfig *config, KvShape *shapes);
    size_t (*tokens)(const Session *session);
    bool (*forward)(Session *session, const Batch *batch, Fault *fault);
    bool (*eval)(Session *session, const int32_t *tokens, size_t count, bool all_logits,
                 Fault *fault);
} FamilyHooks;

/* Families and roles behind those of the core (more_families.c). */
typedef struct MoreFamilies {
    const Recipe *rows;
    size_t n_rows;
    const Role *roles;
    RoleId n_roles;
    /* The row is found: is the file more than a plain decoder?  Sets model->hooks and extras.
     * NULL: it never is */
    bool (*find)(Binder *binder);
    /* every session: may it be opened so, and memory for what hangs on it; NULL: nothing */
    bool (*check_session)(const Model *model, const SessionConfig *config, Fault *fault);
    void (*layout_session)(Session *session, const SessionConfig *config);
    const char *advice; /* to somebody whose file is refused */
    /* what to do with a file of this general.type, or NULL; NULL: nothing is known of any */
    const char *(*advice_on)(Text type);
} MoreFamilies;
extern const MoreFamilies more_families;

/* Open a file in memory that is of another kind than a model. */
bool model_open_kind(Model *model, const void *bytes, size_t size, const FileKind *kind,
                     Fault *fault);

/* ------------------------------------------------------------------ keys */

/* "<family>.<key>", marked; NULL: not there, or something was refused before. */
const GgufPair *find_key(Binder *binder, const char *key);

/* ... was marked before. */
bool was_read(const Binder *binder, const char *key);

#define KEY_MAX_CTX ((size_t)1 << 31)

/* No dimension of a real model is larger; so products stay far from overflow. */
enum { MAX_SIZE = 1 << 24, MAX_HEADS = 65536 };

/* The value of "<family>.<key>", or the fallback when the file does not have it.
 *
 *   required   the file must have it
 *
 * Fails when a required key is missing, or one is of another type or outside min to max.  A
 * number may be written as an integer; of a layer, a list has one for each. */
size_t key_size(Binder *binder, const char *key, bool required, size_t default_value,
                size_t min, size_t max);
size_t key_of_layer(Binder *binder, const char *key, size_t layer, bool required,
                    size_t default_value, size_t min, size_t max);
double key_number(Binder *binder, const char *key, bool required, double default_value,
                  double min, double max);
bool key_bool(Binder *binder, const char *key, bool required, bool default_value);
Text key_text(Binder *binder, const char *key, const char *default_value);

/* "17", "0.5", "true", "\"yarn\"", "an array of 4 u32" or, without a pair, "missing", in `out`;
 * returns out. */
const char *value_text(const GgufPair *pair, char *out, size_t size);

/* The fault "key '<family>.<key>' is <its value>, wanted <...>: <why>".  Returns false. */
bool refuse_key(Binder *binder, const char *key, const char *wanted, const char *why);

/* A key of which only one value is supported. */
typedef struct FixedKey {
    const char *key;
    bool flag; /* written as true or false */
    double wanted;
    const char *why;
} FixedKey;

/* Fails when one of these, which was not read before, has another value. */
bool check_fixed(Binder *binder, const FixedKey *keys, size_t count);

/* ------------------------------------------------------------------ sizes */

/* The keys of a model as sizes, eps and scales. */
bool read_sizes(Binder *binder);
void read_eps(Binder *binder);

/* The cap of scores or logits, 0: none; the family's own where the file has no key. */
float read_softcap(Binder *binder, const char *key, float of_family);

/* Those of one layer, of which dim and extras are there. */
bool read_layer(Binder *binder, size_t layer, LayerSizes *sizes);

/* ... of its attention, if it has one: numbers of heads; lengths, by keys that end with `kind`,
 * from which the widths of its maps follow; do they fit? */
bool read_heads(Binder *binder, size_t layer, bool attends, LayerSizes *sizes);
bool read_lengths(Binder *binder, const char *kind, bool required, LayerSizes *sizes);
bool check_heads(Binder *binder, const LayerSizes *sizes);

/* The window of a layer in a file whose layers may have them; 0: none, it sees everything.
 *
 *   after   of every window_pattern layers the first one sees everything, else the last */
size_t window_in(Binder *binder, size_t layer, bool windows, bool after);

/* Has it positions? */
bool has_rope(const Recipe *recipe, size_t layer);

/* The first layer that has attention, or the last one. */
const LayerSizes *attention_sizes(const Model *model);

/* ------------------------------------------------------------------ ropes */

void read_ropes(Binder *binder);

/* Positions the model saw before its context was stretched. */
size_t trained_ctx(Binder *binder);

/* How many numbers turn in layers without a window, or with one: the first such layer says. */
size_t rotary_of(const Model *model, bool windowed);

RopeScaling read_scaling(Binder *binder);

/* How c->scaling stretches: its factor, and YaRN's numbers.
 *
 *   sized   what is turned may change its size (attn_factor) */
void read_scale_factor(Binder *binder, RopeConfig *c, bool sized);

/* A divisor for each pair that turns anywhere; layers that turn fewer use the first. */
const float *read_divisors(Binder *binder, bool required);

/* The second rope from what c was for the first. */
void read_window_rope(Binder *binder, RopeConfig *c);

/* ------------------------------------------------------------------ tensors */

/* "blk.3.attn_q.weight" in out, as the family calls its blocks; returns out. */
const char *block_name(const Binder *binder, char *out, size_t size, size_t layer,
                       const char *name, const char *suffix);

/* A matrix or a stack of them, of exactly this shape.  `from` names the keys the shape comes
 * from.  Optional tensors that are missing give data NULL. */
Tensor bind_tensor(Binder *binder, const char *name, bool required, int ndim,
                   const size_t *shape, const char *from);

/* The same as f32 numbers: a vector, or a few of them. */
const float *bind_numbers(Binder *binder, const char *name, bool required, int ndim,
                          const size_t *shape, const char *from);
const float *bind_vector(Binder *binder, const char *name, bool required, size_t size,
                         const char *from);

/* NAME.weight and NAME.bias of a norm of `width` numbers, or of each of `heads` such rows. */
Norm bind_norm(Binder *binder, const char *name, bool required, size_t heads, size_t width,
               const char *from);

/* All tensors and settings of a block; one role; several roles that may stand in one tensor: is
 * it there? */
void bind_block(Binder *binder, Block *block, size_t layer);
void bind_role(Binder *binder, Block *block, RoleId id, size_t layer, Need need);
bool bind_fused(Binder *binder, Block *block, const char *name, const RoleId *ids, int count,
                size_t layer);

/* The role's need of a layer of this model. */
Need need_of(const Model *model, RoleId id, size_t layer);
size_t size_one(const LayerSizes *sizes);

/* Embedding and learned positions; the norm before the head; the head; all of them. */
void bind_tables(Binder *binder, bool required);
void bind_out_norm(Binder *binder, const char *name);
void bind_head(Binder *binder, size_t rows, const char *from);
void bind_ends(Binder *binder);

/* ------------------------------------------------------------------ the end */

/* Fails when the file is not a model, or one part of many. */
bool check_container(Binder *binder);

/* Fails when the file says what is not computed: with a key that would have to have another
 * value, or a key or tensor that was never looked up. */
bool refuse_unknown(Binder *binder);

#endif
