/* The grader of Earley's three steps: each alone, on a row made by hand; then whole texts. */
#include "rows.h"

/* ------------------------------------------------------------------ each step by itself */

static bool has_item(Expr expr, uint32_t back) {
    for (size_t i = 0; i < rows.n_work; i++)
        if (rows.work[i].expr == expr && rows.work[i].back == back) return true;
    return false;
}

static Expr text_expr(const char *text) { return expr_text(&exprs, text, strlen(text)); }

/* Row 1, by hand: three items, and three callers that wait in it. */
static void row_by_hand(uint32_t rule, uint32_t other) {
    expr_store_init(&exprs);
    row_table_init(&rows, &exprs);
    for (int r = 0; r < 4; r++) expr_rule(&exprs, NULL);
    for (int r = 0; r < 4; r++) exprs.rule[r].body = text_expr("z");
    Row *row = &rows.row[1];
    row->items = calloc(3, sizeof *row->items), row->callers = calloc(3, sizeof *row->callers);
    NEED(row->items && row->callers);
    row->items[0] = (Item){text_expr("ab"), 7};
    row->items[1] = (Item){text_expr("ac"), 8};
    row->items[2] = (Item){text_expr("\xE4z"), 9};
    row->callers[0] = (Caller){rule, {text_expr("p"), 3}};
    row->callers[1] = (Caller){other, {text_expr("q"), 4}};
    row->callers[2] = (Caller){rule, {text_expr("r"), 5}};
    row->n_items = row->n_callers = 3;
    rows.count = 2;
}

static void scan_alone(void) {
    row_by_hand(0, 1);
    row_scan(&rows, 1, 'a');
    HINT(rows.n_work > 0, "scan: the row has \"ab\" and \"ac\", and after 'a' no item is left");
    HINT(!has_item(text_expr("ab"), 7),
         "scan: \"ab\" is still \"ab\" after 'a': an item moves on (expr_moves)");
    HINT(has_item(text_expr("b"), 7) && has_item(text_expr("c"), 8),
         "scan: \"ab\" returning to 7 and \"ac\" to 8 become \"b\" to 7 and \"c\" to 8: every "
         "item moves, and keeps to whom it returns");
    COUNT(
        rows.n_work, 2,
        "scan: the item that goes on with the byte 0xE4 does not go on with 'a', and is gone: "
        "items left");
    row_clear(&rows);
    row_scan(&rows, 1, 0xE4);
    HINT(rows.n_work == 1 && has_item(text_expr("z"), 9),
         "scan: a byte is 0 to 255: after 0xE4 there should be one item, \"z\" returning to 9, "
         "and there are %zu",
         rows.n_work);
    end();
}

static void complete_alone(void) {
    bool over = false;
    uint32_t rule = (uint32_t)fresh_below(4), other = (rule + 1) % 4;
    row_by_hand(rule, other);
    row_complete(&rows, RETURN_END, 2, &over);
    HINT(over, "complete: an item without a caller is done: the text may end here (*end)");
    COUNT(rows.n_work, 0, "complete: no item waits for an item without a caller: items");
    row_complete(&rows, row_return(&rows, rule, 1), 2, &over);
    HINT(over, "complete: an item before this one had no caller, so the text may end, and "
               "this one takes it back: *end is set to true, and never to false");
    over = false, row_clear(&rows);
    row_complete(&rows, row_return(&rows, rule, 1), 2, &over);
    HINT(!over, "complete: rule %u is done, but an item waits for it: the text cannot end",
         rule);
    HINT(has_item(text_expr("p"), 3) && has_item(text_expr("r"), 5),
         "complete: in row 1 two wait for rule %u, and both go on (with \"p\" to 3, \"r\" to "
         "5); "
         "there are %zu items now",
         rule, rows.n_work);
    HINT(!has_item(text_expr("q"), 4),
         "complete: \"q\" waits for rule %u, and rule %u is done: only those who called the "
         "rule "
         "that is done go on",
         other, rule);
    row_clear(&rows);
    rows.count = 1;
    row_complete(&rows, row_return(&rows, rule, 1), 1, &over);
    COUNT(rows.n_work, 0,
          "complete: callers in the row being made are left alone: predict has stepped over "
          "the call; items");
    end();
}

