/* shared.h - one grammar for all who ask for the same text.
 *
 * A grammar is compiled once for a vocabulary; whoever asks for the same text again, in another chain or long after the
 * first one was done, gets the same one, with all rows and masks that were found.  The vocabulary keeps the last
 * ones that were used.
 *
 * Invariant: a grammar lives as long as somebody uses it or the vocabulary keeps it, and is used by one thread at a
 * time: under its lock. */
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

/* Keep a grammar, which belongs to it from then on, for one user and under a key, which is copied.
 *
 * NULL when memory runs out; the grammar is closed then. */
SharedGrammar *shared_keep(Lexicon *lexicon, Grammar *grammar, Text key);

void shared_use(SharedGrammar *shared);     /* one user more */
void shared_release(SharedGrammar *shared); /* one less; the last one closes it */

#endif
