/* generate.h - the loop: feed, choose, append, until something says stop.
 *
 * Invariant: the same model, prompt, chain and seed give the same tokens. */
#ifndef STRATA_GENERATE_H
#define STRATA_GENERATE_H

#include "chain.h"
#include "stream.h"

typedef enum StopReason {
    STOP_END,     /* the model chose a token that ends a text */
    STOP_LIMIT,   /* as many tokens as were asked for */
    STOP_STRING,  /* a stop string */
    STOP_CONTEXT, /* no room for another token */
    STOP_CALLER,  /* the callback said so */
} StopReason;

const char *stop_reason_name(StopReason reason);

/* Called for each generated token, before it is fed back; false stops. */
typedef bool OnToken(void *context, int32_t token);

typedef struct GenerateOptions {
    const Chain *chain;
    uint64_t seed;
    size_t most_tokens; /* to generate; SIZE_MAX: until the model ends or the context is full */
    bool
        only_bos_ends; /* go on through ends of turns: only the token that also begins documents ends one */
    Stream *stream;    /* gets the text; NULL: nobody wants it */
    OnToken *on_token; /* or NULL */
    void *context;
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
 * Fails when the prompt is empty or longer than the context, or the logits are no numbers. */
bool generate(Session *session, Candidates *candidates, TokenList *tokens,
              const GenerateOptions *options, GenerateResult *result, Fault *fault);

#endif
