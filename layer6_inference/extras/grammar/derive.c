/* derive.c - Brzozowski derivatives: the rest of an expression after one byte.  See expr.h.
 *
 *     d(set)      = empty if it has the byte, else none  d(a & b)  = d(a) & d(b)
 *     d(a b)      = d(a) b | d(b) if a is nullable       d(~a)     = ~d(a)
 *     d(a | b)    = d(a) | d(b)                          d(a{l,h}) = d(a) a{l-1,h-1}
 *
 * A call has no derivative: the calls an expression begins with are listed by calls.c.
 *
 * Invariant: d(e) holds a text if and only if e holds the byte followed by that text. */
#include "expr.h"
#include "number.h"

#include <stdlib.h>

/* Conjuncts and repeated expressions recur in other combinations: cache their moves, except for
 * a test's states, which are many and rarely recur. */
static Expr derive_kept(ExprStore *s, Expr e, uint8_t byte) {
    if (s->node[e].kind == KIND_NUMBER) return expr_derive(s, e, byte);
    return s->budget.over ? EXPR_NONE : expr_raw_moves(s, e)[byte];
}

static Expr derive_children(ExprStore *s, Expr e, uint8_t byte) {
    ExprNode n = s->node[e];
    Expr few[16] = {EXPR_NONE}, *of = n.b <= 16 ? few : malloc(n.b * sizeof *of), out;
    NEED_MEMORY(of, "a grammar");
    for (uint32_t i = 0; i < n.b; i++)
        of[i] = (n.kind == KIND_AND ? derive_kept : expr_derive)(s, s->child[n.a + i], byte);
    if (n.kind == KIND_ALT) {
        out = expr_alt(s, of, n.b);
    } else {
        out = of[0];
        for (uint32_t i = 1; i < n.b; i++) out = expr_and(s, out, of[i]);
    }
    if (of != few) free(of);
    return out;
}

static Expr derive_cat(ExprStore *s, Expr e, uint8_t byte) {
    Expr out = EXPR_NONE;
    for (; s->node[e].kind == KIND_CAT; e = s->node[e].b) {
        Expr right = s->node[e].b;
        out = expr_either(s, out, expr_cat(s, expr_derive(s, s->node[e].a, byte), right));
        if (!expr_is_nullable(s, s->node[e].a)) return out;
    }
    return expr_either(s, out, expr_derive(s, e, byte));
}

static Expr derive_repeat(ExprStore *s, Expr e, uint8_t byte) {
    ExprNode n = s->node[e];
    uint32_t low = n.low && !expr_is_nullable(s, n.a) ? n.low - 1 : 0;
    uint32_t high = n.high == EXPR_FOREVER ? n.high : n.high - 1;
    Expr first = derive_kept(s, n.a, byte);
    return first == EXPR_NONE ? first : expr_cat(s, first, expr_repeat(s, n.a, low, high));
}

Expr expr_derive(ExprStore *store, Expr e, uint8_t byte) {
    ExprNode n = store->node[e];
    if (++store->derived % 4 == 0 && !budget_spend(&store->budget, 1)) return EXPR_NONE;
    switch ((ExprKind)n.kind) {
    case KIND_BYTES: return byte_set_has(&store->set[n.a], byte) ? EXPR_EMPTY : EXPR_NONE;
    case KIND_CAT: return derive_cat(store, e, byte);
    case KIND_ALT:
    case KIND_AND: return derive_children(store, e, byte);
    case KIND_NOT: return expr_not(store, derive_kept(store, n.a, byte));
    case KIND_REPEAT: return derive_repeat(store, e, byte);
    case KIND_LAZY: return expr_derive(store, expr_unfold(store, e), byte);
    case KIND_NUMBER: {
        uint32_t next = number_step(&store->test[n.a], n.b, byte);
        return next == NUMBER_NEVER ? EXPR_NONE : expr_number(store, n.a, next);
    }
    case KIND_NONE:
    case KIND_EMPTY:
    case KIND_CALL: break;
    }
    return EXPR_NONE;
}
