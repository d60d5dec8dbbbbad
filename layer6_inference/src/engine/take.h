/* take.h - what the files of the engine share. */
#ifndef STRATA_TAKE_H
#define STRATA_TAKE_H

#include "engine.h"

/* Begin a text: check the options, take its memory.  It must be closed also when that fails. */
bool sequence_open(Sequence *sequence, const Session *session, Fault *fault);
void sequence_close(Sequence *sequence);

/* Choose a token from a row of logits that follows all tokens so far; the row is written to. */
bool sequence_choose(Sequence *sequence, Chain *chain, float *logits, int32_t *token,
                     Fault *fault);

/* Append a token, or end the text. */
void sequence_append(Sequence *sequence, int32_t token, Choice *choice);

void sequence_fail(Sequence *sequence);

/* What a text has read so far is kept for later ones. */
void sequence_keep_prefixes(const Sequence *sequence);

/* ------------------------------------------------------------------ what is to be read */

bool part_open(EnginePart *part, Session *session, Fault *fault);
size_t reader_total(const Sequence *sequence, const Reader *reader);
int32_t reader_token(const Sequence *sequence, const Reader *reader, size_t i);

/* How many tokens a model can take still in this step. */
size_t part_room(const EnginePart *part);
void part_push(EnginePart *part, size_t id, int32_t token, size_t position, bool wanted);
bool part_forward(EnginePart *part, Fault *fault);
float *part_row(const EnginePart *part, size_t row);

/* ------------------------------------------------------------------ drafts (speculate.c) */

/* A guess on its way through a step. */
struct Guess {
    bool made;         /* and waits to be checked */
    size_t count;      /* tokens in it */
    size_t text_count; /* of the text, while the draft goes on with it */
    int32_t text[SPECULATE_MOST];
    size_t vocab;
    float *q;        /* (SPECULATE_MOST, vocab) what they were drawn from; owns */
    float *p, *rest; /* (vocab) own */
    Chain chain;     /* of the draft */
    size_t accepted;
};

bool guess_open(Sequence *sequence, const Session *session, Fault *fault);
void guess_close(Guess *guess);

/* A guess for every text that is ready for one, in batches of the draft's model. */
bool engine_guess(Engine *engine, Fault *fault);

/* Take what the model accepts.
 *
 *   rows   (1 + count, vocab) logits of the last token and of each one that was guessed */
bool guess_take(Sequence *sequence, float *rows, Fault *fault);

/* Model and draft forget what was refused. */
void guess_settle(Sequence *sequence);

#endif
