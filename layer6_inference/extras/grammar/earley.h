/* earley.h - the three steps by which a row is made, and what they make it of.  Read row.h
 * first.
 *
 *     list ::= "[" (list ("," list)*)? "]"               after  [[  comes  ]
 *
 *     scan      row 3 has  (list ("," list)*)? "]" -> row 2;  after ]:  (nothing left) -> row 2
 *     complete  nothing is left: the caller of list in row 2 continues with  ("," list)* "]"
 *     predict   what that can call begins; here nothing, for it wants "," or "]"
 *
 * Invariant: an item stands in a row once. */
#ifndef STRATA_EARLEY_H
#define STRATA_EARLEY_H

#include "row.h"

/* Scan: every item of `row` moves by the byte (expr_moves) or is dropped, and keeps its return.
 * What is left is added to the row being made. */
void row_scan(RowTable *t, uint32_t row, uint8_t byte);

/* Complete: an item that may end here returns, and its callers continue: those of its rule in
 * the row where it was called.  Callers in this very row called a rule that may be empty:
 * predict has stepped over it already.
 *
 *   back   number of the item's Return (t->back); RETURN_END: it has no caller
 *   here   number of the row being made
 *   end    set to true when it has no caller: the text may end here */
void row_complete(RowTable *t, uint32_t back, uint32_t here, bool *end);

/* Predict: each call that an item can begin with (expr_calls) begins its rule, once per row,
 * and the item is noted as a caller; a rule that may be empty is also stepped over.  When
 * nothing is left to do after the call, the rule returns to the item's own caller at once, and
 * no caller is noted (Leo).
 *
 *   here   number of the row being made */
void row_predict(RowTable *t, Item item, uint32_t here);

/* ------------------------------------------------------------------ the row being made */

/* Add an item, once; EXPR_NONE adds none.  More than ROW_ITEMS set t->over. */
void row_add_item(RowTable *t, Expr expr, uint32_t back);

/* One more that waits for a rule called in this row; not twice. */
void row_add_caller(RowTable *t, Caller caller);

/* The number of the Return (rule, row), interned: equal ones are the same number. */
uint32_t row_return(RowTable *t, uint32_t rule, uint32_t row);

#endif
