/* parts.h - binding and running families beyond plain decoders; private to the extras of layer
 * 5.
 *
 *     ../more_families.c   the table of families
 *     hooks.c              which file it is; the functions that replace the core's
 *     sizes.c              sizes of a model and a layer; sizes_mixers.c, sizes_side.c: other
 *                          parts
 *     ropes.c              ropes with lists of divisors, sections, alpha
 *     roles.c              more roles, by mixer: ROLE_LATENT_..., ROLE_SSM_..., ROLE_DELTA_...
 *     need.c               how families change the core's roles
 *     bind.c               weights outside the blocks
 *     bind_block.c         a block's settings; set_mixers binds each mixer
 *     check.c              keys that confirm what is done anyway
 *     session.c            forward passes; session_source.c: with an encoder
 *
 * ../draft_heads, ../encoders and ../vision bind what they run. */
#ifndef STRATA_FAMILIES_PARTS_H
#define STRATA_FAMILIES_PARTS_H

#include "families.h"
#include "model/bind.h"

/* Files of a plain family that are more: how to recognize them, and their quirks. */
typedef struct MoreFiles {
    const char *arch; /* NULL ends the list */
    bool (*has)(const Gguf *gguf);
    const Quirks *quirks;
    const char *models; /* known models, or NULL */
} MoreFiles;

extern const MoreFiles more_files[];
extern const Role more_roles[];

/* For the table of families (MoreFamilies). */
const char *advice_on_type(Text type);
bool find_more(Binder *binder);
bool check_biases(Binder *binder);
bool check_more_session(const Model *model, const SessionConfig *config, Fault *fault);
void layout_more_session(Session *session, const SessionConfig *config);

/* Extras of a model being bound. */
static inline ModelExtras *extras_of(const Binder *b) { return b->model->extras; }
static inline const Quirks *quirks_in(const Binder *b) { return b->model->extras->quirks; }

extern const FileKind vision_kinds[2]; /* by ClassPlace */
extern const FamilyHooks more_hooks;

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

/* A number of a layer from a list with one per layer; without the list, the default. */
double number_of_layer(Binder *binder, const char *key, size_t layer, double default_value,
                       double min, double max);
/* ... from a required list without the family's prefix. */
double xielu_number(Binder *binder, const char *key, size_t layer);

/* Does the block have this matrix?  Its tensor, or NULL. */
bool has_matrix(const Binder *binder, size_t layer, const char *name);
const GgufTensor *matrix_in(const Binder *binder, size_t layer, const char *name);

/* Sizes of a layer's other parts. */
bool read_latents(Binder *binder, size_t layer, LayerSizes *sizes);
bool read_experts(Binder *binder, size_t layer, LayerSizes *sizes);
bool read_recurrent(Binder *binder, size_t layer, LayerSizes *sizes);
bool read_shared_kv(Binder *binder, size_t layer, LayerSizes *sizes);
bool read_side_inputs(Binder *binder, LayerExtras *sizes);
bool read_source(Binder *binder, size_t layer, LayerExtras *sizes);

/* The window of a layer; 0: none. */
size_t window_of(Binder *binder, size_t layer);

/* Sparsity threshold of a layer's activation (FeedForward.cut). */
float read_sparsity(Binder *binder, size_t layer);

/* Widths: a state-space layer's convolution; a delta net's keys and values. */
RoleSize more_ssm_conv, more_delta_k, more_delta_v;

/* A map NAME.weight (rows, cols), perhaps with NAME.bias. */
Linear bind_map(Binder *binder, const char *name, bool required, size_t rows, size_t cols,
                const char *from);

/* ../encoders: rows for two texts; the heads for whole texts. */
void bind_types(Binder *binder);
void bind_text_head(Binder *binder);

/* ../vision: sizes; tensors outside the blocks, and in a block. */
bool read_vision(Binder *binder);
void bind_vision(Binder *binder);
void bind_vision_block(Binder *binder, Block *block, size_t layer);

/* ../draft_heads: a draft head in its own file; the map where its block begins. */
void bind_draft_head(Binder *binder);
void bind_depths(Binder *binder, Join *join);

/* Expand the logits of the tokens a head can predict to the whole vocabulary.  The other tokens
 * get logits so low that they are drafted only if a chain leaves nothing else.
 *
 *   session   of the head, after its batch: logits (wanted, its tokens), then (wanted,
 *             vocab) */
void draft_head_spread(Session *session, const Batch *batch);

/* An assistant: its sizes, its tensors outside the blocks, places for its ropes; room in a
 * session; a batch through its blocks, of which `wanted` rows are left.  False: cancelled. */
void read_assistant(Binder *binder);
void bind_assistant(Binder *binder);
void place_ropes(Binder *binder);
void layout_assistant(Session *session, SessionExtras *extras, size_t sequences);
bool run_assistant(Session *session, const Batch *batch, Batch *wanted);
bool assistant_fit(Model *assistant, const Model *model, Fault *fault);

/* The rows (width) for the next tokens after the wanted rows of its last batch. */
void assistant_rows(Session *session, float *rows);

/* Does every sequence that begins in a batch bring its whole source?  True without an
 * encoder. */
bool source_check(const Session *session, const Batch *batch, Fault *fault);

/* Record where sources end, and split the batch into source rows and the rest. */
void source_split(Session *session, const Batch *batch, Batch *source, Batch *text);

/* session_lent.c: each picture of the batch, whose rows see each other.  Fails if one is not
 * whole. */
bool see_groups(Session *session, const Batch *batch, Fault *fault);

/* session_places.c: the places of a batch's rows, before its layers run. */
void place_batch(Session *session, const Batch *batch);

/* Turn the encoder's rows (session->x) into keys and values of every decoder layer. */
void source_keep(Session *session, const Batch *source);

/* bind_delta.c: the sizes of a delta net, its convolutions in one tensor, and its maps, if one
 * matrix has them all (false: it has not). */
void set_delta(Binder *b, DeltaNet *m, const LayerSizes *s);
void bind_delta_conv(Binder *b, DeltaNet *m, const LayerSizes *s, size_t layer);
bool bind_delta_in(Binder *b, DeltaNet *m, const LayerSizes *s, size_t layer);

#endif
