/* earley.h - Earley's three steps, and the set (row) that they build.  Read row.h first.
 *
 *     list ::= "[" (list ("," list)*)? "]"               after  [[  comes  ]
 *
 *     scan      row 3 has  (list ("," list)*)? "]" -> row 2;  after ]:  empty -> row 2
 *     complete  empty: the caller of list in row 2 continues with  ("," list)* "]"
 *     predict   the rules which that can call; here none, it needs "," or "]"
 *
 * Invariant: no duplicate items in a row. */
#ifndef STRATA_EARLEY_H
#define STRATA_EARLEY_H

#include "row.h"

/* Scan: move each item of `row` by the byte (expr_moves), keeping its return; the survivors are
 * added to the row being made. */
void row_scan(RowTable *t, uint32_t row, uint8_t byte);

/* Complete: an item whose rest is nullable returns to the callers of its rule in the row of the
 * call.  Callers in the row being made are skipped: predict has already stepped over nullable
 * rules.
 *
 *   back   number of the item's Return (t->back); RETURN_END: no caller
 *   here   number of the row being made
 *   end    set to true if there is no caller: the text may end here */
void row_complete(RowTable *t, uint32_t back, uint32_t here, bool *end);

/* Predict: start each rule the item can call (expr_calls), once per row, and note the item as a
 * caller; also step over nullable rules.  If nothing follows the call, return directly to the
 * item's own caller and note none (Leo).
 *
 *   here   number of the row being made */
void row_predict(RowTable *t, Item item, uint32_t here);

/* ------------------------------------------------------------------ the row being made */

/* Start a row: no items, no callers. */
void row_clear(RowTable *t);

/* Add an item unless present or EXPR_NONE.  Counts against the budget. */
void row_add_item(RowTable *t, Expr expr, uint32_t back);

/* Note a caller of a rule predicted in this row, unless present. */
void row_add_caller(RowTable *t, Caller caller);

/* The interned number of the Return (rule, row). */
uint32_t row_return(RowTable *t, uint32_t rule, uint32_t row);

#endif
