/* generate.h - the loop: feed, choose, append, until something says stop.
 *
 * Invariant: the same model, prompt, chain and seed give the same tokens. */
#ifndef STRATA_GENERATE_H
#define STRATA_GENERATE_H

#include "chain.h"
#include "ending.h"
#include "heal.h"
#include "speculate.h"
#include "stream.h"

/* One step, as it was decided. */
typedef struct Choice {
    int32_t token;
    size_t step;       /* of the answer: 0, 1, ... */
    const float *raw;  /* (vocab) logits before the chain; NULL unless want_raw */
    Candidates *after; /* what the chain left */
} Choice;

/* Called for each generated token, before it is fed back; false stops. */
typedef bool OnChoice(void *context, const Choice *choice);

/* Called while the prompt is read, after each batch: `read` of `total` tokens; false stops. */
typedef bool OnRead(void *context, size_t read, size_t total);

typedef struct GenerateOptions {
    Chain *chain; /* its memory begins anew */
    uint64_t seed;
    Limits limits;
    Stream *stream;      /* gets the text; NULL: nobody wants it */
    OnRead *on_read;     /* or NULL */
    OnChoice *on_choice; /* or NULL */
    bool want_raw;
    void *context;

    Session *amateur;       /* a weaker model with the same vocabulary, for contrast; or NULL */
    Session *unconditional; /* a second session of the same model, for cfg; or NULL */
    const TokenList *negative; /* what that one reads instead of the prompt */
    Speculation *speculation;  /* guess ahead; or NULL */
    const Heal *heal;          /* what the text must begin with: from heal_prompt; or NULL */
    /* tokens of the prompt that the session has read already; a chain that looks ahead reads
     * them again */
    size_t cached;
} GenerateOptions;

typedef struct GenerateResult {
    StopReason reason;
    size_t prompt_tokens, tokens;
    double prefill_seconds, first_token_seconds,
        decode_seconds; /* decode: from the first token to the last */
} GenerateResult;

/* Read the prompt into sequence 0 of the session (which is emptied first) and continue it.
 *
 *   candidates   working memory for the model's vocabulary
 *   tokens       the prompt on the way in; generated tokens are appended
 *
 * Fails before it reads anything when the prompt is empty or longer than the context or the
 * options do not go together, later when the logits are no numbers or a stage leaves no token. */
bool generate(Session *session, Candidates *candidates, TokenList *tokens,
              const GenerateOptions *options, GenerateResult *result, Fault *fault);

/* The prompt fits the context and is not empty. */
bool generate_check_prompt(const Session *session, const TokenList *tokens, Fault *fault);

#endif