/* Many items, and as many callers. */
static void many_alone(void) {
    enum { MANY = 300 };
    bool over = false;
    row_by_hand(0, 1);
    Row *row = &rows.row[1];
    row->items = realloc(row->items, MANY * sizeof *row->items);
    row->callers = realloc(row->callers, MANY * sizeof *row->callers);
    NEED(row->items && row->callers);
    for (uint32_t i = 0; i < MANY; i++) {
        row->items[i] = (Item){text_expr("ab"), 1000 + i};
        row->callers[i] = (Caller){0, {text_expr("p"), 1000 + i}};
    }
    row->n_items = row->n_callers = MANY;
    row_scan(&rows, 1, 'a');
    COUNT(rows.n_work, MANY, "scan: each of %d items goes on with 'a': items left", MANY);
    row_clear(&rows);
    row_complete(&rows, row_return(&rows, 0, 1), 2, &over);
    COUNT(rows.n_work, MANY, "complete: %d wait for the rule, and all go on: items", MANY);
    end();
}

static bool has_caller(uint32_t rule, Expr expr, uint32_t back) {
    for (size_t i = 0; i < rows.n_calls; i++)
        if (rows.calls[i].rule == rule && rows.calls[i].then.expr == expr &&
            rows.calls[i].then.back == back)
            return true;
    return false;
}

/* Rule 0 is "z", rule 1 "z" too, but may be empty. */
static void predict_alone(void) {
    row_by_hand(0, 1);
    Expr x = text_expr("x"), body = text_expr("z"), may = expr_optional(&exprs, body);
    exprs.rule[1].body = may, exprs.rule[1].nullable = true;
    row_predict(&rows, (Item){expr_cat(&exprs, expr_call(&exprs, 0), x), 6}, 2);
    HINT(rows.n_work > 0, "predict: an item that can begin with a call, and no rule begins");
    HINT(!has_item(body, 6),
         "predict: the rule called returns to the item's own caller, though \"x\" is still to "
         "come after it: row_return(t, rule, here)");
    HINT(has_item(body, row_return(&rows, 0, 2)),
         "predict: the body of the rule returns to (rule, here): row_return(t, rule, here)");
    HINT(has_caller(0, x, 6),
         "predict: note the caller (row_add_caller) with what is left after the call, "
         "\"x\", "
         "and to whom it returns, 6; %zu are noted",
         rows.n_calls);
    COUNT(rows.n_work, 1,
          "predict: the rule called cannot be empty, so nothing is stepped over: items");
    row_clear(&rows);
    row_predict(&rows, (Item){expr_cat(&exprs, expr_call(&exprs, 1), x), 6}, 2);
    HINT(has_item(x, 6), "predict: the rule called may be empty: what comes after the call can "
                         "begin as well (stepped over)");
    HINT(has_item(may, row_return(&rows, 1, 2)),
         "predict: a rule that may be empty begins, too");
    HINT(has_caller(1, x, 6),
         "predict: the rule called may be empty, but need not be: whichever item "
         "calls is noted all the same");
    end();
}

/* Tail calls: of a rule, of one that may be empty, by an item without a caller. */
static void leo_alone(void) {
    row_by_hand(0, 1);
    Expr body = text_expr("z"), may = expr_optional(&exprs, body);
    exprs.rule[1].body = may, exprs.rule[1].nullable = true;
    for (uint32_t rule = 0; rule < 2; rule++)
        for (uint32_t back = RETURN_END; back < 7; back += 6) {
            row_clear(&rows);
            row_predict(&rows, (Item){expr_call(&exprs, rule), back}, 2);
            HINT(has_item(rule ? may : body, back),
                 "predict: nothing is left to do after this call%s: the rule returns to the "
                 "item's own caller at once (Leo)",
                 back == RETURN_END ? ", and the item has no caller" : "");
            COUNT(rows.n_calls, 0,
                  "predict: nothing is left to do after the call%s%s, so no item waits (Leo): "
                  "callers",
                  rule ? " of a rule that may be empty" : "",
                  back == RETURN_END ? ", and the item has no caller" : "");
        }
    end();
}

