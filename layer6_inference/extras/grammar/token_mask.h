/* token_mask.h - the token mask: which tokens may come next, one bit each.
 *
 * Computing a mask walks the vocabulary's trie (trie.h) and prunes where the grammar dies.
 * Most of a mask depends only on an item's expression, not on its callers, and is cached:
 *
 *     a loop, then something    inside a JSON string: tokens that stay inside are known
 *                               (lexicon.h); the rest is walked with the rows that follow
 *     nearly a loop             any string but "name": the loop, except for tokens like "name"
 *     any other expression      slices    all words, where letters may follow letters (slice.h)
 *                               inside    tokens that end before the expression can be left
 *                               leaving   trie nodes where it can be left with bytes still to
 *                                         come: walked with the rows that follow
 *
 * The mask of a row is the union over its items.
 *
 * Invariant: a bit is set if and only if grammar_read accepts the token's bytes, or the token
 * ends texts and the text so far is complete. */
#ifndef STRATA_TOKEN_MASK_H
#define STRATA_TOKEN_MASK_H

#include "lexicon.h"
#include "row.h"

/* A trie node at which an expression can be left. */
typedef struct Leaving {
    const Trie *trie; /* in the vocabulary's trie or a slice's rest */
    uint32_t node;
    Expr then; /* the rest there: nullable, or it can call a rule */
} Leaving;

enum { MASK_NODES = 4 /* nodes of a walk are a step */ };

typedef struct ExprMask {
    Loop *loop; /* borrowed; NULL: not a loop */
    uint32_t low, high;
    Expr then; /* what follows the loop */
    /* tokens on which the loop is wrong: use `inside` and `leaving`; owned */
    int32_t *except;
    uint64_t *saved; /* (n_except) scratch; owned */
    uint32_t n_except;
    uint64_t *inside; /* owned; NULL: few tokens, kept as a list */
    int32_t *few;     /* owned */
    uint32_t n_few;
    Leaving *leaving; /* owned */
    uint32_t n_leaving;
    /* walked mask of a loop whose end is ambiguous; owned */
    struct ExprMask *walked;
} ExprMask;

/* One depth of a walk: the moves, where the subtree ends, and the last live byte. */
typedef struct WalkLevel {
    const Expr *moves;
    uint32_t end;
    int last;
} WalkLevel;

typedef struct MaskTable {
    RowTable *rows;     /* borrowed */
    Lexicon *lexicon;   /* borrowed */
    ExprMask **of_expr; /* by expression; owned */
    uint32_t expr_room;
    uint64_t **of_row; /* by row; owned */
    uint32_t row_room;
    size_t kept, max_kept; /* masks of rows */
    uint16_t *closed;      /* by expression: two bits per slice, see expr_mask.c; owned */
    uint32_t closed_room;
    WalkLevel *level; /* (max_depth + 2) of a walk with one expression */
    uint32_t *stack;  /* (max_depth + 2) rows of a walk */
} MaskTable;

/* The mask of an expression: as a loop if possible, else by walking (expr_mask.c). */
ExprMask *expr_mask_make(MaskTable *table, Expr e);
ExprMask *expr_mask_walk(MaskTable *table, Expr e);
void expr_mask_free(ExprMask *mask);

void *token_zeroed(size_t count, size_t size);

static inline void token_bit_set(uint64_t *mask, int32_t token) {
    mask[token >> 6] |= (uint64_t)1 << (token & 63);
}

bool mask_table_init(MaskTable *table, RowTable *rows, Lexicon *lexicon, Fault *fault);
void mask_table_free(MaskTable *table);

/* The mask of a row: bit id % 64 of word id / 64.  Valid until the next call. */
const uint64_t *mask_of(MaskTable *table, uint32_t row);

/* Rounds of a loop before a token may leave it. */
typedef struct Rounds {
    uint32_t low, high;
} Rounds;

/* Add accepted tokens to a mask: walk the nodes from..end of a trie and skip subtrees where
 * row_next is ROW_DEAD.  A node's own tokens are order[first..last); those with rounds
 * trie->counts[k] within r are taken (token_bit_set).
 *
 *   t->stack   [d] is the row after the first d bytes of a node's text; the caller sets those
 *              before the first node
 *   mask       bits are added */
void mask_walk(MaskTable *t, const Trie *trie, uint32_t from, uint32_t end, Rounds r,
               uint64_t *mask);

#endif
