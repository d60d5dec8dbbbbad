/* row.h - where a text has come to: the recogniser.
 *
 * A row is the set of ways in which the bytes so far can be understood.  Each way is an
 * item:
 *
 *     what may still come in the rule we are in  (an expression)
 *     its caller                                 (the called rule, and the row of the call)
 *
 *     list ::= "[" (list ("," list)*)? "]"            after  [[
 *
 *     row 1   list                      no caller          (row 0 is the dead one)
 *     row 2   (list ("," list)*)? "]"   no caller          "[" (list ...)? "]"   (list, row 2)
 *     row 3   (list ("," list)*)? "]"   (list, row 2)      "[" (list ...)? "]"   (list, row 3)
 *
 * This is Earley's table (1970), with three changes.  An item's expression is a state of an
 * automaton, so that a byte moves it by one look-up.  When nothing is left to do after a
 * call, the called rule returns to the caller's caller at once (Leo 1991: right recursion
 * costs nothing).  And rows are interned: the same items are the same row, however they were
 * come by, so that a list of a thousand members takes a handful of rows.  A rule that may be
 * empty is stepped over when it is called (Aycock and Horspool 2002).
 *
 * Invariant: rows only refer to rows that were made before them, or to themselves. */
#ifndef STRATA_ROW_H
#define STRATA_ROW_H

#include "expr.h"

typedef struct Item {
    Expr expr;
    uint32_t back; /* number of a Return */
} Item;

/* All callers of `rule` in `row`. */
typedef struct Return {
    uint32_t rule, row;
    uint32_t next; /* in its bucket */
} Return;

typedef struct Caller {
    uint32_t rule;
    Item then; /* what goes on when the rule is done */
} Caller;

typedef struct Row {
    uint32_t n_items;
    uint32_t n_kernel; /* the first ones, by which the row is known; others are predicted */
    uint32_t n_callers;
    bool complete; /* the text may end here */
    Item *items;   /* owns, like all below */
    Caller *callers;
    ByteSet first;  /* bytes that may lead on; with `next` */
    uint32_t *next; /* (256) rows after a byte; ROW_UNKNOWN: not asked yet.  NULL: none was */
    uint32_t hash_next;
} Row;

enum { ROW_DEAD = 0, RETURN_END = 0 };
#define ROW_UNKNOWN UINT32_MAX
enum { ROWS = 1 << 20, ROW_ITEMS = 5000 }; /* at most: of a table, of a row */

typedef struct RowTable {
    ExprStore *exprs; /* borrows */
    Row *row;
    uint32_t count, *buckets, n_buckets;
    Return *back;
    size_t room, back_room;
    uint32_t n_back, *back_buckets, n_back_buckets;
    bool over; /* a limit was met: from now on every new row is the dead one */

    /* the row that is being made */
    Item *work;
    size_t n_work, work_room;
    Caller *calls;
    size_t n_calls, calls_room;
} RowTable;

void row_table_init(RowTable *table, ExprStore *exprs);
void row_table_free(RowTable *table);

/* The row before the first byte of a text of this rule. */
uint32_t row_begin(RowTable *table, uint32_t rule);

/* The row with these items alone. */
uint32_t row_of(RowTable *table, const Item *items, size_t count);

/* The bytes that may lead on from a row; others lead to ROW_DEAD. */
const ByteSet *row_first(RowTable *table, uint32_t row);

/* The row after one more byte; ROW_DEAD when no text goes on so. */
uint32_t row_next(RowTable *table, uint32_t row, uint8_t byte);

#endif
