/* answers.h - answers as JSON, whole or in chunks of a stream.
 *
 * Invariant: a token's note is reported after its text was flushed, so a token that a stop
 * string removed is never reported.  The job's lock is held. */
#ifndef STRATA_ANSWERS_H
#define STRATA_ANSWERS_H

#include "text_job.h"
#include "calls/tools.h"

/* Part of an answer. */
typedef struct Piece {
    Text text;
    const ToolPart *call; /* a tool call instead of text; NULL: text */
    size_t call_index;
    size_t note, note_end; /* notes of the part's tokens */
    bool begins, ends;
    bool called; /* a tool was called before */
} Piece;

/* How many notes may be reported. */
size_t notes_ready(const Answer *answer);

/* A chunk of a stream; the last one, with the usage. */
void chunk_write(FILE *out, const TextJob *text, const Answer *answer, const Piece *piece);
void chunk_write_usage(FILE *out, const TextJob *text);

/* All answers as one object. */
void answers_write(FILE *out, const TextJob *text);

/* Why an answer failed: contradictory fields, or the server stopped. */
void answer_refuse(const TextJob *text, const Answer *answer, HttpError *error);

#endif
