/* calls.c - the calls (nonterminals) an expression can begin with, and the rest after each.
 * See expr.h.
 *
 *      list ("," list)* "]"      calls list; rest: ("," list)* "]"
 *
 * Invariant: each pair of rule and rest is in a list once. */
#include "expr.h"

#include <stdlib.h>
#include <string.h>

Expr expr_unfold(ExprStore *store, Expr e) {
    if (!store->node[e].unfolded) {
        Expr open = store->unfold(store, store->node[e].a, store->node[e].b);
        store->node[e].unfolded = open;
    }
    return store->node[e].unfolded;
}

typedef struct CallList {
    ExprCall *of;
    size_t count, room;
} CallList;

static void add_call(ExprStore *s, CallList *list, ExprCall call) {
    if (!budget_spend(&s->budget, list->count / 32)) return;
    for (size_t i = 0; i < list->count; i++)
        if (list->of[i].rule == call.rule && list->of[i].rest == call.rest) return;
    NEED_MEMORY(GROW(list->of, list->room, list->count + 1), "a grammar");
    list->of[list->count++] = call;
}

/* The calls of e, each rest followed by `then`. */
static void collect_calls(ExprStore *s, Expr e, Expr then, CallList *list) {
    for (;; e = s->node[e].b) {
        ExprNode n = s->node[e];
        if (!n.calls) return;
        switch ((ExprKind)n.kind) {
        case KIND_CALL: add_call(s, list, (ExprCall){n.a, then}); return;
        case KIND_LAZY: collect_calls(s, expr_unfold(s, e), then, list); return;
        case KIND_ALT:
            for (uint32_t i = 0; i < n.b; i++) collect_calls(s, s->child[n.a + i], then, list);
            return;
        case KIND_REPEAT: {
            uint32_t low = n.low && !expr_is_nullable(s, n.a) ? n.low - 1 : 0;
            uint32_t high = n.high == EXPR_FOREVER ? n.high : n.high - 1;
            Expr more = expr_repeat(s, n.a, low, high);
            collect_calls(s, n.a, expr_cat(s, more, then), list);
            return;
        }
        case KIND_CAT:
            if (s->node[n.a].calls) collect_calls(s, n.a, expr_cat(s, n.b, then), list);
            if (!expr_is_nullable(s, n.a)) return;
            break;
        default: return;
        }
    }
}

size_t expr_calls(ExprStore *store, Expr e, const ExprCall **calls) {
    *calls = NULL;
    if (!store->node[e].calls) return 0;
    if (store->calls_first[e] == UINT32_MAX) {
        CallList list = {0};
        collect_calls(store, e, EXPR_EMPTY, &list);
        NEED_MEMORY(GROW(store->call, store->call_room, store->n_call + list.count),
                    "a grammar");
        if (list.count)
            memcpy(store->call + store->n_call, list.of, list.count * sizeof *list.of);
        store->calls_first[e] = (uint32_t)store->n_call;
        store->calls_count[e] = (uint32_t)list.count;
        store->n_call += list.count;
        free(list.of);
    }
    *calls = store->call + store->calls_first[e];
    return store->calls_count[e];
}
