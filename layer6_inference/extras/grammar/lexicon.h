/* lexicon.h - what all grammars of one vocabulary share: the trie of its tokens, slices of
 * it, and loops.
 *
 * Nearly all of a long walk is spent inside a loop x{low,high}: the characters of a string.
 * How often a token begins x, and where it leaves, depends on x alone.  So a loop is walked
 * once for a vocabulary, whatever comes after it and however often it may go round:
 *
 *     x = any character but "         token    begun   rest
 *                                     a          1             stays inside
 *                                     abc        3             stays inside if 3 more fit
 *                                     ab",       2     ",      leaves; the rest is checked
 *                                       ",       1     ",      (a blank before)
 *
 * The rests are a small trie: one walk with what follows answers for all of them.
 *
 * This holds where the rounds of a loop can be told apart (no x begins another) and what
 * follows cannot be taken for another round, but for a \, by which JSON may spell anything:
 * rests that begin with one are kept though they may be rounds, too.  Elsewhere masks are
 * walked by the expression itself (token_mask.h).
 *
 * Invariant: a lexicon and its loops, once made, do not change but under its lock. */
#ifndef STRATA_LEXICON_H
#define STRATA_LEXICON_H

#include "slice.h"

#include <pthread.h>

enum {
    LOOPS = 64,      /* at most, of a lexicon */
    LOOP_KEY = 2048, /* bytes */
    LOOP_WIDE = 128, /* bytes a round may begin with, at least: for others there are slices */
    LOOP_OUTSIDE = UINT16_MAX, /* not inside */
};

typedef struct Loop {
    unsigned char *key; /* owns, like all below: x as expr_write has it */
    size_t key_size;
    bool counted;     /* its rounds can be told apart */
    ByteSet first;    /* what a round begins with */
    uint16_t *begun;  /* (vocab) rounds that a token begins when it stays inside, or
                         LOOP_OUTSIDE; while it is made */
    uint32_t most;    /* of these */
    uint64_t **level; /* (most + 1) tokens that stay inside and begin at most so many */
    Trie rest;        /* what leaves after a byte or more; counts: rounds before */
    struct Loop *next;
} Loop;

typedef struct SharedGrammar SharedGrammar;

typedef struct Lexicon {
    Trie trie;
    Slice slices[SLICES];
    const Tokenizer *tokenizer; /* borrows */
    size_t vocab, words;        /* words: of 64 bits in a mask */
    int32_t *ends;              /* tokens that end a text */
    size_t n_ends;
    Loop *loops;
    size_t n_loops;
    SharedGrammar *shared; /* grammars that are kept (shared.h), the last used first */
    /* guards the loops and that list.  Lock order: the list's, a grammar's, the loops' */
    pthread_mutex_t lock, shared_lock;
} Lexicon;

/* The lexicon of a tokenizer: made when first asked for, kept until the tokenizer is closed.
 *
 * Fails when memory runs out. */
Lexicon *lexicon_of(const Tokenizer *tokenizer, Fault *fault);

/* The loop of x; NULL when its rounds cannot be told apart, or it is not worth it. */
Loop *lexicon_loop(Lexicon *lexicon, ExprStore *store, Expr x);

/* The tokens that stay inside a loop that may go round so many times more. */
static inline const uint64_t *loop_inside(const Loop *loop, uint32_t rounds) {
    return loop->level[rounds < loop->most ? rounds : loop->most];
}

#endif
