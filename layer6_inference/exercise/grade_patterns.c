/* The graders of layer 6: what an expression leaves open: the empty text, and its derivative. */
#include "../src/grammar/expr.h"
#include "grader.h"

enum { LONGEST = 4, RULES = 6 };

/* ------------------------------------------------------------------ by definition */

static bool repeats(const ExprStore *s, const ExprNode *n, uint32_t low, uint32_t high,
                    const char *text, size_t size);

/* Does a text belong to an expression without calls?  Every way to cut it is tried. */
static bool holds(const ExprStore *s, Expr e, const char *text, size_t size) {
    const ExprNode *n = &s->node[e];
    switch ((ExprKind)n->kind) {
    case KIND_EMPTY: return size == 0;
    case KIND_BYTES: return size == 1 && byte_set_has(&s->set[n->a], (uint8_t)text[0]);
    case KIND_NOT: return !holds(s, n->a, text, size);
    case KIND_REPEAT: return repeats(s, n, n->low, n->high, text, size);
    case KIND_CAT:
        for (size_t cut = 0; cut <= size; cut++)
            if (holds(s, n->a, text, cut) && holds(s, n->b, text + cut, size - cut))
                return true;
        return false;
    case KIND_ALT:
    case KIND_AND:
        for (uint32_t i = 0; i < n->b; i++)
            if (holds(s, s->child[n->a + i], text, size) == (n->kind == KIND_ALT))
                return n->kind == KIND_ALT;
        return n->kind == KIND_AND;
    default: return false;
    }
}

/* Rounds without a letter help to reach the least number of them, and to nothing else. */
static bool repeats(const ExprStore *s, const ExprNode *n, uint32_t low, uint32_t high,
                    const char *text, size_t size) {
    if (size == 0) return low == 0 || holds(s, n->a, text, 0);
    if (high == 0) return false;
    uint32_t less = high == EXPR_FOREVER ? high : high - 1;
    for (size_t cut = 1; cut <= size; cut++)
        if (holds(s, n->a, text, cut) &&
            repeats(s, n, low ? low - 1 : 0, less, text + cut, size - cut))
            return true;
    return low > 0 && holds(s, n->a, text, 0) && repeats(s, n, low - 1, less, text, size);
}

/* ------------------------------------------------------------------ expressions, and how they are written */

typedef struct Written {
    Expr expr;
    char text[200];
} Written;

static Written letter(ExprStore *s) {
    char c = (char)('a' + fresh_below(3));
    Written w = {expr_byte(s, (uint8_t)c), {c, 0}};
    return w;
}

static Written joined(ExprStore *s, const Written *a, const char *how, const Written *b) {
    Written w;
    w.expr = *how == '|'   ? expr_either(s, a->expr, b->expr)
             : *how == '&' ? expr_and(s, a->expr, b->expr)
                           : expr_cat(s, a->expr, b->expr);
    snprintf(w.text, sizeof w.text, *how ? "(%.90s %s %.90s)" : "%.90s%s%.90s", a->text, how,
             b->text);
    return w;
}

static Written repeated(ExprStore *s, const Written *a, uint32_t low, uint32_t high) {
    Written w = {.expr = expr_repeat(s, a->expr, low, high)};
    if (high == EXPR_FOREVER)
        snprintf(w.text, sizeof w.text, "(%.150s){%u,}", a->text, low);
    else
        snprintf(w.text, sizeof w.text, "(%.150s){%u,%u}", a->text, low, high);
    return w;
}

static Written any_written(ExprStore *s, int depth) {
    if (depth == 0) return letter(s);
    Written a = any_written(s, depth - 1), b = any_written(s, depth - 1), out;
    uint32_t low = (uint32_t)fresh_below(3);
    switch (fresh_below(6)) {
    case 0: return joined(s, &a, "|", &b);
    case 1: return joined(s, &a, "&", &b);
    case 2: return repeated(s, &a, low, low + (uint32_t)fresh_below(2) + 1);
    case 3: return repeated(s, &a, low, EXPR_FOREVER);
    case 4:
        out = (Written){.expr = expr_not(s, a.expr)};
        snprintf(out.text, sizeof out.text, "~(%.150s)", a.text);
        return out;
    default: return joined(s, &a, "", &b);
    }
}

/* The texts of a, b and c: the first, the second ...; "" is the first of all. */
static size_t text_number(size_t number, char *out) {
    size_t size = 0;
    for (; number > 0; number = (number - 1) / 3) out[size++] = (char)('a' + (number - 1) % 3);
    return size;
}
enum { TEXTS = 1 + 3 + 9 + 27 + 81 };

/* ------------------------------------------------------------------ the empty text */

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
    is_empty(s, &a, "a set is one byte, never none");
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
    for (int round = 0; round < 2000; round++) {
        w = any_written(s, 1 + (int)fresh_below(3));
        is_empty(s, &w, "go through the table at the head of the file");
    }
}

