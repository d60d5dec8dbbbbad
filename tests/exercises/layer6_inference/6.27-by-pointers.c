/* right: complete and predict with pointers, all cases of predict in one line of conditions */
void row_complete(RowTable *t, uint32_t back, uint32_t here, bool *end) {
    const Return *r = &t->back[back];
    if (back == RETURN_END) *end = true;
    if (back == RETURN_END || r->row == here) return;
    uint32_t rule = r->rule, in = r->row, n = t->row[in].n_callers;
    while (n-- > 0)
        if (t->row[in].callers[n].rule == rule)
            row_add_item(t, t->row[in].callers[n].then.expr, t->row[in].callers[n].then.back);
}
