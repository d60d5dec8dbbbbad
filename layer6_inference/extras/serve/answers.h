/* answers.h - answers as JSON, whole or in chunks of a stream.
 *
 * Invariant: a token's note is reported after its text was flushed, so a token that a stop
 * string removed is never reported.  The job's lock is held. */
#ifndef STRATA_ANSWERS_H
#define STRATA_ANSWERS_H

#include "text_job.h"
#include "calls/tools.h"

/* Part of an answer.  A call is several: its beginning, each without a text or an end; pieces
 * of its arguments; its end. */
typedef struct Piece {
    Text text;
    bool thought; /* the text is part of the thought */
    const ToolPart
        *call; /* as far as it is written; the text belongs to its arguments; or NULL */
    bool call_begins, call_ends;
    size_t call_index;
    size_t note, note_end; /* notes of the part's tokens */
    bool begins, ends;
    bool called; /* a call was completed before */
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
