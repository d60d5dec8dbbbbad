/* shortest.c - see shortest.h. */
#include "shortest.h"

#include <stdlib.h>

enum {
    DEEPEST = 300, /* max nesting of lazy states: a billion items are not a shortest way */
    SHORTEST_POOL = 300000, /* steps for all answers of a grammar together, */
    SHORTEST_EACH = 2000    /* and for each when those are gone */
};

static uint32_t shortest_sum(uint32_t a, uint64_t b) {
    return a + b < SHORTEST_MOST ? (uint32_t)(a + b) : SHORTEST_MOST;
}

static void shortest_make_room(uint32_t **known, uint32_t *room, uint32_t count) {
    if (count <= *room) return;
    *known = realloc(*known, 2 * (size_t)count * sizeof **known);
    NEED_MEMORY(*known, "a grammar");
    while (*room < 2 * count) (*known)[(*room)++] = UINT32_MAX;
}

static uint32_t of_expr(Shortest *shortest, ExprStore *s, Expr e);

/* Alternatives: the minimum.  Intersections: the maximum. */
static uint32_t of_children(Shortest *shortest, ExprStore *s, const ExprNode *n) {
    bool alt = n->kind == KIND_ALT;
    uint32_t best = alt ? SHORTEST_MOST : 0;
    for (uint32_t i = 0; i < n->b; i++) {
        uint32_t one = of_expr(shortest, s, s->child[n->a + i]);
        if (alt ? one < best : one > best) best = one;
    }
    return best;
}

/* A cycle is never the shortest. */
static uint32_t of_lazy(Shortest *shortest, ExprStore *s, Expr e) {
    shortest_make_room(&shortest->of_lazy, &shortest->lazy_room, e + 1);
    if (shortest->of_lazy[e] != UINT32_MAX) return shortest->of_lazy[e];
    if (shortest->depth == DEEPEST || s->budget.steps > shortest->until)
        return 2; /* at least its brackets */
    shortest->depth++;
    shortest->of_lazy[e] = SHORTEST_MOST;
    uint32_t found = of_expr(shortest, s, s->unfold(s, s->node[e].a, s->node[e].b));
    shortest->depth--;
    return shortest->of_lazy[e] = found;
}

static uint32_t of_expr(Shortest *shortest, ExprStore *s, Expr e) {
    uint32_t before = 0;
    if (!budget_spend(&s->budget, 1)) return SHORTEST_MOST;
    for (;; e = s->node[e].b) {
        const ExprNode n = s->node[e];
        if (n.kind != KIND_CAT && expr_is_nullable(s, e)) return before;
        switch ((ExprKind)n.kind) {
        case KIND_CAT:
            before = shortest_sum(before, of_expr(shortest, s, n.a));
            break; /* then the right child */
        case KIND_NONE: return SHORTEST_MOST;
        case KIND_CALL: return shortest_sum(before, shortest->of_rule[n.a]);
        case KIND_ALT:
        case KIND_AND: return shortest_sum(before, of_children(shortest, s, &n));
        case KIND_REPEAT:
            return shortest_sum(before, (uint64_t)n.low * of_expr(shortest, s, n.a));
        case KIND_LAZY: return shortest_sum(before, of_lazy(shortest, s, e));
        case KIND_EMPTY:
        case KIND_BYTES:
        case KIND_NOT:
        case KIND_NUMBER: return shortest_sum(before, 1);
        }
    }
}

/* Decrease all lengths to a fixed point. */
static void ask_rules(Shortest *shortest, ExprStore *s) {
    uint32_t *of = shortest->of_rule = malloc((s->n_rule + 1) * sizeof *of);
    NEED_MEMORY(of, "a grammar");
    for (uint32_t r = 0; r < s->n_rule; r++) of[r] = s->rule[r].nullable ? 0 : SHORTEST_MOST;
    bool down = false; /* in turn up and down, as in expr_close_rules */
    for (bool changed = true; changed; down = !down) {
        changed = false;
        for (uint32_t i = 0; i < s->n_rule; i++) {
            uint32_t r = down ? s->n_rule - 1 - i : i;
            uint32_t now = of_expr(shortest, s, s->rule[r].body);
            if (now < of[r]) of[r] = now, changed = true;
        }
        for (uint32_t e = 0; e < shortest->lazy_room; e++) shortest->of_lazy[e] = UINT32_MAX;
    }
}

/* From the end of the called rule via its nearest caller, cycles excluded. */
static uint32_t of_return(Shortest *shortest, RowTable *t, uint32_t back) {
    if (back == RETURN_END) return 0;
    if (shortest->of_back[back] != UINT32_MAX) return shortest->of_back[back];
    Return r = t->back[back];
    const Row *row = &t->row[r.row];
    uint32_t best = shortest->of_back[back] = SHORTEST_MOST;
    for (uint32_t i = 0; i < row->n_callers; i++) {
        const Caller *caller = &row->callers[i];
        if (caller->rule != r.rule) continue;
        uint32_t one = shortest_sum(of_expr(shortest, t->exprs, caller->then.expr),
                                    of_return(shortest, t, caller->then.back));
        if (one < best) best = one;
    }
    return shortest->of_back[back] = best;
}

uint32_t shortest_of(Shortest *shortest, RowTable *rows, uint32_t row) {
    const Row *here = &rows->row[row];
    uint32_t best = SHORTEST_MOST;
    Budget *budget = &rows->exprs->budget;
    const size_t before = budget->steps;
    shortest->until = before + SHORTEST_EACH;
    if (shortest->used < SHORTEST_POOL) shortest->until += SHORTEST_POOL - shortest->used;
    if (!shortest->of_rule) ask_rules(shortest, rows->exprs);
    shortest_make_room(&shortest->of_back, &shortest->back_room, rows->n_back);
    for (uint32_t i = 0; i < here->n_kernel; i++) {
        uint32_t one = shortest_sum(of_expr(shortest, rows->exprs, here->items[i].expr),
                                    of_return(shortest, rows, here->items[i].back));
        if (one < best) best = one;
    }
    shortest->used += budget->steps - before;
    return here->complete ? 0 : best;
}

void shortest_free(Shortest *shortest) {
    free(shortest->of_rule), free(shortest->of_back), free(shortest->of_lazy);
    *shortest = (Shortest){0};
}
