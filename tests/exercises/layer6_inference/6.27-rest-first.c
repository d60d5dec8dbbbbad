/* right: what is stepped over first, then the rule; scan from the last item to the first */
void row_scan(RowTable *t, uint32_t row, uint8_t byte) {
    for (uint32_t i = t->row[row].n_items; i-- > 0;) {
        Expr next = expr_moves(t->exprs, t->row[row].items[i].expr)[byte];
        if (next != EXPR_NONE) row_add_item(t, next, t->row[row].items[i].back);
    }
}

void row_predict(RowTable *t, Item item, uint32_t here) {
    const ExprCall *calls;
    size_t count = expr_calls(t->exprs, item.expr, &calls);
    for (size_t i = 0; i < count; i++) {
        uint32_t rule = calls[i].rule, back = item.back;
        Expr rest = calls[i].rest;
        if (rest != EXPR_EMPTY) {
            if (t->exprs->rule[rule].nullable) row_add_item(t, rest, item.back);
            row_add_caller(t, (Caller){rule, {rest, item.back}});
            back = row_return(t, rule, here);
        }
        row_add_item(t, t->exprs->rule[rule].body, back);
    }
}
