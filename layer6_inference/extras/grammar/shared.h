/* shared.h - compiled grammars, cached by text.
 *
 * A grammar is compiled once per vocabulary; the next chain with the same text shares it,
 * including its rows and masks.  The vocabulary keeps the most recently used ones, as long as
 * memory is not short (memory_limit.h).
 *
 * Invariant: a grammar lives while it has users or the vocabulary keeps it; one thread at a
 * time uses it, under its lock. */
#ifndef STRATA_SHARED_H
#define STRATA_SHARED_H

#include "grammar.h"
#include "lexicon.h"

enum { SHARED_KEPT = 32 };

struct SharedGrammar {
    Grammar *grammar; /* owned */
    const Tokenizer *tokenizer;
    pthread_mutex_t lock;
    int users;
    char *key; /* owned: notation, options and text */
    size_t key_size;
    SharedGrammar *next; /* in the vocabulary's list */
    Lexicon *keeper;     /* whose list it is in; NULL: none */
};

/* Look up a cached grammar and add a reference; NULL: not found. */
SharedGrammar *shared_find(Lexicon *lexicon, Text key);

/* Cache a grammar (takes ownership) under a copy of the key, with one reference for the caller.
 *
 * NULL when memory runs out; the grammar is closed then. */
SharedGrammar *shared_keep(Lexicon *lexicon, Grammar *grammar, Text key);

/* Drop what no chain uses: all that are exhausted, and while memory is short the least recently
 * used ones. */
void shared_trim(Lexicon *lexicon);

void shared_use(SharedGrammar *shared);     /* add a reference */
void shared_release(SharedGrammar *shared); /* drop it, and what is no longer to be kept */
void shared_forget(SharedGrammar *shared);  /* drop the list's, after it was unlinked */

/* Run a function under its lock, unless the grammar is exhausted.  If memory runs out, the
 * grammar is exhausted from then on.  False: it was not run to its end. */
bool shared_run(SharedGrammar *shared, void (*run)(void *context), void *context);

/* Is there a text that both allow?  True also if a search through 2,000 pairs of rows finds
 * none (agree.c). */
bool shared_agree(SharedGrammar *a, SharedGrammar *b);

/* Bytes of its longest text.  SIZE_MAX if it has `enough` or more, if 2,000 pairs of a row and
 * a depth do not tell, or if a text may have tokens named by their ids. */
size_t shared_longest(SharedGrammar *shared, size_t enough);

#endif
