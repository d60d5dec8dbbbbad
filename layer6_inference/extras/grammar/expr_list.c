/* expr_list.c - an alternation of many expressions, built at once.  See expr.h.
 *
 * Joining a | b | c | ... pairwise would sort the first ones again each time.
 *
 * Invariant: the result is that of expr_either on all of them. */
#include "expr.h"

#include <stdlib.h>

void expr_list_add(ExprList *list, Expr e) {
    if (e == EXPR_NONE) return;
    NEED_MEMORY(GROW(list->of, list->room, list->count + 1), "a grammar");
    list->of[list->count++] = e;
}

Expr expr_list_alt(ExprStore *store, ExprList *list) {
    Expr e = expr_alt(store, list->of, list->count);
    free(list->of);
    *list = (ExprList){0};
    return e;
}
