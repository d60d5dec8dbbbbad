/* row.h - the recognizer: an Earley parser over interned sets.
 *
 * A row is an Earley set: all ways to parse the bytes so far.  Each way is an item:
 *
 *     the rest of the current rule               (an expression)
 *     its return                                 (the called rule, and the row of the call)
 *
 *     list ::= "[" (list ("," list)*)? "]"            after  [[
 *
 *     row 1   list                      no caller          (row 0 is the dead one)
 *     row 2   (list ("," list)*)? "]"   no caller          "[" (list ...)? "]"   (list, row 2)
 *     row 3   (list ("," list)*)? "]"   (list, row 2)      "[" (list ...)? "]"   (list, row 3)
 *
 * This is Earley's parser (1970) with these changes.  An item's expression is a state of a DFA,
 * so a byte moves it by one table look-up.  If nothing follows a call, the called rule returns
 * to the caller's caller at once (Leo 1991: right recursion in linear time).  Nullable rules
 * are stepped over when called (Aycock and Horspool 2002).  Rows are interned: equal sets of
 * items are one row, so a list of a thousand members needs a handful of rows.
 *
 * Invariant: rows refer only to earlier rows or to themselves; once the budget of the
 * expressions is spent, every new row is the dead one. */
#ifndef STRATA_ROW_H
#define STRATA_ROW_H

#include "expr.h"

typedef struct Item {
    Expr expr;
    uint32_t back; /* index of a Return */
} Item;

/* All callers of `rule` in `row`. */
typedef struct Return {
    uint32_t rule, row;
    uint32_t next; /* in its hash bucket */
} Return;

typedef struct Caller {
    uint32_t rule;
    Item then; /* continues when the rule is done */
} Caller;

typedef struct Row {
    uint32_t n_items;
    uint32_t n_kernel; /* the kernel, which identifies the row; the other items are predicted */
    uint32_t n_callers;
    bool complete; /* the text may end here */
    Item *items;   /* owned, like all below */
    Caller *callers;
    ByteSet first;  /* bytes that may continue; valid with `next` */
    uint32_t *next; /* (256) rows after a byte, or ROW_UNKNOWN; NULL: none computed yet */
    uint32_t hash_next;
} Row;

enum { ROW_DEAD = 0, RETURN_END = 0 };
#define ROW_UNKNOWN UINT32_MAX

enum { ROW_SEEN = 1 << 12 };

/* The last item and caller of a hash value, plus 1, in the row being made. */
typedef struct RowSeen {
    uint32_t making, work, calls;
} RowSeen;

typedef struct RowTable {
    ExprStore *exprs; /* borrowed */
    Row *row;
    uint32_t count, *buckets, n_buckets;
    Return *back;
    size_t room, back_room;
    uint32_t n_back, *back_buckets, n_back_buckets;

    /* the row being made */
    Item *work;
    size_t n_work, work_room;
    Caller *calls;
    size_t n_calls, calls_room;
    RowSeen *seen;                    /* (ROW_SEEN) hash heads of `work` and `calls` */
    uint32_t *work_next, *calls_next; /* the earlier one of the same hash, plus 1 */
    size_t work_next_room, calls_next_room;
    uint32_t adds;   /* calls of row_add_item: four are a step */
    uint32_t spent;  /* calls of row_spend */
    uint32_t making; /* number of the row being made: older heads are empty */
    size_t looks;    /* calls of row_next, for walks to count */
} RowTable;

void row_table_init(RowTable *table, ExprStore *exprs);
void row_table_free(RowTable *table);

/* The row before the first byte of a text of this rule. */
uint32_t row_begin(RowTable *table, uint32_t rule);

/* The row of exactly these items. */
uint32_t row_of(RowTable *table, const Item *items, size_t count);

/* The bytes that may continue a row; all others lead to ROW_DEAD. */
const ByteSet *row_first(RowTable *table, uint32_t row);

/* The row after one more byte; ROW_DEAD if no text continues that way. */
uint32_t row_next(RowTable *table, uint32_t row, uint8_t byte);

#endif
