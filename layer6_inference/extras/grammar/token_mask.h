/* token_mask.h - which tokens may come next, as a set of bits.
 *
 * A mask is a walk through the vocabulary (trie.h) that goes no further where the grammar does
 * not.  Most of it depends on one item's expression alone, whatever its callers, and is kept:
 *
 *     a loop, then something    inside a JSON string: tokens that stay inside are known
 *                               (lexicon.h); what leaves is walked with the rows that come then
 *     nearly a loop             any string but "name": the loop, except tokens on the way to it
 *     any other expression      slices    all words, where letters may follow letters (slice.h)
 *                               inside    tokens that end before the expression can be left
 *                               leaving   nodes of the trie at which it can be left with bytes
 *                                         to come: walked with the rows that come then
 *
 * The mask of a row is the union over its items.
 *
 * Invariant: a bit is set if and only if grammar_read goes on with the token's bytes, or the
 * token ends texts and the text so far is complete. */
#ifndef STRATA_TOKEN_MASK_H
#define STRATA_TOKEN_MASK_H

#include "lexicon.h"
#include "row.h"

/* A node at which an expression can be left. */
typedef struct Leaving {
    const Trie *trie; /* of the vocabulary, or of the rest of a slice */
    uint32_t node;
    Expr then; /* what is left of it: it may be done, or call a rule */
} Leaving;

typedef struct ExprMask {
    Loop *loop; /* borrows; NULL: the other way */
    uint32_t low, high;
    Expr then; /* after the loop */
    /* tokens on which the loop is wrong: `inside` and `leaving` are right; owns */
    int32_t *except;
    uint64_t *saved; /* (n_except) working memory; owns */
    uint32_t n_except;
    uint64_t *inside; /* owns; NULL when few are: then they are a list */
    int32_t *few;     /* owns */
    uint32_t n_few;
    Leaving *leaving; /* owns */
    uint32_t n_leaving;
    /* of a loop whose end cannot be told from a round: by walking; owns */
    struct ExprMask *walked;
} ExprMask;

/* A depth of a walk: the moves after so many bytes, where the nodes below end, and the last
 * byte that leads on. */
typedef struct WalkLevel {
    const Expr *moves;
    uint32_t end;
    int last;
} WalkLevel;

typedef struct MaskTable {
    RowTable *rows;     /* borrows */
    Lexicon *lexicon;   /* borrows */
    ExprMask **of_expr; /* by expression; owns */
    uint32_t expr_room;
    uint64_t **of_row; /* by row; owns */
    uint32_t row_room;
    size_t kept, max_kept; /* masks of rows */
    uint16_t *closed;      /* by expression: two bits for each slice, see expr_mask.c; owns */
    uint32_t closed_room;
    WalkLevel *level; /* (max_depth + 2) of a walk through an expression */
    uint32_t *stack;  /* (max_depth + 2) rows of a walk */
} MaskTable;

/* The mask of an expression, as a loop where that is possible, or by walking alone
 * (expr_mask.c). */
ExprMask *expr_mask_make(MaskTable *table, Expr e);
ExprMask *expr_mask_walk(MaskTable *table, Expr e);
void expr_mask_free(ExprMask *mask);

void *token_zeroed(size_t count, size_t size);

static inline void token_bit_set(uint64_t *mask, int32_t token) {
    mask[token >> 6] |= (uint64_t)1 << (token & 63);
}

bool mask_table_init(MaskTable *table, RowTable *rows, Lexicon *lexicon, Fault *fault);
void mask_table_free(MaskTable *table);

/* The mask of a row: bit id of word id / 64.  Valid until the next call. */
const uint64_t *mask_of(MaskTable *table, uint32_t row);

/* Rounds of a loop before a token may leave it. */
typedef struct Rounds {
    uint32_t low, high;
} Rounds;

/* Put the tokens that go on into a mask: go through the nodes from..end of a trie, and where
 * no text goes on (row_next says ROW_DEAD) leave out all that begins so.  A node's own
 * tokens are order[first..last); of those the ones are taken whose rounds, trie->counts[k],
 * are within r (token_bit_set).
 *
 *   t->stack   [d] is the row after the first d bytes of a node's text; given before the first node,
 *              and is left
 *   mask       bits are added */
void mask_walk(MaskTable *t, const Trie *trie, uint32_t from, uint32_t end, Rounds r,
               uint64_t *mask);

#endif
