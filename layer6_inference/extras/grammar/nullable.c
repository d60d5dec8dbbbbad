/* nullable.c - which expressions are nullable (match the empty text).  See expr.h.
 *
 *     none, [0-9]   no        a b, a & b   if both are  a{low,high}  if low is 0 or a is
 *     empty         yes       a | b        if one is    ~a           if a is not
 *
 * A call is nullable if its rule is, and rules may be recursive: start with "no" for all and
 * iterate to the least fixed point.
 *
 * Invariant: a rule changes from no to yes, never back. */
#include "expr.h"
#include "number.h"

/* With calls the rules decide; without, it was computed when the node was made. */
static bool find_nullable(const ExprStore *s, Expr e) {
    for (;; e = s->node[e].b) {
        const ExprNode *n = &s->node[e];
        switch ((ExprKind)n->kind) {
        case KIND_EMPTY: return true;
        case KIND_CALL: return s->rule[n->a].nullable;
        case KIND_NOT: return !expr_is_nullable(s, n->a);
        case KIND_REPEAT: return n->low == 0 || expr_is_nullable(s, n->a);
        case KIND_NUMBER: return number_accepts(&s->test[n->a], n->b);
        case KIND_ALT:
        case KIND_AND:
            for (uint32_t i = 0; i < n->b; i++)
                if (expr_is_nullable(s, s->child[n->a + i]) == (n->kind == KIND_ALT))
                    return n->kind == KIND_ALT;
            return n->kind == KIND_AND;
        case KIND_CAT:
            if (!expr_is_nullable(s, n->a)) return false;
            break; /* on to the right child */
        case KIND_NONE:
        case KIND_BYTES:
        case KIND_LAZY: return false;
        }
    }
}

bool expr_is_nullable(const ExprStore *store, Expr e) {
    const ExprNode *n = &store->node[e];
    return n->empty ? n->empty == 2 : find_nullable(store, e);
}

void expr_find_nullable(ExprStore *store) {
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t r = 0; r < store->n_rule; r++)
            if (!store->rule[r].nullable && expr_is_nullable(store, store->rule[r].body))
                changed = store->rule[r].nullable = true;
        if (!budget_spend(&store->budget, store->n_rule / 4)) return;
    }
}