/* An item that can begin with each of three rules. */
static void predict_several(void) {
    row_by_hand(0, 1);
    Expr x = text_expr("x"), body = text_expr("z"), of[3];
    for (uint32_t r = 0; r < 3; r++) of[r] = expr_cat(&exprs, expr_call(&exprs, r + 1), x);
    row_predict(&rows, (Item){expr_alt(&exprs, of, 3), 6}, 2);
    for (uint32_t r = 1; r < 4; r++)
        HINT(has_item(body, row_return(&rows, r, 2)),
             "predict: the item can begin with three rules, and each begins");
    end();
}

/* ------------------------------------------------------------------ whole texts */

static bool is_row_of_ab(const char *text, size_t size) { /* n times a, n times b */
    for (size_t i = 0; i < size; i++)
        if (text[i] != (i < size / 2 ? 'a' : 'b')) return false;
    return size > 0 && size % 2 == 0;
}
static bool is_mirror(const char *text, size_t size) {
    for (size_t i = 0; i < size; i++)
        if (text[i] != text[size - 1 - i]) return false;
    return size % 2 == 0;
}
static bool is_sum(const char *text, size_t size) { /* b a b a b */
    for (size_t i = 0; i < size; i++)
        if (text[i] != (i % 2 ? 'a' : 'b')) return false;
    return size % 2;
}
static bool is_few(const char *text, size_t size) {
    return size <= 4 && !memchr(text, 'b', size);
}
static bool is_any(const char *text, size_t size) { return !memchr(text, 'b', size); }
static bool is_tail(const char *text, size_t size) {
    return size > 0 && text[size - 1] == 'b' && !memchr(text, 'b', size - 1);
}

static void texts_of(const char *gbnf, bool (*belongs)(const char *, size_t)) {
    enum { LONGEST = 7 };
    uint32_t first = begin(gbnf);
    for (unsigned number = 1; number < 1u << (LONGEST + 1); number++) {
        char text[LONGEST + 1] = "";
        size_t size = 0;
        uint32_t row = first;
        for (unsigned n = number; n > 1; n >>= 1) text[size++] = n & 1 ? 'b' : 'a';
        for (size_t i = 0; i < size; i++) row = row_next(&rows, row, (uint8_t)text[i]);
        bool got = row != ROW_DEAD && rows.row[row].complete;
        HINT(got == belongs(text, size),
             "%s: \"%s\" %s: each step by itself is right; do they work together?", gbnf, text,
             got ? "is taken, and does not belong to it" : "belongs to it, and is not taken");
    }
    end();
}

/* Right recursion takes as many rows for a long text as for a short one. */
static void right_recursion(void) {
    uint32_t row = begin("root ::= \"a\" root | \"b\"");
    for (int i = 0; i < 500; i++) row = row_next(&rows, row, 'a');
    HINT(rows.count < 10,
         "root ::= \"a\" root | \"b\" took %u rows for 500 letters: if nothing is left after a "
         "call, return to the item's own caller at once (Leo)",
         rows.count);
    end();
}

GRADE(three_steps) {
    scan_alone();
    complete_alone();
    many_alone();
    predict_alone();
    leo_alone();
    predict_several();
    texts_of("root ::= \"a\" root? \"b\"", is_row_of_ab);
    texts_of("root ::= \"a\" root \"a\" | \"b\" root \"b\" | \"\"", is_mirror);
    texts_of("root ::= sum\nsum ::= sum \"a\" sum | \"b\"", is_sum);
    texts_of("root ::= a a a a\na ::= \"a\" | \"\"", is_few);
    texts_of("root ::= s\ns ::= s s | \"a\" | \"\"", is_any);
    texts_of("root ::= \"a\" root | \"b\"", is_tail);
    right_recursion();
}

GRADES({"6.27", three_steps})
