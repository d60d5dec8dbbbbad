/* grammar.h - text that must obey.
 *
 *     a notation --> expressions and rules --> rows, one for each place a text can have come to
 *     (GBNF, regex,      (extras/grammar/           (extras/grammar/row.h)
 *      JSON Schema)       expr.h)
 *
 * Whatever the notation, what comes out is a grammar over bytes.  A text is read byte by byte; where
 * it has come to is a number, the row.  The same place is the same number, so that rewinding, copying
 * and comparing places is nothing but keeping numbers.
 *
 * A grammar makes its rows as they are met.  It is for one thread at a time.
 *
 * Invariant: from every row but GRAMMAR_DEAD at least one text of the grammar can still be completed. */
#ifndef STRATA_GRAMMAR_H
#define STRATA_GRAMMAR_H

#include "models.h"

typedef struct Grammar Grammar;

enum { GRAMMAR_DEAD = 0 };

/* How JSON is laid out by a schema's grammar. */
typedef enum JsonSpace {
    JSON_SPACE_FREE, /* white space wherever JSON allows it */
    JSON_SPACE_ONE,  /* one blank after a comma or a colon, or none */
    JSON_SPACE_NONE, /* none */
} JsonSpace;

typedef struct GrammarOptions {
    JsonSpace space;
    bool any_order;             /* properties in any order, not only as they are declared */
    bool left_recursion;        /* GBNF: allowed, though llama.cpp cannot load such a file */
    const Tokenizer *tokenizer; /* GBNF: for tokens named by their text; may be NULL */
} GrammarOptions;

/* Read a grammar in llama.cpp's notation; the text begins at its rule `root`.
 *
 * Fails, naming line and column, on what is no GBNF; on a rule that is missing; on left recursion,
 * unless the options allow it; when no text at all belongs to it; when it is larger than the limits. */
bool grammar_from_gbnf(Grammar **grammar, Text source, const GrammarOptions *options,
                       Fault *fault);

/* Read a regular expression; whole texts belong to it or not.
 *
 * Fails, naming the place, on what is not well formed and on what is not regular or not supported
 * (look-around, backreferences, flags, word boundaries). */
bool grammar_from_regex(Grammar **grammar, Text source, Fault *fault);

/* Read a JSON Schema (draft 2020-12; what older drafts wrote otherwise is understood).
 *
 * A schema that nothing fulfils is a grammar without texts: its first row is GRAMMAR_DEAD.
 *
 * Fails, naming keyword and place, on what cannot be handled exactly. */
bool grammar_from_schema(Grammar **grammar, Text source, const GrammarOptions *options,
                         Fault *fault);

/* Read a description of tags, as JSON: free text until a trigger, then a tag with its content, then free text again
 * (tool calls); or tags alone, one after the other.
 *
 *     {"triggers": ["<call"], "structures": [{"begin": "<call>", "schema": {...}, "end": "</call>"}]}
 *     {"tags": [{"begin": "<name>", "regex": "[a-z]+", "end": "</name>"}, ...]}
 *
 * Instead of `schema` or `regex` a tag may hold `gbnf`, `tags`, or nothing: then any text up to its end.
 * "at_least_one": no text without a tag.  "stop_after_first": nothing after it.
 *
 * Fails, naming the tag, on what is missing or unknown, on a tag that starts with no trigger, and on what is wrong
 * with its content. */
bool grammar_from_tags(Grammar **grammar, Text source, const GrammarOptions *options,
                       Fault *fault);

/* A choice of texts, with | between. */
bool grammar_from_choices(Grammar **grammar, Text source, Fault *fault);

void grammar_close(Grammar *grammar);

/* The row of the empty text. */
uint32_t grammar_begin(Grammar *grammar);

/* The row after a byte; GRAMMAR_DEAD: no text goes on like this. */
uint32_t grammar_next(Grammar *grammar, uint32_t row, uint8_t byte);

/* The row after some bytes. */
uint32_t grammar_read(Grammar *grammar, uint32_t row, const char *bytes, size_t size);

/* Whether the text so far is complete. */
bool grammar_is_complete(Grammar *grammar, uint32_t row);

/* Whether it is complete and nothing may follow. */
bool grammar_is_over(Grammar *grammar, uint32_t row);

/* ------------------------------------------------------------------ tokens */

/* Give the grammar a vocabulary: from then on it answers for tokens, too.
 *
 * Fails when memory runs out. */
bool grammar_bind(Grammar *grammar, const Tokenizer *tokenizer, Fault *fault);

/* The row after a token; GRAMMAR_DEAD: the token is not allowed.  A token that ends texts is, where the
 * text is complete, and leads nowhere else.  Without a vocabulary a token is known by its number alone. */
uint32_t grammar_take(Grammar *grammar, uint32_t row, int32_t token);

/* The same for a token whose first `skip` bytes are no part of the text: letters of a prompt that it spells again. */
uint32_t grammar_take_rest(Grammar *grammar, uint32_t row, int32_t token, size_t skip);

/* All tokens for which grammar_take goes on: bit id % 64 of word id / 64.  Valid until the next call.
 *
 *   words   written: how many there are */
const uint64_t *grammar_mask(Grammar *grammar, uint32_t row, size_t *words);

/* The tokens of the only way on: as long as the grammar allows one byte alone, in the longest tokens there
 * are.  The last one is left out when what comes after may be part of it.  Returns how many, at most
 * `room`. */
size_t grammar_forced(Grammar *grammar, uint32_t row, int32_t *tokens, size_t room);

/* Whether a limit was met since it was made (too many rows or states): answers since then are "dead". */
bool grammar_is_exhausted(const Grammar *grammar);

/* ------------------------------------------------------------------ for people */

typedef struct GrammarSize {
    size_t rules, expressions, rows; /* made so far */
    size_t steps;                    /* derivatives that were taken for them */
} GrammarSize;

GrammarSize grammar_size(const Grammar *grammar);

/* About how many bytes a row is away from the nearest complete text; 0: it is complete.
 * Needs a row that is not dead. */
uint32_t grammar_missing(Grammar *grammar, uint32_t row);

/* The rules that have a name and can begin at a row.
 *
 *   names   (room) written, each once; they belong to the grammar
 *
 * Returns how many. */
size_t grammar_begins(Grammar *grammar, uint32_t row, const char **names, size_t room);

#endif
