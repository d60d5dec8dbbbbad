/* answers.h - answers as JSON: whole ones, and the pieces of a stream.
 *
 * Invariant: a token's note is told when its text has gone out, so none is told of a text that a stop
 * string took back.  The job's lock is held. */
#ifndef STRATA_ANSWERS_H
#define STRATA_ANSWERS_H

#include "text_job.h"
#include "calls/tools.h"

/* A part of an answer. */
typedef struct Piece {
    Text text;
    const ToolPart *call; /* of a tool, instead of text; NULL: none */
    size_t call_index;
    size_t note, note_end; /* of its tokens */
    bool begins, ends;
    bool called; /* and a tool was called before */
} Piece;

/* Tokens that may be told. */
size_t notes_ready(const Answer *answer);

/* A chunk of a stream, and the last one, which tells the usage. */
void chunk_write(FILE *out, const TextJob *text, const Answer *answer, const Piece *piece);
void chunk_write_usage(FILE *out, const TextJob *text);

/* All answers, as one object. */
void answers_write(FILE *out, const TextJob *text);

/* Why an answer has failed: what the request asks for contradicts itself, or the server could not. */
void answer_refuse(const TextJob *text, const Answer *answer, HttpError *error);

#endif
