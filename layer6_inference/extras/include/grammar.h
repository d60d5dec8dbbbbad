/* grammar.h - constrained text.
 *
 *     a notation --> expressions and rules --> Earley sets ("rows"), one per state of a text
 *     (GBNF, regex,      (extras/grammar/           (extras/grammar/row.h)
 *      JSON Schema)       expr.h)
 *
 * Every notation becomes a grammar over bytes.  A text is read byte by byte, and its state is a
 * number, the row.  Equal states have equal numbers, so states are rewound, copied and compared
 * as numbers.
 *
 * Rows are made on demand.  A grammar is for one thread at a time.
 *
 * Invariant: from every row but GRAMMAR_DEAD at least one text of the grammar can be
 * completed [what_cannot_be_completed_is_not_begun]. */
#ifndef STRATA_GRAMMAR_H
#define STRATA_GRAMMAR_H

#include "models.h"

typedef struct Grammar Grammar;

enum { GRAMMAR_DEAD = 0 };

/* White space in a schema's JSON. */
typedef enum JsonSpace {
    JSON_SPACE_FREE, /* anywhere JSON allows it */
    JSON_SPACE_ONE,  /* one space after a comma or colon, or none */
    JSON_SPACE_NONE, /* none */
} JsonSpace;

typedef struct GrammarOptions {
    JsonSpace space;
    bool any_order;             /* properties in any order, not only as declared */
    bool left_recursion;        /* GBNF: allowed, though llama.cpp refuses such a file */
    const Tokenizer *tokenizer; /* GBNF: for tokens named by their text; may be NULL */
} GrammarOptions;

/* Read a grammar in GBNF, llama.cpp's notation; the start rule is `root`.
 *
 * Fails, naming line and column, on a syntax error, a missing rule, left recursion (unless
 * the options allow it), a grammar without texts, and one beyond the limits. */
bool grammar_from_gbnf(Grammar **grammar, Text source, const GrammarOptions *options,
                       Fault *fault);

/* Read a regular expression that matches whole texts.
 *
 * Fails, naming the place, on a syntax error and on what is not regular or not supported
 * (look-behind, look-ahead or \b in something repeated, backreferences, flags). */
bool grammar_from_regex(Grammar **grammar, Text source, Fault *fault);

/* Read a JSON Schema (draft 2020-12; older drafts' spellings are understood).
 *
 * A schema without valid values is a grammar without texts: its first row is GRAMMAR_DEAD.
 *
 * Fails, naming keyword and place, on what cannot be handled exactly. */
bool grammar_from_schema(Grammar **grammar, Text source, const GrammarOptions *options,
                         Fault *fault);

/* Read a description of tags, as JSON: free text until a trigger, then a tag with its
 * content, then free text again (tool calls); or tags alone, one after the other.
 *
 *     {"triggers": ["<call"], "structures": [{"begin": "<call>", "schema": {...}, "end":
 *     "</call>"}]}
 *     {"tags": [{"begin": "<name>", "regex": "[a-z]+", "end": "</name>"}, ...]}
 *
 * Instead of `schema` or `regex` a tag may have `gbnf`, `tags`, or nothing: any text up to
 * its end. "at_least_one": requires a tag.  "stop_after_first": nothing may follow it.
 *
 * Fails, naming the tag, on missing or unknown keys, a tag that starts with no trigger, and
 * errors in its content. */
bool grammar_from_tags(Grammar **grammar, Text source, const GrammarOptions *options,
                       Fault *fault);

/* A choice of texts, separated by |. */
bool grammar_from_choices(Grammar **grammar, Text source, Fault *fault);

void grammar_close(Grammar *grammar);

/* The row of the empty text. */
uint32_t grammar_begin(Grammar *grammar);

/* The row after a byte; GRAMMAR_DEAD: no text continues so. */
uint32_t grammar_next(Grammar *grammar, uint32_t row, uint8_t byte);

/* The row after some bytes. */
uint32_t grammar_read(Grammar *grammar, uint32_t row, const char *bytes, size_t size);

/* Is the text so far complete? */
bool grammar_is_complete(Grammar *grammar, uint32_t row);

/* Is it complete, and can nothing follow? */
bool grammar_is_over(Grammar *grammar, uint32_t row);

/* ------------------------------------------------------------------ tokens */

/* Give the grammar a vocabulary, so that it works on tokens, too.
 *
 * Fails without memory. */
bool grammar_bind(Grammar *grammar, const Tokenizer *tokenizer, Fault *fault);

/* The row after a token; GRAMMAR_DEAD: not allowed.  An end token is allowed where the text
 * is complete, and leads nowhere else.  Without a vocabulary a token is only an id. */
uint32_t grammar_take(Grammar *grammar, uint32_t row, int32_t token);

/* The same for a token whose first `skip` bytes repeat the end of the prompt. */
uint32_t grammar_take_rest(Grammar *grammar, uint32_t row, int32_t token, size_t skip);

/* All tokens that grammar_take allows: bit id % 64 of word id / 64.  Valid until the next call.
 * Takes at most some 50 ms: a grammar that needs more for one token is exhausted.
 *
 *   words   written: their number */
const uint64_t *grammar_mask(Grammar *grammar, uint32_t row, size_t *words);

/* The forced tokens: as long as only one byte is allowed, as few tokens as possible.  The
 * last one is left out if the text after it may extend it.  Returns how many, at most
 * `room`. */
size_t grammar_forced(Grammar *grammar, uint32_t row, int32_t *tokens, size_t room);

/* Was a limit exceeded (too many rows or states)?  Answers since then are "dead". */
bool grammar_is_exhausted(const Grammar *grammar);

/* Memory ran out in one of its functions, which fault_try.h ended: it is exhausted. */
void grammar_spoil(Grammar *grammar);

/* Which limit that was, as the end of a message: ": this text ..."; "" if none was exceeded. */
const char *grammar_exceeded(const Grammar *grammar);

/* Is it close to a limit?  Then a new text had better compile it again. */
bool grammar_is_worn(const Grammar *grammar);

/* Ask `is_gone` every few milliseconds while this thread compiles or uses grammars; when it is
 * true, they are refused or exhausted.  NULL: never (the default). */
void grammar_watch(bool (*is_gone)(void *context), void *context);

/* ------------------------------------------------------------------ for display */

typedef struct GrammarSize {
    size_t rules, expressions, rows; /* so far */
    size_t steps;                    /* derivatives taken for them */
} GrammarSize;

GrammarSize grammar_size(const Grammar *grammar);

/* Approximate bytes from a row to the nearest complete text; 0: it is complete.
 * Needs a row that is not dead. */
uint32_t grammar_missing(Grammar *grammar, uint32_t row);

/* The named rules that can begin at a row.
 *
 *   names   (room) written, each once; owned by the grammar
 *
 * Returns how many. */
size_t grammar_begins(Grammar *grammar, uint32_t row, const char **names, size_t room);

#endif
