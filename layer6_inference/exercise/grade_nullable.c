/* The grader of layer 6: does the empty text belong to an expression? */
#include "written.h"

enum { RULES = 6, MANY = 300 };

static void is_empty(ExprStore *s, const Written *w, const char *why) {
    bool want = holds(s, w->expr, "", 0);
    s->node[w->expr].empty = 0; /* ask again */
    bool got = expr_is_nullable(s, w->expr);
    HINT(got == want, "%s: the empty text %s to it, and find_nullable says it does%s: %s",
         w->text, want ? "belongs" : "does not belong", got ? "" : " not", why);
}

static void empty_without_calls(ExprStore *s) {
    const Written a = {expr_byte(s, 'a'), "a"}, b = {expr_byte(s, 'b'), "b"},
                  nothing = {EXPR_EMPTY, "\"\""};
    const Written may = repeated(s, &a, 0, 1), many = repeated(s, &b, 0, EXPR_FOREVER);
    Written w;
    is_empty(s, &a, "a set is exactly one byte");
    is_empty(s, &nothing, "it is the only text there");
    is_empty(s, &many, "no round at all is enough");
    is_empty(s, (w = repeated(s, &a, 2, 3), &w), "two rounds at least, of a letter each");
    is_empty(s, (w = repeated(s, &may, 2, 3), &w), "each of the rounds may be empty");
    is_empty(s, (w = joined(s, &may, "", &b), &w), "the right side must be empty, too");
    is_empty(s, (w = joined(s, &a, "", &may), &w), "the left side must be empty, too");
    is_empty(s, (w = joined(s, &may, "", &many), &w), "both sides may be empty");
    is_empty(s, (w = joined(s, &a, "|", &many), &w), "one alternative is enough");
    w = (Written){expr_alt(s, (Expr[]){expr_text(s, "ab", 2), a.expr}, 2), "(ab | a)"};
    is_empty(s, &w, "no alternative may be empty");
    is_empty(s, (w = joined(s, &may, "&", &many), &w), "both conditions hold");
    w = repeated(s, &a, 1, 2);
    is_empty(s, (w = joined(s, &w, "&", &many), &w), "all conditions must hold");
    w = (Written){expr_not(s, may.expr), "~(a?)"};
    is_empty(s, &w, "the complement has what the other has not");
    w = (Written){expr_not(s, expr_text(s, "ab", 2)), "~(ab)"};
    is_empty(s, &w, "the complement has what the other has not");
    is_empty(s, &(Written){EXPR_NONE, "none"},
             "no text belongs to none, not even the empty one");
    is_empty(s, &(Written){expr_lazy(s, 3, 1), "the rest of an object"},
             "its last bracket is still to come");
    for (int round = 0; round < 2000; round++) {
        w = any_written(s, 1 + (int)fresh_below(3));
        is_empty(s, &w, "go through the table at the head of the file");
    }
}

/* One of many alternatives is enough, wherever it stands. */
static void empty_among_many(ExprStore *s) {
    Expr of[20];
    for (size_t i = 0; i < 20; i++) of[i] = expr_text(s, (char[]){'a', (char)('a' + i)}, 2);
    is_empty(s, &(Written){expr_alt(s, of, 20), "aa | ab | ... | at"}, "none of 20 may be");
    for (size_t i = 0; i < 20; i++) {
        Expr was = of[i];
        of[i] = expr_repeat(s, was, 0, EXPR_FOREVER);
        is_empty(s,
                 &(Written){expr_alt(s, of, 20), "aa | ab | ... | at, one of them many times"},
                 "one of 20 alternatives is enough");
        of[i] = was;
    }
}

/* Three tests, and the states that the digits of a number lead to. */
static void empty_numbers(ExprStore *s) {
    NumberTest tests[3] = {{.relation = NUMBER_MULTIPLE, .divisor = 7},
                           {.relation = NUMBER_AT_LEAST},
                           {.relation = NUMBER_BELOW}};
    static const char *const names[3] = {"multiple of 7", "at least 150", "below 150"};
    for (int t = 0; t < 3; t++) {
        NEED(t == 0 || decimal_read(&tests[t].bound, text_of("150")));
        uint32_t kept = expr_number_test(s, &tests[t]);
        for (int number = 100; number < 200; number++) {
            char digits[8];
            uint32_t state = 0;
            snprintf(digits, sizeof digits, "%d", number);
            for (char *c = digits; *c; c++) state = number_step(&tests[t], state, (uint8_t)*c);
            Written w = {.expr = expr_number(s, kept, state)};
            snprintf(w.text, sizeof w.text, "%s, after the digits %s", names[t], digits);
            is_empty(s, &w, "a test is asked whether the number may end: number_accepts");
        }
    }
}

