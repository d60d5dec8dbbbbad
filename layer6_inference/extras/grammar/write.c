/* write.c - serializes an expression, the same in every store.  See expr.h. */
#include "expr.h"

#include <string.h>

typedef struct Written {
    const ExprStore *store;
    unsigned char *out;
    size_t size, room;
} Written;

static void grammar_write_put(Written *w, const void *bytes, size_t size) {
    if (w->size + size <= w->room) memcpy(w->out + w->size, bytes, size);
    w->size += size;
}

/* Children of an alternative are ordered by number, which differs between stores: equal
 * languages may be written in two ways. */
static void put_expr(Written *w, Expr e) {
    const ExprNode *n = &w->store->node[e];
    if (w->size > w->room) return;
    grammar_write_put(w, &n->kind, 1);
    switch ((ExprKind)n->kind) {
    case KIND_BYTES: grammar_write_put(w, &w->store->set[n->a], sizeof(ByteSet)); break;
    case KIND_CAT: put_expr(w, n->a), put_expr(w, n->b); break;
    case KIND_ALT:
    case KIND_AND:
        grammar_write_put(w, &n->b, sizeof n->b);
        for (uint32_t i = 0; i < n->b; i++) put_expr(w, w->store->child[n->a + i]);
        break;
    case KIND_NOT: put_expr(w, n->a); break;
    case KIND_REPEAT:
        grammar_write_put(w, &n->low, sizeof n->low),
            grammar_write_put(w, &n->high, sizeof n->high);
        put_expr(w, n->a);
        break;
    case KIND_NONE:
    case KIND_EMPTY: break;
    case KIND_NUMBER:
    case KIND_CALL:
    case KIND_LAZY: REQUIRE(false, "an expression with calls or tests is written"); break;
    }
}

size_t expr_write(const ExprStore *store, Expr e, unsigned char *out, size_t room) {
    Written w = {store, out, 0, room};
    put_expr(&w, e);
    return w.size;
}
