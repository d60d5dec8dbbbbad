/* decoder.h - the one forward pass.
 *
 * Reading a prompt, writing a token, many users at once, checking a draft: all are batches of
 * tokens, each with its sequence and its position.
 *
 * Invariant: the logits of a token depend on its own sequence alone: not on the rest of the
 * batch, the number of threads, or the pieces the text before it came in.  To the bit. */
#ifndef STRATA_DECODER_H
#define STRATA_DECODER_H

#include "model.h"

/* Tokens of a text that are worth reading in one batch: each matrix comes from memory once for all
 * of them. */
enum { FEED = 512 };

/* The memory of a run, all of it taken before the first token. */
typedef struct Session {
    const Model *model; /* borrows */
    Pool *pool;         /* borrows */
    KvCache kv;
    BlockRun run;
    size_t most_tokens, most_logits; /* of one batch */
    float *x;                        /* (most_tokens, dim) the residual stream */
    float *
        hidden; /* (most_logits, dim) what the last block left, normed; rows that were wanted */
    float *logits;    /* (most_logits, vocab) of the last batch, in its order */
    bool hidden_only; /* nobody wants logits: the head is left out */
    Arena arena;      /* owns all of the above */
} Session;

typedef struct SessionConfig {
    size_t ctx;       /* positions of each sequence; 0: as the model was trained */
    size_t sequences; /* at the same time */
    size_t most_tokens, most_logits;
    Dtype kv; /* keys and values are kept as F32 (which is 0) or F16 */
    /* of keys and values, for all sequences together; 0: all they can fill (kv.h) */
    size_t pages;
    /* pages of read texts that later ones may begin with; 0: none (prefix.h) */
    size_t prefixes;
} SessionConfig;

/* Take the memory.
 *
 * Fails when the machine does not have it. */
bool session_open(Session *session, const Model *model, Pool *pool, SessionConfig config,
                  Fault *fault);
void session_close(Session *session);

/* Positions a sequence has room for, and how many it holds. */
size_t session_ctx(const Session *session);
size_t session_length(const Session *session, size_t sequence);

/* Forget the positions of a sequence from `length` on.
 *
 * Returns the length from which it goes on: `length`, or less when more had to be forgotten (kv.h). */
size_t session_rewind(Session *session, size_t sequence, size_t length);

/* Forget all sequences. */
void session_reset(Session *session);

/* Bytes a session would take: cache and working memory. */
void session_plan(const Model *model, SessionConfig config, size_t *cache, size_t *work);

/* Run a batch: session->hidden and session->logits then hold a row for each token that is wanted.
 *
 * Needs    batch->count <= most_tokens; the positions of each sequence continue its memory.
 * Fails    when a token is outside the vocabulary, more logits are wanted than there is room for, or the
 *          context is full. */
bool model_forward(Session *session, const Batch *batch, Fault *fault);

/* One sequence, the common case: tokens at the end of sequence 0, logits of the last one (or of
 * all).  Cuts long texts into batches of FEED, or of as many as the session takes; the logits of a
 * call are session->logits, of the last batch when there were several. */
bool session_feed(Session *session, const int32_t *tokens, size_t count, bool all_logits,
                  Fault *fault);

#endif
