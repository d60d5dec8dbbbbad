/* generate.h - the loop: feed, choose, append, until something says stop.
 *
 * Invariant: the same model, prompt, chain and seed give the same tokens. */
#ifndef STRATA_GENERATE_H
#define STRATA_GENERATE_H

#include "chain.h"
#include "speculate.h"
#include "stream.h"

typedef enum StopReason {
    STOP_END,     /* the model chose a token that ends a text */
    STOP_LIMIT,   /* as many tokens as were asked for */
    STOP_STRING,  /* a stop string */
    STOP_ID,      /* a stop token */
    STOP_CONTEXT, /* no room for another token */
    STOP_TIME,    /* as many seconds as were allowed */
    STOP_REPEAT,  /* the text turns in a circle */
    STOP_CALLER,  /* the callback said so */
} StopReason;

const char *stop_reason_name(StopReason reason);

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
    size_t most_tokens; /* to generate; SIZE_MAX: until the model ends or the context is full */
    double most_seconds; /* 0: as long as it takes */
    size_t
        repeats; /* stop when a piece of up to 64 tokens came so many times in a row; 0: never */
    const int32_t *stop_ids;
    size_t n_stop_ids;
    bool
        only_bos_ends; /* go on through ends of turns: only the token that also begins documents ends one */
    Stream *stream;      /* gets the text; NULL: nobody wants it */
    OnRead *on_read;     /* or NULL */
    OnChoice *on_choice; /* or NULL */
    bool want_raw;
    void *context;

    Session *amateur;       /* a weaker model with the same vocabulary, for contrast; or NULL */
    Session *unconditional; /* a second session of the same model, for cfg; or NULL */
    const TokenList *negative; /* what that one reads instead of the prompt */
    Speculation *speculation;  /* guess ahead; or NULL */
    bool
        heal; /* the prompt's last token may become longer: drop it, and let the text begin with its letters */
    size_t cached; /* tokens of the prompt that the session has read already */
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
 * Fails when the prompt is empty or longer than the context, the logits are no numbers, or a
 * stage leaves no token. */
bool generate(Session *session, Candidates *candidates, TokenList *tokens,
              const GenerateOptions *options, GenerateResult *result, Fault *fault);

/* The prompt fits the context and is not empty. */
bool generate_check_prompt(const Session *session, const TokenList *tokens, Fault *fault);

/* Does the text end with a piece of 1 to 64 tokens that came `times` times in a row? */
bool tokens_circle(const int32_t *tokens, size_t n, size_t times);

#endif
