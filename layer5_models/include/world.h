/* world.h - Tiny World: a language whose every choice we know.
 *
 * The world is a grammar with memory (the .world files in world/): rules with alternatives, and
 * variables that hold a word from their first mention to the end of the document.  The same
 * grammar is run in two directions:
 *
 *     world_write   makes random choices and writes a document, summing -log p of each choice
 *     world_check   reads a document and finds the choices that lead to it, or the place where
 *                   no choice fits and why (extras: world_check.h)
 *
 * Invariant: a document depends on (seed, index) alone; -log p sums over the choices really
 * made, so a document with one derivation has exactly that probability. */
#ifndef STRATA_WORLD_H
#define STRATA_WORLD_H

#include "transformer.h"

typedef struct World World;

/* Read the grammar that is built in, or one given as text (tests).  The caller owns the world.
 *
 * Fails when the text has a mistake; the fault names the line. */
World *world_open(Fault *fault);
World *world_open_text(const char *text, Fault *fault);
void world_close(World *world);

/* A document being put together; bytes is NUL-terminated. */
typedef struct WorldText {
    char *bytes; /* owns; free with world_text_free */
    size_t size, capacity;
    double nats; /* -log p of the choices that made it */
} WorldText;

void world_text_free(WorldText *text);
void world_text_append(WorldText *text, Text piece); /* grows as needed */

/* Write document `index` of the corpus `seed`, from a rule ("document" is the whole language).
 *
 *   text   replaced; its memory is used again */
void world_write(const World *world, const char *rule, uint64_t seed, uint64_t index,
                 WorldText *text);

/* The first words of document `index`: what every model is asked to continue.  Lies in text. */
Text world_opening(const World *world, const char *rule, uint64_t seed, uint64_t index,
                   long words, WorldText *text);

#endif
