/* write.h - expressions in text form (expr.h): <rule>, (a | b), (x){0,}; _ is a blank. */
#ifndef STRATA_WRITE_H
#define STRATA_WRITE_H

#include "../extras/grammar/expr.h"

#include <stdarg.h>
#include <stdio.h>

typedef struct Line {
    char text[400];
    size_t size;
} Line;

static inline void put(Line *line, const char *format, ...) {
    va_list values;
    va_start(values, format);
    int n = vsnprintf(line->text + line->size, sizeof line->text - line->size, format, values);
    va_end(values);
    line->size += (size_t)n < sizeof line->text - line->size ? (size_t)n : 0;
}

static inline void put_set(Line *line, const ByteSet *set) {
    int only = byte_set_only(set);
    if (only > ' ' && only < 127 && only != '"')
        put(line, "%c", only);
    else if (only >= 0)
        put(line, only == ' ' ? "_" : "\\x%02X", only);
    else
        put(line, "[%d bytes]", byte_set_count(*set));
}

static inline void put_expr(Line *line, const ExprStore *s, Expr e, bool inner) {
    const ExprNode *n = &s->node[e];
    switch ((ExprKind)n->kind) {
    case KIND_EMPTY: put(line, "(nothing left)"); break;
    case KIND_BYTES: put_set(line, &s->set[n->a]); break;
    case KIND_CALL: put(line, "<%s>", s->rule[n->a].name ? s->rule[n->a].name : "?"); break;
    case KIND_CAT: put_expr(line, s, n->a, true), put_expr(line, s, n->b, true); break;
    case KIND_REPEAT:
        put(line, "("), put_expr(line, s, n->a, false);
        put(line, n->high == EXPR_FOREVER ? "){%u,}" : "){%u,%u}", n->low, n->high);
        break;
    case KIND_ALT:
        for (uint32_t i = 0; i < n->b; i++) {
            put(line, i ? " | " : inner ? "(" : "");
            put_expr(line, s, s->child[n->a + i], true);
        }
        put(line, inner ? ")" : "");
        break;
    default: put(line, "..."); break;
    }
}

#endif
