/* wrong: crashed | a pointer at a node is kept while expressions are made, and nodes move */
static Expr derive_cat(ExprStore *s, Expr e, uint8_t byte) {
    const ExprNode *n = &s->node[e];
    Expr left = expr_cat(s, expr_derive(s, n->a, byte), n->b);
    if (!expr_is_nullable(s, n->a)) return left;
    return expr_either(s, left, expr_derive(s, n->b, byte));
}
