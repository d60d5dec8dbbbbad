/* expr_list.c - many alternatives, gathered and then made one.  See expr.h.
 *
 * a | b | c | ... taken two by two would sort the first ones again with each that comes.
 *
 * Invariant: what comes out is what expr_either of all of them would be. */
#include "expr.h"

#include <stdlib.h>

void expr_list_add(ExprList *list, Expr e) {
    if (e == EXPR_NONE) return;
    REQUIRE(GROW(list->of, list->room, list->count + 1), "no memory for a grammar");
    list->of[list->count++] = e;
}

Expr expr_list_alt(ExprStore *store, ExprList *list) {
    Expr e = expr_alt(store, list->of, list->count);
    free(list->of);
    *list = (ExprList){0};
    return e;
}
