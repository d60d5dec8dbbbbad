/* decoder.h - the one forward pass.
 *
 * Prefill, decode, many users at once, verifying a draft: all are batches of tokens, each with its
 * sequence and its position.
 *
 * Invariant: the logits of a token depend on its own sequence alone: not on the rest of the
 * batch, the number of threads, or how the text before it was split into batches.  To the bit.
 * (Of a diffusion model the text behind it is part of its sequence, and none is split.)
 *
 * With an encoder a sequence is a source, the model's start token, and what is written: the tokens before the
 * first start token are read both ways, in one batch, and give no logits. */
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
    float *x;                      /* (max_tokens, dim) the residual stream */
    /* (max_logits, dim) the residual stream after the last norm, of the tokens that are wanted */
    float *hidden;
    float *logits;    /* (max_logits, vocab) of the last batch, in its order */
    bool canvas;      /* each batch is a whole text, read both ways */
    bool hidden_only; /* no logits are computed: the head is left out */
    float *key;       /* (the widest key) while keys are moved */
    /* asked before each layer whether anybody still wants the batch; NULL: it is wanted */
    bool (*is_wanted)(void *context);
    void *context;
    bool stopped;         /* the last batch was not, and is as if it had never come */
    float *pooled, *wide; /* a text's row on its way through the text head (text_head.h) */
    void *wide_scratch;
    size_t second; /* the position where the second of two texts begins; 0: there is one */
    /* (max_tokens) of session_eval: the batch that it makes of some tokens */
    int32_t *sequence, *position;
    bool *wanted;
    struct { /* (max_tokens) with an encoder: a batch's sources, then what is written */
        int32_t *token, *sequence, *position;
        bool *wanted;
    } part;
    const float *rows; /* (n_rows, dim) what the tokens behind the vocabulary are; borrows */
    size_t n_rows;
    struct { /* rows of the last batch that went into some layers: session_tap */
        const size_t *layers;
        size_t count; /* 0: none are kept */
        float *rows;
    } tap;
    float *few;  /* (rows of the head) of a draft head that guesses some tokens alone */
    Arena arena; /* owns all of the above but the rows */
} Session;

typedef struct SessionConfig {
    bool vectors;     /* hidden rows are all that is wanted: no room for logits is taken */
    size_t ctx;       /* positions per sequence; 0: as the model was trained */
    size_t sequences; /* at most, at the same time */
    size_t max_tokens, max_logits;
    KvFormat kv;     /* of keys and values; {0}: F32 */
    size_t pages;    /* of the KV cache, all sequences together; 0: as many as they can fill */
    size_t prefixes; /* pages of prompts that are kept for later ones; 0: none (prefix.h) */
    /* tokens that recurrent layers take back at once, to one that was wanted (state.h); 0: one */
    size_t rewind;
    /* for a diffusion model: a token sees those behind it, too, so each batch is a whole text, and
     * what its sequences held before is forgotten; an encoder reads so by itself */
    bool canvas;
} SessionConfig;

/* Can the model's keys and values be kept in this format?  Fails when its keys are longer than KV_BYTE_KEY
 * numbers and are to be Q8_0. */
bool session_takes_kv(const Model *model, KvFormat kv, Fault *fault);

/* Allocate the memory.
 *
 * Fails when the machine does not have it; when logits are wanted of a model that has none; when the model does not
 * take the format of keys and values; and when a diffusion model is to write from left to right or another one to
 * fill a canvas. */
bool session_open(Session *session, const Model *model, Pool *pool, SessionConfig config,
                  Fault *fault);
void session_close(Session *session);

/* From now on tokens vocab .. vocab + count - 1 stand for rows, which go into the first block as they are: a picture
 * is a run of tokens (vision.h), and all that holds of a text's tokens holds of them.
 *
 *   rows   (count, dim)   borrowed; of a token that was read already they stay the same
 *
 * Fails for a model whose layers look tokens up by themselves, and for one with an encoder or that fills a canvas. */
bool session_lend(Session *session, const float *rows, size_t count, Fault *fault);

/* From now on each batch leaves behind what went into some layers.
 *
 *   layers   (count) borrowed; count 0: no more
 *   rows     (max_tokens, count, dim) borrowed */
void session_tap(Session *session, const size_t *layers, size_t count, float *rows);

/* How many tokens there are: the vocabulary, and the rows behind it. */
size_t session_tokens(const Session *session);

/* The positions a sequence has room for, and how many it holds. */
size_t session_ctx(const Session *session);
size_t session_length(const Session *session, size_t sequence);

/* Forget the positions of a sequence from `length` on.
 *
 * Returns the length it is left with: `length`, or less when more had to be dropped (kv.h). */
size_t session_rewind(Session *session, size_t sequence, size_t length);

/* What queries and keys of a layer are rotated by: in a session longer than the trained context some families have
 * other angles. */
const Rope *session_rope(const Session *session, size_t layer);

/* Cut positions keep .. keep + gone - 1 out of a sequence; those behind move up.  It goes on nearly as if
 * it had never read them: shift.h says what nearly means.
 *
 * Needs    keep and gone multiples of KV_PAGE, keep + gone at most its length; session_can_shift.
 * False when there are too few pages for copies of those that it shares; nothing changes then. */
bool session_shift(Session *session, size_t sequence, size_t keep, size_t gone);

/* Fails, with the reason, when places are in more than the rotation of keys: learned positions, recurrent
 * layers, keys that are stretched after they were rotated, keys of an indexer. */
bool session_can_shift(const Session *session, Fault *fault);

/* Forget all sequences. */
void session_reset(Session *session);

/* Bytes a session would take: cache and working memory. */
void session_plan(const Model *model, SessionConfig config, size_t *cache, size_t *work);

/* What the model would say if x (dim) were the stream after its last layer: session->hidden and
 * session->logits then have its row. */
void session_lens(Session *session, const float *x);

/* Run a batch: session->hidden and session->logits then have a row for each wanted token.
 *
 * Needs    batch->count <= max_tokens; the positions of each sequence continue its memory.
 * Fails    when a token is outside the vocabulary and none of the rows behind it, a source is not
 *          whole, logits of one are wanted, more logits are wanted than the session has room for, or the
 *          context is full; and when nobody wanted it any more (is_wanted): `stopped` is true then, and
 *          its sequences are as long as before. */
bool model_forward(Session *session, const Batch *batch, Fault *fault);

/* The common case of one sequence: append tokens to sequence 0, and compute the logits of the last
 * one (or of all, but for those of a source).  Long texts are split into batches of PREFILL_BATCH, or
 * of what the session has room for; session->logits then holds those of the last batch.  A text that
 * is read both ways and does not fit into one batch is refused. */
bool session_eval(Session *session, const int32_t *tokens, size_t count, bool all_logits,
                  Fault *fault);

#endif
