/* chain_read.h - what chain_parse.c, chain_list.c and chain_presets.c share. */
#ifndef STRATA_CHAIN_READ_H
#define STRATA_CHAIN_READ_H

#include "chain.h"

typedef struct ChainReader {
    Chain *chain;
    const Tokenizer *tokenizer;
    Fault *fault;
} ChainReader;

/* The text without the spaces around it. */
Text chain_trim(Text text);
Text chain_trim_end(Text text);

/* A finite decimal number, or -inf. */
bool chain_read_number(Text text, double *number);

/* How many bytes of a text an error message shows. */
static inline int chain_shown(Text text) { return (int)(text.size < 40 ? text.size : 40); }

/* The preset of this name; NULL: none. */
const ChainPreset *chain_preset_find(Text name);

/* Add an item to a stage's list: a token, a bias or a text.
 *
 * Fails if it is invalid. */
bool chain_add_to_list(ChainReader *reader, Stage *stage, Text text);

/* Add an item to the list's text, as the user wrote it. */
bool chain_add_list_text(const ChainReader *reader, Stage *stage, Text text);

#endif
