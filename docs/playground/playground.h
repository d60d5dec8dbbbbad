/* playground.h - what the parts of the storyteller in a page share: the model, and texts on their way out. */
#ifndef STRATA_PLAYGROUND_H
#define STRATA_PLAYGROUND_H

#include "inference.h"

#include <stdio.h>

#define EXPORT(name) __attribute__((export_name(#name))) name

/* The model that play_open opened. */
const Model *play_model(void);

/* A text that is handed out, written like a file; good until the next one begins. */
FILE *text_begin(void);
const char *text_end(FILE *out);
const char *text_fault(const Fault *fault);

#endif
