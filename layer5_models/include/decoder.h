/* decoder.h - the one forward pass.
 *
 * Prefill, decode, many users at once, verifying a draft: all are batches of tokens, each with
 * its sequence and its position.
 *
 * Invariant: the logits of a token depend on its own sequence alone: not on the rest of the
 * batch, the number of threads, or how the text before it was split into batches.  To the bit.
 * (Of a diffusion model the text behind it is part of its sequence, and none is split.) */
#ifndef STRATA_DECODER_H
#define STRATA_DECODER_H

#include "model.h"

/* Tokens of a prompt in one batch: each matrix is loaded from memory once for all of them. */
enum { PREFILL_BATCH = 512 };

/* The memory of a run, all of it taken before the first token. */
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
    bool hidden_only; /* no logits are computed: the head is left out */
    /* cancellation check, polled before each layer; NULL: never cancelled */
    bool (*is_wanted)(void *context);
    void *context;
    bool stopped; /* the last batch was not, and is as if it had never come */
    /* (max_tokens) of session_eval: the batch that it makes of some tokens */
    int32_t *sequence, *position;
    bool *wanted;
    /* a batch goes another way than that of a plain decoder (families.h); NULL: it does not */
    const struct FamilyHooks *hooks;
    struct SessionExtras *extras; /* what hangs on it (families.h) */
    Arena arena;                  /* owns all of the above */
} Session;

typedef struct SessionConfig {
    bool vectors;     /* hidden rows are all that is wanted: no room for logits is taken */
    size_t ctx;       /* positions per sequence; 0: as the model was trained */
    size_t sequences; /* at most, at the same time */
    size_t max_tokens, max_logits;
    KvFormat kv;     /* of keys and values; {0}: F32 */
    size_t pages;    /* of the KV cache, all sequences together; 0: as many as they can fill */
    size_t prefixes; /* pages of prompts that are kept for later ones; 0: none (prefix.h) */
    /* tokens that recurrent layers can take back at once (state.h); 0: one */
    size_t rewind;
    /* for a diffusion model: a token sees those behind it, too, so each batch is a whole text,
     * and what its sequences held before is forgotten; an encoder reads so by itself */
    bool bidirectional;
} SessionConfig;

/* Can the model's keys and values be kept in this format?  Fails when its keys are longer than
 * KV_BYTE_KEY numbers and are to be Q8_0. */
bool session_takes_kv(const Model *model, KvFormat kv, Fault *fault);

/* Allocate the memory.
 *
 * Fails when the machine does not have it; when logits are wanted of a model that has none;
 * when the model does not take the format of keys and values; and when a diffusion model is to
 * write from left to right or another one to fill a canvas. */
bool session_open(Session *session, const Model *model, Pool *pool, SessionConfig config,
                  Fault *fault);
void session_close(Session *session);

/* Known tokens: the vocabulary, and rows that the session was lent (families.h). */
size_t session_tokens(const Session *session);

/* The positions a sequence has room for, and how many it holds. */
size_t session_ctx(const Session *session);
size_t session_length(const Session *session, size_t sequence);

/* Forget the positions of a sequence from `length` on.
 *
 * Returns the length it is left with: `length`, or less when more had to be dropped (kv.h). */
size_t session_rewind(Session *session, size_t sequence, size_t length);

/* Forget all sequences. */
void session_reset(Session *session);

/* Bytes a session would take: cache and working memory. */
void session_plan(const Model *model, SessionConfig config, size_t *cache, size_t *work);

/* Run a batch: session->hidden and session->logits then have a row for each wanted token.
 *
 * Needs    batch->count <= max_tokens; the positions of each sequence continue its memory.
 * Fails    when a token is outside the vocabulary, more logits are wanted than the session has room
 *          for, or the context is full; and when nobody wanted it any more (is_wanted): `stopped` is
 *          true then, and its sequences are as long as before. */
bool model_forward(Session *session, const Batch *batch, Fault *fault);

/* The common case of one sequence: append tokens to sequence 0, and compute the logits of the
 * last one, or of all.  Long texts are split into batches of PREFILL_BATCH, or of what the
 * session has room for; session->logits then holds those of the last batch. */
bool session_eval(Session *session, const int32_t *tokens, size_t count, bool all_logits,
                  Fault *fault);

#endif
