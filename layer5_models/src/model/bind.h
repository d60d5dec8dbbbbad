/* bind.h - what a file says, looked up while a model is bound; private to src/model.
 *
 *     keys.c        keys of the family by name, each with its type and range
 *     sizes.c       the keys as sizes of the model and of each layer, scales and windows
 *     sizes_mixers.c  ... of latents and of recurrent mixers
 *     sizes_beside.c  ... of what a layer has beside them
 *     ropes.c       rotary positions, from the keys
 *     bind.c        tensors by name, each with its shape and format
 *     bind_block.c  the tensors of a block by their roles
 *     bind_text.c   what makes vectors and scores of a text
 *     bind_eye.c  what a picture goes through
 *     bind_guesses.c  what a draft head in a file of its own reads
 *     left_over.c   keys and tensors that were never looked up
 *
 * Invariant: a key or tensor is marked when it has been looked up, here and nowhere else; what is
 * not marked once all is bound plays no part in what is computed, and refuse_left_over says so. */
#ifndef STRATA_BIND_H
#define STRATA_BIND_H

#include "model.h"

typedef struct Binder {
    Model *model;
    Fault *fault;
    bool sees;          /* the file is to read pictures */
    ClassPlace place;   /* ... of which the first row, or the last, is none of a patch */
    bool ok;            /* once false, nothing more is looked up */
    bool *used_keys;    /* (gguf.n_pairs) */
    bool *used_tensors; /* (gguf.n_tensors) */
} Binder;

/* What keys of the family begin with. */
const char *key_prefix(const Binder *binder);

/* "<prefix>.<key>", marked; NULL: not there, or something was refused before. */
const GgufPair *find_key(Binder *binder, const char *key);

/* Layers and draft heads: what has a number in each list. */
size_t all_blocks(const Binder *binder);

#define KEY_MAX_CTX ((size_t)1 << 31)

/* No dimension of a real model is larger; so products stay far from overflow. */
enum { MAX_SIZE = 1 << 24, MAX_HEADS = 65536 };

/* The value of "<prefix>.<key>", or the fallback when the file does not have it.
 *
 *   required   the file must have it
 *
 * Fails when a required key is missing, or one is of another type or outside min to max.  A number
 * may be written as an integer; of a layer, a list has one for each. */
size_t key_size(Binder *binder, const char *key, bool required, size_t default_value,
                size_t min, size_t max);
size_t key_of_layer(Binder *binder, const char *key, size_t layer, bool required,
                    size_t default_value, size_t min, size_t max);
double number_of_layer(Binder *binder, const char *key, size_t layer, double default_value,
                       double min, double max);
double key_number(Binder *binder, const char *key, bool required, double default_value,
                  double min, double max);
/* A number of a layer from a list that is named without the family, which the file must have. */
double xielu_number(Binder *binder, const char *key, size_t layer);
bool key_bool(Binder *binder, const char *key, bool required, bool default_value);
Text key_text(Binder *binder, const char *key, const char *default_value);

/* "17", "0.5", "true", "\"yarn\"", "an array of 4 u32" or, without a pair, "missing", in `out`;
 * returns out. */
const char *value_text(const GgufPair *pair, char *out, size_t size);

/* The fault "key '<prefix>.<key>' is <its value>, wanted <...>: <why>".  Returns false. */
bool refuse_key(Binder *binder, const char *key, const char *wanted, const char *why);

/* The keys of a model as sizes, eps and scales; those of one layer; those of its ropes. */
bool read_sizes(Binder *binder);
LayerSizes layer_sizes(Binder *binder, size_t layer);
bool read_latents(Binder *binder, size_t layer, LayerSizes *sizes);
bool read_recurrent(Binder *binder, size_t layer, LayerSizes *sizes);
bool read_shared_kv(Binder *binder, size_t layer, LayerSizes *sizes);
bool read_beside(Binder *binder, LayerSizes *sizes);
bool read_source(Binder *binder, size_t layer, LayerSizes *sizes);
void read_ropes(Binder *binder);

/* How few gates of a layer pass (FeedForward.cut). */
float read_cut(Binder *binder, size_t layer);

/* "blk.3.attn_q.weight" in out, as the family calls its blocks; returns out. */
const char *block_name(const Binder *binder, char *out, size_t size, size_t layer,
                       const char *name, const char *suffix);

/* Has a block this matrix? */
bool has_matrix(const Binder *binder, size_t layer, const char *name);

/* The first layer that has attention, or the last one. */
const LayerSizes *attention_sizes(const Model *model);

/* The cap of a family's scores or logits, 0: none; the family's own where the file has no key. */
float read_softcap(Binder *binder, const char *key, float of_family);

/* Positions the model saw before its context was stretched. */
size_t trained_ctx(Binder *binder);

/* The window of a layer; 0: none, it sees everything. */
size_t window_of(Binder *binder, size_t layer);

/* A matrix or a stack of them, of exactly this shape.  `from` names the keys the shape comes
 * from.  Optional tensors that are missing give data NULL. */
Tensor bind_tensor(Binder *binder, const char *name, bool required, int ndim,
                   const size_t *shape, const char *from);

/* The same as f32 numbers: a vector, or a few of them. */
const float *bind_numbers(Binder *binder, const char *name, bool required, int ndim,
                          const size_t *shape, const char *from);
const float *bind_vector(Binder *binder, const char *name, bool required, size_t size,
                         const char *from);

/* All tensors and settings of a block. */
void bind_block(Binder *binder, Block *block, size_t layer);

/* NAME.weight and NAME.bias of a norm over `width` numbers, or over each of `heads` times as many. */
Norm bind_norm(Binder *binder, const char *name, bool required, size_t heads, size_t width,
               const char *from);

/* The rows of two texts, token_types; the maps of a text's vector, and the head that scores it. */
void bind_types(Binder *binder);
void bind_text_head(Binder *binder);

/* A map NAME.weight (rows, cols), perhaps with NAME.bias. */
Linear bind_map(Binder *binder, const char *name, bool required, size_t rows, size_t cols,
                const char *from);

/* The keys and tensors of what a picture goes through; read_eye also says how many blocks and positions there are. */
bool read_eye(Binder *binder);
void bind_eye(Binder *binder);

/* What a draft head in a file of its own reads of its model, and which tokens it guesses; the map where its block begins. */
void bind_guesses(Binder *binder);
void bind_depths(Binder *binder, Join *join);

/* Fails when the file is not a model, or one part of many. */
bool check_container(Binder *binder);

/* Fails when the file says what is not computed: with a key that would have to have another
 * value, or a key or tensor that was never looked up. */
bool refuse_left_over(Binder *binder);

#endif
