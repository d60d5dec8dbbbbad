/* world.h - Tiny World: a language in which every choice has a known probability.
 *
 * The world is a grammar with memory (the .world files in world/): rules with alternatives, and
 * variables that keep a word from their first mention to the end of the document.  The same
 * grammar runs in two directions:
 *
 *     world_write   makes random choices and writes a document, summing -log p of each choice
 *     world_check   reads a document and finds the choices that produce it, or the position
 *                   where no choice fits and why (extras: world_check.h)
 *
 * Invariant: a document depends on (seed, index) alone; -log p sums over the choices actually
 * made, so a document with one derivation has exactly that probability
 * [documents_are_valid_unambiguous_and_repeatable]. */
#ifndef STRATA_WORLD_H
#define STRATA_WORLD_H

#include "transformer.h"

typedef struct World World;

/* Read the built-in grammar, or one given as text (tests).  The caller owns the world.
 *
 * Fails when the text has a mistake; the fault names the line. */
World *world_open(Fault *fault);
World *world_open_text(const char *text, Fault *fault);
void world_close(World *world);

/* A document being written; bytes is NUL-terminated. */
typedef struct WorldText {
    char *bytes; /* owns; free with world_text_free */
    size_t size, capacity;
    double nats; /* -log p of the choices that made it */
} WorldText;

void world_text_free(WorldText *text);
void world_text_append(WorldText *text, Text piece); /* grows as needed */

/* Write document `index` of corpus `seed`, from a rule ("document" is the whole language).
 *
 *   text   replaced; its memory is reused */
void world_write(const World *world, const char *rule, uint64_t seed, uint64_t index,
                 WorldText *text);

/* Write the first words of document `index`, the prompt that every model continues. */
Text world_opening(const World *world, const char *rule, uint64_t seed, uint64_t index,
                   long words, WorldText *text);

#endif
