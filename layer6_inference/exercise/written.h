/* written.h - random expressions, their text form, and their texts by definition. */
#ifndef STRATA_GRADE_WRITTEN_H
#define STRATA_GRADE_WRITTEN_H

#include "../extras/grammar/expr.h"
#include "../extras/grammar/number.h"
#include "grader.h"

/* ------------------------------------------------------------------ by definition */

static inline bool repeats(const ExprStore *s, const ExprNode *n, uint32_t low, uint32_t high,
                           const char *text, size_t size);

/* Does a text belong to an expression without calls?  Every way to cut it is tried. */
static inline bool holds(const ExprStore *s, Expr e, const char *text, size_t size) {
    const ExprNode *n = &s->node[e];
    switch ((ExprKind)n->kind) {
    case KIND_EMPTY: return size == 0;
    case KIND_BYTES: return size == 1 && byte_set_has(&s->set[n->a], (uint8_t)text[0]);
    case KIND_NOT: return !holds(s, n->a, text, size);
    case KIND_REPEAT: return repeats(s, n, n->low, n->high, text, size);
    case KIND_CAT:
        for (size_t cut = 0; cut <= size; cut++)
            if (holds(s, n->a, text, cut) && holds(s, n->b, text + cut, size - cut))
                return true;
        return false;
    case KIND_ALT:
    case KIND_AND:
        for (uint32_t i = 0; i < n->b; i++)
            if (holds(s, s->child[n->a + i], text, size) == (n->kind == KIND_ALT))
                return n->kind == KIND_ALT;
        return n->kind == KIND_AND;
    case KIND_NUMBER: return size == 0 && number_accepts(&s->test[n->a], n->b);
    default: return false;
    }
}

/* Rounds without a letter only help to reach the minimum number of rounds. */
static inline bool repeats(const ExprStore *s, const ExprNode *n, uint32_t low, uint32_t high,
                           const char *text, size_t size) {
    if (size == 0) return low == 0 || holds(s, n->a, text, 0);
    if (high == 0) return false;
    uint32_t less = high == EXPR_FOREVER ? high : high - 1;
    for (size_t cut = 1; cut <= size; cut++)
        if (holds(s, n->a, text, cut) &&
            repeats(s, n, low ? low - 1 : 0, less, text + cut, size - cut))
            return true;
    return low > 0 && holds(s, n->a, text, 0) && repeats(s, n, low - 1, less, text, size);
}

/* ---------------------------------------------- expressions, and how they are written */

typedef struct Written {
    Expr expr;
    char text[200];
} Written;

static inline Written letter(ExprStore *s) {
    char c = (char)('a' + fresh_below(3));
    Written w = {expr_byte(s, (uint8_t)c), {c, 0}};
    return w;
}

static inline Written joined(ExprStore *s, const Written *a, const char *how,
                             const Written *b) {
    Written w;
    w.expr = *how == '|'   ? expr_either(s, a->expr, b->expr)
             : *how == '&' ? expr_and(s, a->expr, b->expr)
                           : expr_cat(s, a->expr, b->expr);
    snprintf(w.text, sizeof w.text, *how ? "(%.90s %s %.90s)" : "%.90s%s%.90s", a->text, how,
             b->text);
    return w;
}

static inline Written repeated(ExprStore *s, const Written *a, uint32_t low, uint32_t high) {
    Written w = {.expr = expr_repeat(s, a->expr, low, high)};
    if (high == EXPR_FOREVER)
        snprintf(w.text, sizeof w.text, "(%.150s){%u,}", a->text, low);
    else
        snprintf(w.text, sizeof w.text, "(%.150s){%u,%u}", a->text, low, high);
    return w;
}

static inline Written any_written(ExprStore *s, int depth) {
    if (depth == 0) return letter(s);
    Written a = any_written(s, depth - 1), b = any_written(s, depth - 1), out;
    uint32_t low = (uint32_t)fresh_below(3);
    switch (fresh_below(6)) {
    case 0: return joined(s, &a, "|", &b);
    case 1: return joined(s, &a, "&", &b);
    case 2: return repeated(s, &a, low, low + (uint32_t)fresh_below(2) + 1);
    case 3: return repeated(s, &a, low, EXPR_FOREVER);
    case 4:
        out = (Written){.expr = expr_not(s, a.expr)};
        snprintf(out.text, sizeof out.text, "~(%.150s)", a.text);
        return out;
    default: return joined(s, &a, "", &b);
    }
}

#endif
