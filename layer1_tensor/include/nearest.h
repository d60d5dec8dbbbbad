/* nearest.h - "did you mean": the name nearest to a mistyped one. */
#ifndef STRATA_NEAREST_H
#define STRATA_NEAREST_H

#include "text.h"

/* The name nearest to an unknown word; names are separated by commas, spaces or bars.
 *
 *     topk      top_k        equal, ignoring case, - and _
 *     temper    temperature  a prefix of only one name, at least three letters
 *     quantise  quantize     by edit distance: at most one edit for three letters of the word
 *
 * Returns a view of the name; size 0 when none is near. */
Text nearest_name(Text word, const char *names);

/* out = "; did you mean top_k?", or "" when no name is near; returns out. */
const char *nearest_hint(char *out, size_t size, Text word, const char *names);

#endif
