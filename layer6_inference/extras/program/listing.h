/* listing.h - tokens and probabilities as lines of text, and back. */
#ifndef STRATA_LISTING_H
#define STRATA_LISTING_H

#include "inference.h"

#include <stdio.h>

/* "1,2,3" to tokens below `vocab`. */
bool list_read_ids(const char *text, size_t vocab, TokenList *ids, Fault *fault);

/* A text as a cell of CSV: in quotes, with quotes doubled. */
void list_cell(FILE *out, Text text);

/* A text as a JSON string. */
void list_json(FILE *out, Text text);

/* A text in a chain: letters, digits and path characters as they are, others as %HH. */
void list_encoded(FILE *out, Text text);

/* A line for a choice:  step, token, text, ln p before and after the chain; then the n
 * likeliest before the chain, id:ln p. */
void list_log_probs(FILE *out, const Tokenizer *tokenizer, const Choice *choice, size_t n);

#endif
