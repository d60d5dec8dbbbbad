/* playground.h - what playground.c, explorer.c, lab.c and moving/ share: the model, returned
 * texts. */
#ifndef STRATA_PLAYGROUND_H
#define STRATA_PLAYGROUND_H

#ifdef __wasm__
#include "activation_cache.h"
#include "families.h"
#include "inference.h"
#include "interventions.h"
#include "tokenizers.h"
#include "train.h"
#include "world_check.h"
#define EXPORT(name) __attribute__((export_name(#name))) name
#else
#include <strata.h> /* natively: docs/examples/moving_frames.c */
#define EXPORT(name) name
#endif

#include <stdio.h>

/* The model that play_open opened. */
const Model *play_model(void);

/* A returned text, written as a memory file; valid until the next one begins. */
FILE *text_begin(void);
const char *text_end(FILE *out);
const char *text_fault(const Fault *fault);

/* A text as a cell of CSV, on one line: control characters as \x0a. */
void text_cell(FILE *out, Text text);

/* What the pages call; playground.c and explorer.c say what each does. */
const char *play_open(const char *bytes, size_t size);
const char *play_begin(const char *prompt);
const char *play_chain(const char *text, unsigned seed);
const char *play_look(unsigned rows);
unsigned play_left(unsigned place);
int32_t play_chosen(void);
const char *activation_begin(unsigned side, const char *prompt, unsigned seed);
const float *activation_row(unsigned side, unsigned layer, unsigned head, unsigned position);
const char *activation_tokens(unsigned side);
const char *activation_words(unsigned side, unsigned place, unsigned position);

#endif
