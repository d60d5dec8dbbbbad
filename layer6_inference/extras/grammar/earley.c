/* earley.c - from one Earley set (row) to the next: scan, complete, predict.  See earley.h. */
#include "earley.h"

void row_scan(RowTable *t, uint32_t row, uint8_t byte) {
    for (uint32_t i = 0; i < t->row[row].n_items; i++) {
        Item item = t->row[row].items[i];
        row_add_item(t, expr_moves(t->exprs, item.expr)[byte], item.back);
    }
}

void row_complete(RowTable *t, uint32_t back, uint32_t here, bool *end) {
    if (back == RETURN_END) {
        *end = true;
        return;
    }
    Return r = t->back[back];
    if (r.row == here) return;
    const Row *row = &t->row[r.row];
    for (uint32_t i = 0; i < row->n_callers; i++)
        if (row->callers[i].rule == r.rule)
            row_add_item(t, row->callers[i].then.expr, row->callers[i].then.back);
}

void row_predict(RowTable *t, Item item, uint32_t here) {
    const ExprCall *calls;
    size_t count = expr_calls(t->exprs, item.expr, &calls);
    for (size_t i = 0; i < count; i++) {
        const ExprCall call = calls[i];
        const ExprRule *rule = &t->exprs->rule[call.rule];
        if (call.rest == EXPR_EMPTY) {
            row_add_item(t, rule->body, item.back);
            continue;
        }
        uint32_t back = row_return(t, call.rule, here);
        row_add_caller(t, (Caller){call.rule, {call.rest, item.back}});
        row_add_item(t, rule->body, back);
        if (rule->nullable) row_add_item(t, call.rest, item.back);
    }
}
