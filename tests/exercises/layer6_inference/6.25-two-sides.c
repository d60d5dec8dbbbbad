/* right: a cat by recursion, children pair by pair */
static Expr derive_children(ExprStore *s, Expr e, uint8_t byte) {
    ExprNode n = s->node[e];
    Expr out = expr_derive(s, s->child[n.a], byte);
    for (uint32_t i = 1; i < n.b; i++) {
        Expr next = expr_derive(s, s->child[n.a + i], byte);
        out = n.kind == KIND_ALT ? expr_either(s, out, next) : expr_and(s, out, next);
    }
    return out;
}

static Expr derive_cat(ExprStore *s, Expr e, uint8_t byte) {
    ExprNode n = s->node[e];
    Expr left = expr_cat(s, expr_derive(s, n.a, byte), n.b);
    if (!expr_is_nullable(s, n.a)) return left;
    return expr_either(s, left, expr_derive(s, n.b, byte));
}
