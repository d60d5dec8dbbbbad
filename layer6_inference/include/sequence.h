/* sequence.h - one text on its way: its tokens, how the next one is chosen, and when it is over.
 *
 *     a row of logits --> chain --> a token --> its text goes out --> over?
 *                          ^                                           | no
 *                          '---------- an engine (engine.h) reads it --'
 *
 * Invariant: what a sequence takes depends on its own logits, tokens, chain and seed, on nothing
 * else. */
#ifndef STRATA_SEQUENCE_H
#define STRATA_SEQUENCE_H

#include "chain.h"
#include "ending.h"
#include "heal.h"
#include "look_ahead.h"
#include "speculate.h"
#include "stream.h"
#include "take_back.h"

/* One step, as it was decided. */
typedef struct Choice {
    int32_t token;
    size_t step;       /* of the answer: 0, 1, ... */
    const float *raw;  /* (vocab) logits before the chain; NULL unless want_raw */
    Candidates *after; /* what the chain left */
} Choice;

/* Called for each generated token, before its text goes out; false stops.  Sequences of an engine take
 * their tokens at the same time: it may be called from any thread, but for one sequence never twice
 * at once. */
typedef bool OnChoice(void *context, const Choice *choice);

/* Called while the prompt is read, after each batch: `read` of `total` tokens; false stops. */
typedef bool OnRead(void *context, size_t read, size_t total);

/* Called instead of the chain, from any thread, with the logits of the last token, which it may write
 * to.  The text waits then, until somebody appends to its tokens.  False: the text has failed. */
typedef bool OnLogits(void *context, float *logits, Candidates *scratch, Fault *fault);

/* Called when the last n tokens were taken back (take_back.h). */
typedef void OnTakenBack(void *context, size_t n);

/* How a text is to be continued.  All that it points to is borrowed and belongs to one sequence, but
 * for the sessions, which sequences share. */
typedef struct GenerateOptions {
    Chain *chain; /* its memory begins anew; NULL with on_logits */
    uint64_t seed;
    uint64_t salt; /* it shares what was read with texts of the same salt alone */
    Limits limits;
    /* a full context is no end: old tokens are cut out of it (shift.h), but for the first `keep` ones and what fills
     * their last page.  Not with drafts, take_back or a stage that looks ahead */
    bool shift;
    size_t keep;
    Stream *stream; /* gets the text; NULL: not wanted */
    /* special tokens whose names are part of the text all the same: marks that whoever reads it looks for; or NULL */
    const TokenList *shown;
    OnRead *on_read;     /* or NULL */
    OnChoice *on_choice; /* or NULL */
    OnLogits *on_logits; /* who chooses, when it is not the chain; or NULL */
    bool want_raw;
    TakeBack *take_back;        /* texts that must not come; not with drafts or heal; or NULL */
    OnTakenBack *on_taken_back; /* or NULL */
    void *context;

    Session *amateur; /* a weaker model with the same vocabulary, for contrast; or NULL */
    /* what a second sequence of the session reads instead of the prompt, for cfg; or NULL */
    const TokenList *negative;
    Speculation *speculation; /* speculative decoding; or NULL */
    const Heal *heal;         /* what the text must begin with: from heal_prompt; or NULL */
} GenerateOptions;

typedef struct GenerateResult {
    StopReason reason;
    size_t prompt_tokens, tokens;
    double prefill_seconds, first_token_seconds;
    double decode_seconds; /* from the first token to the last */
} GenerateResult;

/* What a text reads in one session. */
typedef struct Reader {
    Session *session;         /* borrows; NULL: nothing */
    size_t part, id;          /* of the engine; its sequence in the session */
    const TokenList *instead; /* of the prompt; or NULL */
    size_t row, rows;         /* of the session's logits, in this step */
    size_t gone;              /* tokens that were cut out of the middle of its memory */
} Reader;

enum { READS_TEXT, READS_NEGATIVE, READS_AMATEUR, READS_DRAFT, READERS };

typedef struct Draft Draft; /* a draft that waits to be checked: speculate.c */

typedef struct Sequence {
    TokenList *tokens; /* borrows: the prompt, then what is generated */
    GenerateOptions options;
    GenerateResult result; /* so far */
    Step step;
    Reader reader[READERS];
    size_t ctx;          /* how long it may become; without end where it shifts */
    size_t cached, told; /* tokens of the prompt: there at first; told to on_read */
    size_t spelled;      /* bytes of what the healed prompt is owed */
    double start, first;
    LookAhead look;
    Draft *draft;           /* owns; NULL: none are made */
    float *raw;             /* (vocab) when somebody wants it; owns */
    Candidates *candidates; /* borrows: working memory, for as long as it takes a token */
    Choice choice;          /* the last one */
    size_t rank;            /* who gives pages first: the largest; joined after so many */
    size_t quota;           /* tokens it may read in a step; 0: as many as there is room for */
    size_t answered;        /* tokens for which on_logits was called */
    bool live, ready, failed; /* ready: it chooses a token in this step */
    bool in_batch, preempted; /* preempted: it has to read its text again */
    bool held;                /* it reads nothing now, and chooses nothing */
    bool dead_end;            /* it failed because its chain left no token */
    Fault fault;              /* of one that failed */
} Sequence;

/* What a token adds to the text of an answer. */
Text answer_piece(const GenerateOptions *options, const Tokenizer *tokenizer, int32_t token);

/* Choose the next token from the logits of the last one, which are written to, and append it.  Where there is an on_logits, it
 * is called instead, and nothing is appended.
 *
 *   logits   (vocab)   copied to `raw` first, where that is wanted
 *   choice   what was decided; unchanged when the text ends before the token
 *
 * Also notes in `answered` how many tokens the logits follow.
 * The sequence is not live any more when the text is over; its result says why.  Fails when the
 * logits are no numbers or a stage leaves no token. */
bool sequence_take(Sequence *sequence, float *logits, Choice *choice, Fault *fault);

/* Over, for this reason: what the stream held back goes out. */
void sequence_end(Sequence *sequence, StopReason reason);

#endif
