/* lexicon.h - what all grammars of a vocabulary share: the trie of its tokens, slices, loops.
 *
 * Most of a long walk is inside a loop x{low,high}, such as the characters of a string.  How
 * many rounds a token begins, and where it leaves, depends on x alone.  So a loop is walked
 * once per vocabulary, whatever follows it and however many rounds it allows:
 *
 *     x = any character but "         token    begun   rest
 *                                     a          1             stays inside
 *                                     abc        3             stays inside if 3 more fit
 *                                     ab",       2     ",      leaves; the rest is checked
 *                                       ",       1     ",      (a blank before)
 *
 * The rests form a small trie: one walk with what follows the loop covers them all.
 *
 * This needs unambiguous rounds (no x is a prefix of another) and a continuation that cannot be
 * taken for a round.  One exception: a \, by which JSON may escape anything; rests that begin
 * with it are kept though they may be rounds too.  All other masks are walked by the expression
 * itself (token_mask.h).
 *
 * Invariant: a lexicon and its loops, once made, change only under its lock. */
#ifndef STRATA_LEXICON_H
#define STRATA_LEXICON_H

#include "slice.h"

#include <pthread.h>

enum {
    LOOPS = 64,                /* max per lexicon */
    LOOP_KEY = 2048,           /* max key bytes */
    LOOP_WIDE = 128,           /* min first bytes of a round; narrower loops use slices */
    LOOP_WORK = 50000,         /* steps to make one; beside the derivatives */
    LOOP_OUTSIDE = UINT16_MAX, /* not inside */
};

typedef struct Loop {
    unsigned char *key; /* owned, like all below: x as expr_write gives it */
    size_t key_size;
    bool counted;     /* its rounds are unambiguous */
    ByteSet first;    /* first bytes of a round */
    uint16_t *begun;  /* (vocab) rounds begun by a token that stays inside, else LOOP_OUTSIDE */
    uint32_t most;    /* max of these */
    uint64_t **level; /* (most + 1) tokens that stay inside and begin at most that many */
    Trie rest;        /* what leaves after a byte or more; counts: rounds before */
    struct Loop *next;
} Loop;

typedef struct SharedGrammar SharedGrammar;

typedef struct Lexicon {
    Trie trie;
    Slice slices[SLICES];
    const Tokenizer *tokenizer; /* borrowed */
    size_t vocab, words;        /* words: of 64 bits in a mask */
    int32_t *ends;              /* tokens that end a text */
    size_t n_ends;
    Loop *loops;
    size_t n_loops;
    SharedGrammar *shared; /* cached grammars (shared.h), most recently used first */
    /* guard the loops and that list.  Lock order: list, grammar, loops */
    pthread_mutex_t lock, shared_lock;
} Lexicon;

/* The lexicon of a tokenizer: made on first use, kept until the tokenizer is closed.
 *
 * Fails when memory runs out. */
Lexicon *lexicon_of(const Tokenizer *tokenizer, Fault *fault);

/* The loop of x; NULL if its rounds are ambiguous or it is not worth it. */
Loop *lexicon_loop(Lexicon *lexicon, ExprStore *store, Expr x);

/* The tokens that stay inside a loop with this many rounds left. */
static inline const uint64_t *loop_inside(const Loop *loop, uint32_t rounds) {
    return loop->level[rounds < loop->most ? rounds : loop->most];
}

#endif
