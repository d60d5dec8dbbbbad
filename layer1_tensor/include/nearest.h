/* nearest.h - a name is mistyped: which one was probably meant? */
#ifndef STRATA_NEAREST_H
#define STRATA_NEAREST_H

#include "text.h"

/* Of the names (commas, spaces or bars between them), the one that is nearest to a word that is
 * none of them:
 *
 *     topk      top_k        the same without case, - and _
 *     temper    temperature  the beginning of one name, of at least three letters
 *     quantise  quantize     by changes: a letter more, less or another, or two exchanged; at
 *                            most one in three letters of the word
 *
 * Returns a view of the name, of size 0 when none is near. */
Text nearest_name(Text word, const char *names);

/* "; did you mean top_k?", or "" when no name is near: written to `out`, which is returned. */
const char *nearest_hint(char *out, size_t size, Text word, const char *names);

#endif
