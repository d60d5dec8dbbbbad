/* nullable.c - does the empty text belong to an expression?  See expr.h.
 *
 *     none, [0-9]   no        a b, a & b   if both do   a{low,high}  low is 0 or a yes
 *     empty         yes       a | b        if one does      ~a           if not to a
 *
 * A call asks its rule, and a rule may call itself: so all rules begin as "no", and are
 * asked until none changes.
 *
 * Invariant: a rule turns from no to yes, never back. */
#include "expr.h"
#include "number.h"

/* With calls the answer depends on the rules; without, it was found when the node was made. */
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
            break; /* on to the right */
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

/* Which rules may be empty: more and more, until nothing changes. */
void expr_find_nullable(ExprStore *store) {
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t r = 0; r < store->n_rule; r++)
            if (!store->rule[r].nullable && expr_is_nullable(store, store->rule[r].body))
                changed = store->rule[r].nullable = true;
    }
}
