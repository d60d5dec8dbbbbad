/* shared.h - one compiled grammar for all users of the same text.
 *
 * A grammar is compiled once per vocabulary; the next chain with the same text gets the same
 * one, with all its rows and masks.  The vocabulary keeps the most recently used ones.
 *
 * Invariant: a grammar lives while it is used or the vocabulary keeps it, and one thread at
 * a time uses it, under its lock. */
#ifndef STRATA_SHARED_H
#define STRATA_SHARED_H

#include "grammar.h"
#include "lexicon.h"

enum {
    SHARED_KEPT = 32,
    SHARED_ROWS = 1 << 18 /* with more, it is compiled again for the next user */
};

struct SharedGrammar {
    Grammar *grammar; /* owns */
    const Tokenizer *tokenizer;
    pthread_mutex_t lock;
    int users;
    char *key; /* owns: notation, options and text */
    size_t key_size;
    SharedGrammar *next; /* in the vocabulary's list */
};

/* The grammar that is kept under a key, with one more user; NULL: there is none. */
SharedGrammar *shared_find(Lexicon *lexicon, Text key);

/* Keep a grammar, which belongs to it from then on, for one user and under a key, which is
 * copied.
 *
 * NULL when memory runs out; the grammar is closed then. */
SharedGrammar *shared_keep(Lexicon *lexicon, Grammar *grammar, Text key);

void shared_use(SharedGrammar *shared);     /* one user more */
void shared_release(SharedGrammar *shared); /* one less; the last one closes it */

#endif
