/* right: recursive in both sides of a cat, children counted */
static bool find_nullable(const ExprStore *s, Expr e) {
    const ExprNode *n = &s->node[e];
    uint32_t empty = 0;
    if (n->kind == KIND_ALT || n->kind == KIND_AND)
        for (uint32_t i = 0; i < n->b; i++) empty += expr_is_nullable(s, s->child[n->a + i]);
    if (n->kind == KIND_EMPTY) return true;
    if (n->kind == KIND_ALT) return empty > 0;
    if (n->kind == KIND_AND) return empty == n->b;
    if (n->kind == KIND_NOT) return !expr_is_nullable(s, n->a);
    if (n->kind == KIND_CALL) return s->rule[n->a].nullable;
    if (n->kind == KIND_CAT) return expr_is_nullable(s, n->a) && expr_is_nullable(s, n->b);
    if (n->kind == KIND_REPEAT) return !n->low || expr_is_nullable(s, n->a);
    if (n->kind == KIND_NUMBER) return number_accepts(&s->test[n->a], n->b);
    return false;
}