/* What stands in a rule: two parts, of which either or both must be; a part is a rule called, a letter or nothing. */
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
             "rule %d is said to be empty, though no text without letters belongs to it: a "
             "call asks its rule, and all rules begin as \"no\"",
             r);
    }
    expr_store_free(&s);
}

GRADE(empty_text) {
    ExprStore s;
    expr_store_init(&s);
    empty_without_calls(&s);
    expr_store_free(&s);
    for (int round = 0; round < 400; round++) empty_rules(round % 2, round / 2 % 2);
}

/* ------------------------------------------------------------------ the derivative */

/* After `byte` there must be left what goes on with it, of all texts up to LONGEST letters. */
static void leaves(ExprStore *s, const Written *w, char byte, const char *why) {
    char text[LONGEST + 2] = {byte};
    Expr after = expr_derive(s, w->expr, (uint8_t)byte);
    for (size_t i = 0; i < TEXTS; i++) {
        size_t size = text_number(i, text + 1);
        bool want = holds(s, w->expr, text, size + 1), got = holds(s, after, text + 1, size);
        text[size + 1] = 0;
        HINT(got || !want,
             "%s after '%c': \"%s\" may still come (\"%s\" belongs to it), and is not in the "
             "derivative: %s",
             w->text, byte, text + 1, text, why);
        HINT(
            !got || want,
            "%s after '%c': the derivative has \"%s\", though \"%s\" does not belong to it: %s",
            w->text, byte, text + 1, text, why);
    }
}

static void leaves_of_cat(ExprStore *s, const Written *a, const Written *b, const Written *c) {
    const Written may = repeated(s, a, 0, 1), also = repeated(s, b, 0, EXPR_FOREVER);
    Written w;
    leaves(s, (w = joined(s, &may, "", b), &w), 'b',
           "the left side may be empty: the right one can begin as well");
    w = joined(s, &also, "", c), w = joined(s, &may, "", &w);
    leaves(s, &w, 'c', "all sides on the left of it may be empty: the last can begin as well");
    leaves(s, &w, 'b', "the second can begin, and the third is kept");
    w = joined(s, &may, "", a);
    leaves(s, &w, 'a', "two ways: the left side reads it, or is empty and the right one does");
}

static void leaves_of_repeat(ExprStore *s, const Written *a, const Written *b) {
    Written w = repeated(s, a, 2, 3), pair = joined(s, a, "", b);
    leaves(s, &w, 'a', "a round is over: one less is needed, and one less allowed");
    leaves(s, &w, 'b', "no round begins with it: nothing is left");
    leaves(s, (w = repeated(s, a, 0, 2), &w), 'a',
           "a round is over: one less is allowed, and 0 of them are still enough");
    leaves(s, (w = repeated(s, a, 1, EXPR_FOREVER), &w), 'a',
           "without an end (EXPR_FOREVER) it stays so");
    leaves(s, (w = repeated(s, &pair, 1, 2), &w), 'a',
           "the round is not over: the rest of it comes first, then the other rounds");
    pair = repeated(s, a, 0, 1);
    leaves(s, (w = repeated(s, &pair, 2, 4), &w), 'a',
           "rounds may be empty: how many are needed never falls below 0");
}

GRADE(derivative) {
    ExprStore s;
    expr_store_init(&s);
    const Written a = {expr_byte(&s, 'a'), "a"}, b = {expr_byte(&s, 'b'), "b"},
                  c = {expr_byte(&s, 'c'), "c"};
    Written ab = joined(&s, &a, "", &b), ac = joined(&s, &a, "", &c),
            aa = repeated(&s, &a, 1, EXPR_FOREVER), w;
    leaves(&s, &ab, 'a', "what stands on the right is kept");
    leaves(&s, &ab, 'b', "the left side cannot be empty: nothing on the right can begin");
    leaves_of_repeat(&s, &a, &b);
    leaves_of_cat(&s, &a, &b, &c);
    leaves(&s, (w = joined(&s, &ab, "|", &ac), &w), 'a',
           "each alternative, and either will do");
    leaves(&s, (w = joined(&s, &ab, "|", &c), &w), 'a',
           "an alternative that does not begin so leaves nothing, and the other one is left");
    w = repeated(&s, &b, 0, EXPR_FOREVER), w = joined(&s, &a, "", &w);
    leaves(&s, (w = joined(&s, &w, "&", &ab), &w), 'a', "all conditions go on holding: an and");
    leaves(&s, (w = joined(&s, &aa, "&", &ab), &w), 'a',
           "all conditions go on holding: an and");
    for (int round = 0; round < 1500; round++) {
        w = any_written(&s, 1 + (int)fresh_below(3));
        leaves(&s, &w, (char)('a' + fresh_below(3)), "take its parts one by one");
    }
    expr_store_free(&s);
}

GRADES({"6.24", empty_text}, {"6.25", derivative})