/* What stands in a rule: two parts, of which either or both must be; a part is a rule called, a
 * letter or nothing. */
typedef struct Body {
    bool either;
    size_t part[2];
} Body;
enum { A_LETTER = RULES, NOTHING };

static Body fresh_body(size_t rule, bool chained, bool last_is_empty) {
    Body body = {fresh_below(2), {fresh_below(RULES + 2), fresh_below(RULES + 2)}};
    size_t next = rule + 1 < RULES ? rule + 1 : last_is_empty ? NOTHING : A_LETTER;
    return chained ? (Body){false, {next, next}} : body;
}

static Expr part_of(ExprStore *s, size_t part) {
    if (part == A_LETTER) return expr_byte(s, 'x');
    return part == NOTHING ? EXPR_EMPTY : expr_call(s, (uint32_t)part);
}

/* Found by trying, as often as there are rules. */
static void find_empty(const Body *body, bool *empty) {
    for (int i = 0; i < RULES * RULES; i++) {
        const Body *b = &body[i % RULES];
        bool one = b->part[0] < RULES ? empty[b->part[0]] : b->part[0] == NOTHING;
        bool two = b->part[1] < RULES ? empty[b->part[1]] : b->part[1] == NOTHING;
        empty[i % RULES] = empty[i % RULES] || (b->either ? one || two : one && two);
    }
}

static void empty_rules(bool chained, bool last_is_empty) {
    ExprStore s;
    Body body[RULES];
    bool want[RULES] = {false};
    expr_store_init(&s);
    for (size_t r = 0; r < RULES; r++) expr_rule(&s, NULL);
    for (size_t r = 0; r < RULES; r++) {
        body[r] = fresh_body(r, chained, last_is_empty);
        Expr one = part_of(&s, body[r].part[0]), two = part_of(&s, body[r].part[1]);
        s.rule[r].body = body[r].either ? expr_either(&s, one, two) : expr_cat(&s, one, two);
    }
    find_empty(body, want);
    expr_find_nullable(&s);
    for (int r = 0; r < RULES; r++) {
        HINT(s.rule[r].nullable || !want[r],
             chained ? "rule 0 calls rule 1, that calls rule 2, and so on to rule %d, which "
                       "may be empty: "
                       "so may rule %d; one round through the rules is not enough, go on "
                       "until none changes"
                     : "of %d rules at random, rule %d may be empty, and was not found: go on "
                       "until none changes",
             chained ? RULES - 1 : RULES, r);
        HINT(!s.rule[r].nullable || want[r],
             "rule %d is marked as empty, but the empty text does not belong to it: a call "
             "asks its rule, and all rules begin as \"no\"",
             r);
    }
    expr_store_free(&s);
}

/* Each of many rules calls the one behind it, or the one before it, and the last of them may be
 * empty. */
static void long_chain(bool forward) {
    ExprStore s;
    expr_store_init(&s);
    for (uint32_t r = 0; r < MANY; r++) expr_rule(&s, NULL);
    for (uint32_t r = 0; r < MANY; r++)
        s.rule[r].body =
            r == (forward ? MANY - 1 : 0) ? EXPR_EMPTY : expr_call(&s, forward ? r + 1 : r - 1);
    expr_find_nullable(&s);
    for (uint32_t r = 0; r < MANY; r++)
        HINT(s.rule[r].nullable,
             "each of %d rules calls the one %s it, and the last may be empty: so may all, but "
             "rule %u is not marked; go on until none changes, however many rounds it takes",
             MANY, forward ? "behind" : "before", r);
    expr_store_free(&s);
}

GRADE(empty_text) {
    ExprStore s;
    expr_store_init(&s);
    empty_without_calls(&s);
    empty_among_many(&s);
    empty_numbers(&s);
    expr_store_free(&s);
    long_chain(true), long_chain(false);
    for (int round = 0; round < 400; round++) empty_rules(round % 2, round / 2 % 2);
}

GRADES({"6.24", empty_text})
