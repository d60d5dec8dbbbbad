/* sequence.h - one text on its way: its tokens, how the next one is chosen, and when it is
 * over.
 *
 *     a row of logits --> chain --> a token --> its text goes out --> over?
 *                          ^                                           | no
 *                          '---------- an engine (engine.h) reads it --'
 *
 * Invariant: what a sequence takes depends on its own logits, tokens, chain and seed, on
 * nothing else. */
#ifndef STRATA_SEQUENCE_H
#define STRATA_SEQUENCE_H

#include "chain.h"
#include "extra.h"
#include "stream.h"

/* One step, as it was decided. */
typedef struct Choice {
    int32_t token;
    size_t step;       /* of the answer: 0, 1, ... */
    const float *raw;  /* (vocab) logits before the chain; NULL unless want_raw */
    Candidates *after; /* what the chain left */
} Choice;

/* Called for each generated token, before its text goes out; false stops.  Sequences of an
 * engine take their tokens at the same time: it may be called from any thread, but for one
 * sequence never twice at once. */
typedef bool OnChoice(void *context, const Choice *choice);

/* Called while the prompt is read, after each batch: `read` of `total` tokens; false stops. */
typedef bool OnRead(void *context, size_t read, size_t total);

/* How a text is to be continued.  All that it points to is borrowed and belongs to one
 * sequence, but for the sessions, which sequences share. */
typedef struct GenerateOptions {
    Chain *chain; /* its memory begins anew; NULL where an extra takes the tokens */
    uint64_t seed;
    uint64_t salt; /* it shares what was read with texts of the same salt alone */
    Limits limits;
    Stream *stream; /* gets the text; NULL: not wanted */
    /* special tokens whose names are part of the text all the same: marks that whoever reads it
     * looks for; or NULL */
    const TokenList *shown;
    OnRead *on_read;     /* or NULL */
    OnChoice *on_choice; /* or NULL */
    bool want_raw;
    void *context;
    /* what it wants besides (extra.h), up to the first without a kind */
    Extra extras[EXTRAS + 1];
} GenerateOptions;

typedef struct GenerateResult {
    StopReason reason;
    size_t prompt_tokens, tokens;
    double prefill_seconds, first_token_seconds;
    double decode_seconds; /* from the first token to the last */
} GenerateResult;

/* What a text reads in one session. */
struct Slot {
    Session *session;         /* borrows */
    size_t runner, id;        /* of the engine; its sequence in the session */
    const TokenList *instead; /* of the prompt; or NULL */
    size_t at_once;           /* of its first tokens: read in one batch or not at all */
    size_t row, rows;         /* of the session's logits, in this step */
    /* An extra cuts `cut` tokens at a time out of the middle of its memory, behind the first
     * `kept` ones (0: none does); so many are gone so far */
    size_t kept, cut, gone;
};

enum { TEXT_SLOT /* the first slot, with the engine's own model */, SEQUENCE_SLOTS = 4 };

struct Sequence {
    TokenList *tokens; /* borrows: the prompt, then what is generated */
    GenerateOptions options;
    GenerateResult result; /* so far */
    Step step;
    Slot slot[SEQUENCE_SLOTS];
    size_t n_slots;          /* 0: it is paused */
    size_t ctx;              /* how long it may become; SIZE_MAX: without end */
    size_t cached, reported; /* tokens of the prompt: there at first; told to on_read */
    double start, first;
    Extra *taker;           /* that takes its tokens; NULL: its chain does */
    ExtraPlan plan;         /* what its extras ask for */
    float *raw;             /* (vocab) when somebody wants it; owns */
    Candidates *candidates; /* borrows: working memory, for as long as it takes a token */
    Choice choice;          /* the last one */
    /* preemption order: the highest rank loses its pages first.  Defaults to join order; a
     * scheduler may set it */
    size_t rank;
    /* tokens it may read in a step, set by the scheduler before each; 0: all there is room for */
    size_t quota;
    bool live, ready, failed; /* ready: it chooses a token in this step */
    bool in_batch, preempted; /* preempted: it has to read its text again */
    bool paused;              /* it reads nothing now, and chooses nothing */
    bool dead_end;            /* it failed because its chain left no token */
    Fault fault;              /* of one that failed */
};

/* Add an extra to what a text wants; how the functions of extras do it. */
void generate_with(GenerateOptions *options, Extra extra);

/* What a token adds to the text of an answer. */
Text answer_piece(const GenerateOptions *options, const Tokenizer *tokenizer, int32_t token);

/* Choose the next token from the logits of the last one, which are written to, and append it.
 *
 *   logits   (vocab)   copied to `raw` first, where that is wanted
 *   choice   what was decided; unchanged when the text ends before the token
 *
 * The sequence is not live any more when the text is over; its result says why.  Fails when the
 * logits are no numbers or a stage leaves no token. */
bool sequence_take(Sequence *sequence, float *logits, Choice *choice, Fault *fault);

/* Over, for this reason: what the stream held back goes out. */
void sequence_end(Sequence *sequence, StopReason reason);

#endif
