/* rows.h - a grammar under test: begin() reads one, end() forgets it. */
#ifndef STRATA_GRADE_ROWS_H
#define STRATA_GRADE_ROWS_H

#include "../extras/grammar/earley.h"
#include "../extras/grammar/gbnf.h"
#include "grader.h"

static ExprStore exprs;
static RowTable rows;

/* The row before a text of this grammar. */
static inline uint32_t begin(const char *gbnf) {
    Fault fault;
    uint32_t root;
    expr_store_init(&exprs);
    NEED(gbnf_read(&exprs, text_of(gbnf), NULL, &root, &fault));
    expr_close_rules(&exprs);
    row_table_init(&rows, &exprs);
    return row_begin(&rows, root);
}
static inline void end(void) {
    row_table_free(&rows);
    expr_store_free(&exprs);
}

#endif
