/* playground.h - what playground.c, explorer.c and lab.c share: the model and returned texts. */
#ifndef STRATA_PLAYGROUND_H
#define STRATA_PLAYGROUND_H

#include "inference.h"

#include <stdio.h>

#define EXPORT(name) __attribute__((export_name(#name))) name

/* The model that play_open opened. */
const Model *play_model(void);

/* A returned text, written as a memory file; valid until the next one begins. */
FILE *text_begin(void);
const char *text_end(FILE *out);
const char *text_fault(const Fault *fault);

/* A text as a cell of CSV, on one line: control characters as \x0a. */
void text_cell(FILE *out, Text text);

#endif
