/* shared.h - compiled grammars, cached by text.
 *
 * A grammar is compiled once per vocabulary; the next chain with the same text shares it,
 * including its rows and masks.  The vocabulary keeps the most recently used ones.
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
};

/* Look up a cached grammar and add a reference; NULL: not found. */
SharedGrammar *shared_find(Lexicon *lexicon, Text key);

/* Cache a grammar (takes ownership) under a copy of the key, with one reference for the caller.
 *
 * NULL when memory runs out; the grammar is closed then. */
SharedGrammar *shared_keep(Lexicon *lexicon, Grammar *grammar, Text key);

void shared_use(SharedGrammar *shared);     /* add a reference */
void shared_release(SharedGrammar *shared); /* drop a reference; the last one closes it */

/* Is there a text that both allow?  True also if a search through 2,000 pairs of rows finds
 * none (agree.c). */
bool shared_agree(SharedGrammar *a, SharedGrammar *b);

#endif
