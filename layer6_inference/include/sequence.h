/* sequence.h - one text: its tokens, how the next one is chosen, and when it is over.
 *
 *     a row of logits --> chain --> a token --> its text goes out --> over?
 *                          ^                                           | no
 *                          '---------- an engine (engine.h) reads it --'
 *
 * Invariant: a sequence's tokens depend only on its own logits, tokens, chain and seed
 * [neighbours_change_nothing]. */
#ifndef STRATA_SEQUENCE_H
#define STRATA_SEQUENCE_H

#include "chain.h"
#include "extra.h"
#include "stream.h"

/* The last token chosen. */
typedef struct Choice {
    int32_t token;
    size_t step;       /* of the answer: 0, 1, ... */
    const float *raw;  /* (vocab) logits before the chain; NULL unless want_raw */
    Candidates *after; /* what the chain left */
} Choice;

/* Called for each generated token, before its text goes out; false stops.  It may be called
 * from any thread, for different sequences at the same time. */
typedef bool OnChoice(void *context, const Choice *choice);

/* Called after each batch of the prompt: `read` of `total` tokens are done; false stops. */
typedef bool OnRead(void *context, size_t read, size_t total);

/* How to continue a text.  Everything it points to is borrowed and used by one sequence, except
 * the sessions, which sequences share. */
typedef struct GenerateOptions {
    Chain *chain; /* its state is reset; NULL where an extra chooses the tokens */
    uint64_t seed;
    uint64_t salt; /* cached prefixes are shared between texts of the same salt only */
    Limits limits;
    Stream *stream; /* gets the text; NULL: none */
    /* special tokens whose names are part of the output text (marks of a parser); or NULL */
    const TokenList *shown;
    OnRead *on_read;     /* or NULL */
    OnChoice *on_choice; /* or NULL */
    bool want_raw;
    void *context;
    /* optional features (extra.h), up to the first without a kind */
    Extra extras[EXTRAS + 1];
} GenerateOptions;

typedef struct GenerateResult {
    StopReason reason;
    size_t prompt_tokens, tokens;
    double prefill_seconds, first_token_seconds;
    double decode_seconds; /* from the first token to the last */
} GenerateResult;

/* A text's sequence in one session. */
struct Slot {
    Session *session;         /* borrows */
    size_t runner, id;        /* runner: in the engine; id: the session's sequence */
    const TokenList *instead; /* a text in place of the prompt; or NULL */
    size_t at_once;           /* so many first tokens are read in one batch or not at all */
    size_t left;              /* of the group that its next token is in (Session.group_of) */
    size_t row, rows;         /* of the session's logits, in this step */
    /* texts longer than the context (StreamingLLM): the first sink_tokens stay, drop_step
     * tokens after them are dropped at a time (0: none), `dropped` so far */
    size_t sink_tokens, drop_step, dropped;
};

enum { TEXT_SLOT /* the slot of the engine's own model */, SEQUENCE_SLOTS = 4 };

struct Sequence {
    TokenList *tokens; /* borrows: the prompt, then what is generated */
    GenerateOptions options;
    GenerateResult result; /* so far */
    Step step;
    Slot slot[SEQUENCE_SLOTS];
    size_t n_slots;          /* 0: it is paused */
    size_t ctx;              /* maximum length; SIZE_MAX: unlimited */
    size_t cached, reported; /* tokens of the prompt: cached at first; reported to on_read */
    double start, first;
    Extra *taker;           /* the extra that chooses its tokens; NULL: the chain does */
    ExtraPlan plan;         /* what its extras ask for */
    float *raw;             /* (vocab) with want_raw; owns */
    Candidates *candidates; /* borrows: working memory while it chooses */
    Choice choice;          /* the last one */
    /* preemption order: the highest rank loses its pages first.  Defaults to join order; a
     * scheduler may set it */
    size_t rank;
    /* max tokens to read in a step, set by the scheduler before each; 0: no limit */
    size_t quota;
    bool live, ready, failed; /* ready: chooses a token in this step */
    bool in_batch, preempted; /* preempted: it will be read again */
    bool paused;
    bool dead_end; /* failed: its chain left no token */
    Fault fault;   /* if failed */
};

/* Add an extra; for the functions of extras. */
void generate_with(GenerateOptions *options, Extra extra);

/* What a token adds to the output text. */
Text answer_piece(const GenerateOptions *options, const Tokenizer *tokenizer, int32_t token);

/* Choose the next token from the last one's logits, which are modified, and append it.
 *
 *   logits   (vocab)   copied to `raw` first if wanted
 *
 * When the text is over the sequence is not live and its result says why.
 *
 * Fails when logits are NaN or a stage leaves no token. */
bool sequence_take(Sequence *sequence, float *logits, Fault *fault);

/* End the text for this reason; pending text of the stream is flushed. */
void sequence_end(Sequence *sequence, StopReason reason);

#endif
