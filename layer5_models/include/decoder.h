/* decoder.h - the one forward pass.
 *
 * Prefill, decode, many users at once, verifying a draft: all are batches of tokens, each with
 * its sequence and its position.
 *
 * Invariant: the logits of a token depend, to the bit, on its own sequence alone: not on the
 * rest of the batch, the number of threads, or how the text before it was split into batches.
 * (In a diffusion model the text after it counts too, and no text is split.)
 * [threads_and_chunks_change_no_bit, neighbours_change_no_bit] */
#ifndef STRATA_DECODER_H
#define STRATA_DECODER_H

#include "model.h"

/* Tokens of a prompt in one batch: each weight matrix is read from memory once for all of
 * them. */
enum { PREFILL_BATCH = 512 };

/* A run's memory, allocated before the first token. */
typedef struct Session {
    const Model *model; /* borrows */
    Pool *pool;         /* borrows */
    KvCache kv;
    BlockRun run;
    size_t max_tokens, max_logits; /* of one batch */
    float *x;                      /* (max_tokens, stream) the residual stream */
    /* (max_logits, dim) of the wanted tokens: the residual stream after the last norm */
    float *hidden;
    float *logits;    /* (max_logits, vocab) of the last batch, in its order */
    bool hidden_only; /* compute hidden rows only, not the head */
    bool all_rows;    /* x is read after a batch, for tokens that are not wanted, too */
    /* cancellation check, polled before each layer; NULL: never cancelled */
    bool (*is_wanted)(void *context);
    void *context;
    bool stopped; /* the last batch was cancelled, and rolled back */
    /* (max_tokens) the batch that session_eval builds */
    int32_t *sequence, *position;
    bool *wanted;
    /* replaces the forward pass of a plain decoder (families.h); NULL: a plain one */
    const struct FamilyHooks *hooks;
    /* a token's place in its group, read in one batch, and how many are left; NULL: none */
    size_t (*group_of)(const struct Session *session, int32_t token, size_t *left);
    struct SessionExtras *extras; /* for other families (families.h) */
    Arena arena;                  /* owns all of the above */
} Session;

typedef struct SessionConfig {
    bool vectors;     /* only hidden rows are wanted: no room for logits */
    size_t ctx;       /* positions per sequence; 0: as the model was trained */
    size_t sequences; /* max at the same time */
    size_t max_tokens, max_logits;
    KvFormat kv;     /* of keys and values; {0}: F32 */
    size_t pages;    /* of the KV cache, all sequences together; 0: enough for full contexts */
    size_t prefixes; /* prefix cache: pages of prompts kept for later; 0: none (prefix.h) */
    /* tokens that recurrent layers can roll back at once (state.h); 0: one */
    size_t rewind;
    /* for a diffusion model: a token also sees those after it, so each batch is a whole text
     * that replaces the sequence's previous one; encoders always do this */
    bool bidirectional;
} SessionConfig;

/* Can the model store keys and values in this format?  Fails for Q8_0 keys of more than
 * KV_BYTE_KEY numbers. */
bool session_takes_kv(const Model *model, KvFormat kv, Fault *fault);

/* Allocate the memory.
 *
 * Fails when there is not enough; when logits are wanted of a model that has none; when the KV
 * format does not suit the model; and when `bidirectional` is set for a causal model or not set
 * for a diffusion model. */
bool session_open(Session *session, const Model *model, Pool *pool, SessionConfig config,
                  Fault *fault);
void session_close(Session *session);

/* Number of valid token ids: the vocabulary, and the rows lent to the session (families.h). */
size_t session_tokens(const Session *session);

/* Positions that a sequence may hold, and that this one holds. */
size_t session_ctx(const Session *session);
size_t session_length(const Session *session, size_t sequence);

/* Drop the positions of a sequence from `length` on.
 *
 * Returns the remaining length: `length`, or less if more had to be dropped (kv.h). */
size_t session_rewind(Session *session, size_t sequence, size_t length);

/* Drop all sequences. */
void session_reset(Session *session);

/* Changes the KV shapes of a session that opens; `shapes` NULL: it closes.  NULL: nothing to
 * change (extras: machines.h). */
typedef void SessionShapes(const Session *session, KvShape *shapes, size_t layers);
extern SessionShapes *session_shapes;

/* Bytes a session would need: KV cache and working memory. */
void session_plan(const Model *model, SessionConfig config, size_t *cache, size_t *work);

/* Run a batch: session->hidden and session->logits then have a row for each wanted token.
 *
 * Needs    batch->count <= max_tokens; positions that continue their sequences.
 * Fails    when a token is outside the vocabulary, more logits are wanted than max_logits, the
 *          context is full, or is_wanted cancelled it: then `stopped` is true and the sequences
 *          are as long as before. */
bool session_forward(Session *session, const Batch *batch, Fault *fault);

/* For a single sequence: append tokens to sequence 0, and compute the logits of the last one,
 * or of all.  Long texts are split into batches; session->logits then holds the last
 * batch's. */
bool session_eval(Session *session, const int32_t *tokens, size_t count, bool all_logits,
                  Fault *fault);

#endif
