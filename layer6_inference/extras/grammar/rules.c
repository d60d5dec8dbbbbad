/* rules.c - which rules are nullable and productive, before the first byte.  See expr.h. */
#include "expr.h"

#include <stdlib.h>
#include <string.h>

/* Is there a text, given the rules known to be productive? */
static bool is_productive(ExprStore *s, Expr e, const bool *known) {
    for (;; e = s->node[e].b) {
        ExprNode n = s->node[e];
        if (!n.calls) return expr_is_live(s, e);
        switch ((ExprKind)n.kind) {
        case KIND_CALL: return known[n.a];
        case KIND_REPEAT: return n.low == 0 || is_productive(s, n.a, known);
        case KIND_ALT:
            for (uint32_t i = 0; i < n.b; i++)
                if (is_productive(s, s->child[n.a + i], known)) return true;
            return false;
        case KIND_CAT:
            if (!is_productive(s, n.a, known)) return false;
            break;
        default: return s->lazy_productive(s, n.a, known);
        }
    }
}

/* The expression without its unproductive parts. */
static Expr without(ExprStore *s, Expr e, const bool *productive) {
    ExprNode n = s->node[e];
    if (!n.calls) return expr_is_live(s, e) ? e : EXPR_NONE;
    switch ((ExprKind)n.kind) {
    case KIND_CALL: return productive[n.a] ? e : EXPR_NONE;
    case KIND_REPEAT: return expr_repeat(s, without(s, n.a, productive), n.low, n.high);
    case KIND_CAT: {
        Expr left = without(s, n.a, productive);
        return left == EXPR_NONE ? left : expr_cat(s, left, without(s, n.b, productive));
    }
    case KIND_ALT: {
        Expr *of = malloc(n.b * sizeof *of);
        NEED_MEMORY(of, "a grammar");
        for (uint32_t i = 0; i < n.b; i++) of[i] = without(s, s->child[n.a + i], productive);
        Expr out = expr_alt(s, of, n.b);
        free(of);
        return out;
    }
    default: return s->lazy_productive(s, n.a, productive) ? e : EXPR_NONE;
    }
}

/* Discard what was computed while rules lacked bodies. */
static void grammar_rules_forget(ExprStore *s) {
    for (uint32_t e = 0; e < s->count; e++) {
        if (!s->node[e].calls) continue;
        free(s->node[e].moves);
        s->node[e].moves = NULL, s->node[e].filtered = false;
        s->node[e].unfolded = 0, s->node[e].live = 0;
        s->calls_first[e] = UINT32_MAX;
    }
}

void expr_close_rules(ExprStore *store) {
    bool *productive = calloc(store->n_rule + 1, sizeof *productive);
    NEED_MEMORY(productive, "a grammar");
    expr_find_nullable(store);
    bool down = false; /* in turn up and down: a chain of rules needs two rounds */
    for (bool changed = true; changed; down = !down) {
        changed = false;
        for (uint32_t i = 0; i < store->n_rule; i++) {
            uint32_t r = down ? store->n_rule - 1 - i : i;
            if (productive[r] || !budget_spend(&store->budget, 1)) continue;
            if (is_productive(store, store->rule[r].body, productive))
                changed = productive[r] = true;
        }
    }
    for (uint32_t r = 0; r < store->n_rule; r++) {
        Expr body = productive[r] ? without(store, store->rule[r].body, productive) : EXPR_NONE;
        store->rule[r].body = body;
    }
    expr_find_nullable(store);
    grammar_rules_forget(store);
    free(productive);
}
