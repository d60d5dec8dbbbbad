/* right: what is needed falls by one, also where rounds may be empty */
static Expr derive_repeat(ExprStore *s, Expr e, uint8_t byte) {
    uint32_t of = s->node[e].a, low = s->node[e].low, high = s->node[e].high;
    if (low > 0) low--;
    if (high != EXPR_FOREVER) high--;
    return expr_cat(s, expr_derive(s, of, byte), expr_repeat(s, of, low, high));
}
