/* speaker.h - a model with all it takes to speak: its session.
 *
 * Invariant: an open speaker stays where it is; the model may point into itself. */
#ifndef STRATA_SPEAKER_H
#define STRATA_SPEAKER_H

#include "compute.h"

typedef struct Speaker {
    const Model *model;
    Model own; /* when the speaker opened it */
    Session session;
} Speaker;

/* Open a model file. */
bool speaker_load(Speaker *speaker, const char *path, const Machine *machine, Fault *fault);

/* A session for the model: `ctx` positions (0: the model's, at most 4096) of each of `sequences`
 * sequences. */
bool speaker_begin(Speaker *speaker, const Machine *machine, size_t ctx, size_t sequences,
                   Fault *fault);

/* Both. */
bool speaker_open(Speaker *speaker, const char *path, const Machine *machine, size_t ctx,
                  size_t sequences, Fault *fault);

void speaker_close(Speaker *speaker);

/* Fails when a companion ("the draft", "the amateur") cannot read as far as the one it goes with:
 * the run would end in the middle. */
bool speaker_keeps_up(const Speaker *companion, const char *name, const Speaker *with,
                      Fault *fault);

/* Tokens of a text, after what a text begins with. */
bool speaker_read(const Speaker *speaker, Text text, bool special, TokenList *tokens,
                  Fault *fault);

#endif
