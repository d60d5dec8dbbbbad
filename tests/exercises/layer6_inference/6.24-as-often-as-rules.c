/* right: as many rounds as there are rules, backwards */
void expr_find_nullable(ExprStore *store) {
    for (uint32_t round = 0; round < store->n_rule; round++)
        for (uint32_t r = store->n_rule; r-- > 0;)
            store->rule[r].nullable = expr_is_nullable(store, store->rule[r].body);
}
