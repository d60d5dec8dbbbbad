/* The grader of layer 6: what is left of an expression after a byte. */
#include "written.h"

/* glibc overwrites freed memory, so a use after free finds garbage. */
#ifdef __GLIBC__
#include <malloc.h>
#define PERTURB() mallopt(M_PERTURB, 0x5A)
#else
#define PERTURB() (void)0
#endif

enum { LONGEST = 4, TEXTS = 1 + 3 + 9 + 27 + 81 };

/* The texts of a, b and c: the first, the second ...; "" is the first of all. */
static size_t text_number(size_t number, char *out) {
    size_t size = 0;
    for (; number > 0; number = (number - 1) / 3) out[size++] = (char)('a' + (number - 1) % 3);
    return size;
}

/* With a full store, making an expression moves all nodes: pointers into it become invalid. */
static void fill_up(ExprStore *s) {
    size_t bytes = s->count * sizeof *s->node;
    ExprNode *node = malloc(bytes);
    NEED(node);
    memcpy(node, s->node, bytes);
    free(s->node);
    s->node = node, s->room = s->count;
}

/* The derivative must be the rests of texts that begin with `byte`, up to LONGEST letters. */
static void leaves(ExprStore *s, const Written *w, char byte, const char *why) {
    char text[LONGEST + 2] = {byte};
    if (s->count < 5000) fill_up(s);
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

/* More parts than a small array holds: all texts of two letters except one; intersected. */
static void leaves_of_many(ExprStore *s) {
    for (char c = 'a'; c < 'd'; c++) {
        Expr of[40], all = EXPR_ANYTHING;
        for (int i = 0; i < 40; i++) {
            char text[3] = {c, (char)('a' + i % 3), (char)('0' + i)};
            of[i] = expr_text(s, text, 3), all = expr_and(s, all, expr_not(s, of[i]));
        }
        Expr one = expr_derive(s, expr_alt(s, of, 40), (uint8_t)c),
             none = expr_derive(s, all, (uint8_t)c);
        for (int i = 0; i < 40; i++) {
            Expr left = expr_derive(s, one, (uint8_t)('a' + i % 3)),
                 kept = expr_derive(s, none, (uint8_t)('a' + i % 3));
            HINT(expr_is_nullable(s, expr_derive(s, left, (uint8_t)('0' + i))),
                 "an or of 40: after the first byte, alternative %d is lost", i);
            HINT(!expr_is_nullable(s, expr_derive(s, kept, (uint8_t)('0' + i))),
                 "an and of 40: after the first byte, condition %d is lost", i);
        }
    }
}

/* Many rounds; without a limit the expression must stay the same, or it would grow for ever. */
static void leaves_of_rounds(ExprStore *s, Expr a) {
    enum { ROUNDS = 70000 };
    Expr left = expr_repeat(s, a, ROUNDS - 1, ROUNDS),
         more = expr_repeat(s, a, 2, EXPR_FOREVER);
    for (int i = 0; i < ROUNDS; i++) {
        HINT(expr_is_nullable(s, left) == (i == ROUNDS - 1),
             "a{%d,%d} after %d times 'a': the empty text %s to what is left", ROUNDS - 1,
             ROUNDS, i, i == ROUNDS - 1 ? "belongs" : "does not belong");
        left = expr_derive(s, left, 'a');
    }
    HINT(expr_is_nullable(s, left) && expr_derive(s, left, 'a') == EXPR_NONE,
         "a{%d,%d} after %d times 'a': only the empty text is left", ROUNDS - 1, ROUNDS,
         ROUNDS);
    for (int i = 0; i < 10; i++) more = expr_derive(s, more, 'a');
    uint32_t count = s->count;
    for (int i = 0; i < 100; i++) more = expr_derive(s, more, 'a');
    HINT(
        s->count < count + 20,
        "a{2,} after a hundred times 'a' is %u expressions more: without an end (EXPR_FOREVER) "
        "it stays so, and one less would be another one each time",
        s->count - count);
}

/* A byte is 0 to 255. */
static void leaves_of_bytes(ExprStore *s) {
    for (unsigned byte = 0; byte < 256; byte++) {
        Expr e = expr_byte(s, (uint8_t)byte), b = expr_byte(s, 'b'),
             many = expr_repeat(s, e, 2, 3);
        Expr forms[] = {expr_cat(s, e, b), expr_cat(s, many, b),
                        expr_either(s, expr_cat(s, e, b), expr_text(s, "xyz", 3))};
        for (size_t f = 0; f < 3; f++)
            for (unsigned other = 0; other < 256; other += 1 + 31 * (other != byte - 1))
                HINT((expr_derive(s, forms[f], (uint8_t)other) != EXPR_NONE) ==
                         (other == byte || (f == 2 && other == 'x')),
                     "an expression that begins with the byte %u, after the byte %u: bytes are "
                     "0 "
                     "to 255, and all of their bits count",
                     byte, other);
    }
}

GRADE(derivative) {
    ExprStore s;
    PERTURB();
    expr_store_init(&s);
    const Written a = {expr_byte(&s, 'a'), "a"}, b = {expr_byte(&s, 'b'), "b"},
                  c = {expr_byte(&s, 'c'), "c"};
    Written ab = joined(&s, &a, "", &b), ac = joined(&s, &a, "", &c),
            aa = repeated(&s, &a, 1, EXPR_FOREVER), w;
    leaves(&s, &ab, 'a', "the right side is kept");
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
    leaves_of_many(&s), leaves_of_rounds(&s, a.expr), leaves_of_bytes(&s);
    expr_store_free(&s);
}

GRADES({"6.25", derivative})
