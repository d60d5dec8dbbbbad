/* parts.h - how files of families that are more than plain decoders are bound and run; private
 * to the extras of layer 5.
 *
 *     ../more_families.c   the table of families
 *     hooks.c          which file it is; the functions that take the place of the core's
 *     sizes.c          sizes of a model and a layer;  sizes_mixers.c, sizes_side.c: of its other parts
 *     ropes.c          ropes with lists of divisors, sections, alpha
 *     roles.c          the roles behind those of the core;  need.c: what they change about the core's
 *     bind.c           weights outside the blocks;  bind_block.c: of a block, and its settings
 *     check.c          keys that say what is done anyway
 *     session.c        a batch on its way;  session_source.c: with an encoder
 *
 * ../draft_heads, ../encoders and ../vision bind what they run. */
#ifndef STRATA_FAMILIES_PARTS_H
#define STRATA_FAMILIES_PARTS_H

#include "families.h"
#include "model/bind.h"

/* Files of a plain family that are more: those that the function knows, and their quirks. */
typedef struct MoreFiles {
    const char *arch; /* NULL ends the list */
    bool (*has)(const Gguf *gguf);
    const Quirks *quirks;
    const char *models; /* models that are known by name, or NULL */
} MoreFiles;

extern const MoreFiles more_files[];
extern const Role more_roles[];

/* For the table: which hooks has the file?  What is a file of another kind good for?  May the
 * session be opened?  Its memory. */
const char *advice_on_type(Text type);
bool find_more(Binder *binder);
bool check_more_session(const Model *model, const SessionConfig *config, Fault *fault);
void layout_more_session(Session *session, const SessionConfig *config);

/* The extras of a model that has some, on its way. */
static inline ModelExtras *extras_of(const Binder *b) { return b->model->extras; }
static inline const Quirks *quirks_in(const Binder *b) { return b->model->extras->quirks; }

extern const FileKind vision_kinds[2]; /* by ClassPlace */
extern const FamilyHooks more_hooks;

/* The functions of more_hooks. */
bool read_more_sizes(Binder *binder);
bool read_more_layer(Binder *binder, size_t layer, LayerSizes *sizes);
void read_more_ropes(Binder *binder);
void bind_more_ends(Binder *binder);
void bind_more_block(Binder *binder, Block *block, size_t layer);
Need need_more(const Recipe *recipe, RoleId id, const LayerSizes *sizes);
const char *other_name(const Binder *binder, RoleId id, size_t layer);
bool check_more_keys(Binder *binder);
Linear *packed_more(const Model *model, size_t i);
size_t source_of(const Model *model, const int32_t *tokens, size_t count);
bool check_source(const Model *model, const int32_t *tokens, size_t count, size_t batch,
                  Fault *fault);
size_t tokens_of(const Session *session);
size_t more_shapes(const Model *model, KvConfig *config, KvShape *shapes);
bool forward_more(Session *session, const Batch *batch, Fault *fault);
bool eval_more(Session *session, const int32_t *tokens, size_t count, bool all_logits,
               Fault *fault);

/* A number of a layer from a list that has one for each; without the list, the fallback. */
double number_of_layer(Binder *binder, const char *key, size_t layer, double default_value,
                       double min, double max);
/* ... from a list that is named without the family, which the file must have. */
double xielu_number(Binder *binder, const char *key, size_t layer);

/* Has a block this matrix?  It has `rows` of them, or 0. */
bool has_matrix(const Binder *binder, size_t layer, const char *name);
const GgufTensor *matrix_in(const Binder *binder, size_t layer, const char *name);

/* Sizes of a layer's other parts, from their keys. */
bool read_latents(Binder *binder, size_t layer, LayerSizes *sizes);
bool read_experts(Binder *binder, size_t layer, LayerSizes *sizes);
bool read_recurrent(Binder *binder, size_t layer, LayerSizes *sizes);
bool read_shared_kv(Binder *binder, size_t layer, LayerSizes *sizes);
bool read_side_inputs(Binder *binder, LayerExtras *sizes);
bool read_source(Binder *binder, size_t layer, LayerExtras *sizes);

/* The window of a layer; 0: none. */
size_t window_of(Binder *binder, size_t layer);

/* How few gates of a layer pass (FeedForward.cut). */
float read_sparsity(Binder *binder, size_t layer);

/* Widths: a state-space layer's convolution; a delta net's keys and values. */
RoleSize more_ssm_conv, more_delta_k, more_delta_v;

/* A map NAME.weight (rows, cols), perhaps with NAME.bias. */
Linear bind_map(Binder *binder, const char *name, bool required, size_t rows, size_t cols,
                const char *from);

/* ../encoders: the rows of two texts; what a whole text becomes. */
void bind_types(Binder *binder);
void bind_text_head(Binder *binder);

/* ../vision: keys, and how many blocks and positions there are; tensors. */
bool read_vision(Binder *binder);
void bind_vision(Binder *binder);

/* ../draft_heads: what a draft head in a file of its own reads of its model, and which tokens
 * it guesses; the map where its block begins. */
void bind_draft_head(Binder *binder);
void bind_depths(Binder *binder, Join *join);

/* Logits of the tokens that a head can guess become logits of all.  The others come to lie so
 * far below that they are drafted only where a chain leaves no other.
 *
 *   session   of the head, behind its batch: logits (wanted, tokens that it can guess), then
 *             (wanted, vocab) */
void draft_head_spread(Session *session, const Batch *batch);

/* Does every sequence that begins in a batch bring all of its source?  Nothing is asked of a
 * model without an encoder. */
bool source_check(const Session *session, const Batch *batch, Fault *fault);

/* Note where sources end; the rows of sources, and those of what is written. */
void source_split(Session *session, const Batch *batch, Batch *source, Batch *text);

/* The encoder's rows (session->x) become keys and values of every layer that writes. */
void source_keep(Session *session, const Batch *source);

#endif
