/* schema_number.c - a goal's numbers: digits, and the bounds and divisors they must pass.  See
 * schema.h. */
#include "schema.h"
#include "number.h"
#include "regex.h"
#include "json.h"

static Expr pattern(Schema *s, const char *source) {
    const RegexOptions options = {.write = charset_utf8};
    Expr e = EXPR_NONE;
    regex_read(s->exprs, text_of(source), &options, &e, NULL);
    return e;
}

typedef struct Tests {
    Expr all;
    bool any;
    NumberTest multiple; /* least common multiple of the divisors, as far as they merge */
    bool divided;        /* there is a divisor */
} Tests;

static void add_expr(Schema *s, Tests *tests, Expr e) {
    tests->all = tests->any ? expr_and(s->exprs, tests->all, e) : e;
    tests->any = true;
}

static void add_test(Schema *s, Tests *tests, const NumberTest *test, bool fails) {
    Expr e = expr_number(s->exprs, expr_number_test(s->exprs, test), 0);
    add_expr(s, tests, fails ? expr_not(s->exprs, e) : e);
}

/* not {"minimum": 5}: below 5; draft 4's "exclusiveMinimum": true excludes 5 itself. */
static bool add_bound(Schema *s, const Said *said, Tests *tests) {
    static const struct {
        const char *name, *strict;
        NumberRelation holds, fails;
    } bounds[] = {
        {"minimum", "exclusiveMinimum", NUMBER_AT_LEAST, NUMBER_BELOW},
        {"maximum", "exclusiveMaximum", NUMBER_AT_MOST, NUMBER_ABOVE},
        {"exclusiveMinimum", "", NUMBER_ABOVE, NUMBER_AT_MOST},
        {"exclusiveMaximum", "", NUMBER_BELOW, NUMBER_AT_LEAST},
    };
    for (size_t i = 0; i < sizeof bounds / sizeof *bounds; i++) {
        NumberTest test = {.relation = said->fails ? bounds[i].fails : bounds[i].holds};
        if (!schema_said_is(said, bounds[i].name)) continue;
        if (i > 1 && (said->value->kind == JSON_TRUE || said->value->kind == JSON_FALSE))
            return true; /* draft 4: read with the bound */
        const JsonValue *strict = json_get(said->schema, bounds[i].strict);
        if (strict && strict->kind == JSON_TRUE)
            test.relation = i == 0 ? (said->fails ? NUMBER_AT_MOST : NUMBER_ABOVE)
                                   : (said->fails ? NUMBER_AT_LEAST : NUMBER_BELOW);
        if (said->value->kind != JSON_NUMBER || !decimal_read(&test.bound, said->value->text))
            return schema_refuse(s, said->schema, bounds[i].name,
                                 "wanted a number of at most 400 digits");
        add_test(s, tests, &test, false);
        return true;
    }
    return true;
}

static bool add_divisor(Schema *s, const Said *said, Tests *tests) {
    Decimal of;
    NumberTest test;
    if (!schema_said_is(said, "multipleOf")) return true;
    if (said->value->kind != JSON_NUMBER || !decimal_read(&of, said->value->text) ||
        !number_multiple(&test, &of))
        return schema_refuse(s, said->schema, "multipleOf",
                             "wanted a number above 0 of at most seven digits");
    if (!said->fails && !tests->divided)
        tests->multiple = test, tests->divided = true;
    else if (said->fails || !number_common(&tests->multiple, &test))
        add_test(s, tests, &test, said->fails);
    return true;
}

/* Exclude this value in all spellings: -0 is 0. */
static bool ban_number(Schema *s, const Said *said, const JsonValue *value, Tests *tests) {
    Decimal d;
    if (value->kind != JSON_NUMBER) return true;
    if (!decimal_read(&d, value->text))
        return schema_refuse(s, said->schema, "not",
                             "a number of more than 400 digits is not supported");
    Expr text = schema_value(s, value), minus = expr_byte(s->exprs, '-');
    bool zero = d.part_count == 0 && d.whole[0] == '0';
    if (zero) text = expr_cat(s->exprs, expr_optional(s->exprs, minus), text);
    add_expr(s, tests, expr_not(s->exprs, text));
    return true;
}

static bool find_tests(Schema *s, const Goal *flat, Tests *tests) {
    size_t at = 0, keyword = 0;
    Said said;
    while (schema_next_said(flat, &at, &keyword, &said)) {
        if (!add_bound(s, &said, tests) || !add_divisor(s, &said, tests)) return false;
        bool one = said.fails && schema_said_is(&said, "const"),
             few = said.fails && schema_said_is(&said, "enum");
        if (one && !ban_number(s, &said, said.value, tests)) return false;
        for (size_t i = 0; few && i < said.value->count; i++)
            if (!ban_number(s, &said, &said.value->items[i], tests)) return false;
    }
    if (tests->divided) add_test(s, tests, &tests->multiple, false);
    return true;
}

bool schema_number(Schema *s, const Goal *flat, uint32_t mask, Expr *body) {
    Tests tests = {.all = EXPR_NONE};
    if (!find_tests(s, flat, &tests)) return false;
    const bool old = s->draft == 3 || s->draft == 4; /* there 1.0 is no integer */
    const char *whole = old ? "-?(0|[1-9][0-9]*)" : "-?(0|[1-9][0-9]*)(\\.0)?";
    const char *part = "-?(0|[1-9][0-9]*)(\\.[0-9]+)?";
    if (mask == TYPE_BIT_FRACTION)
        part = old ? "-?(0|[1-9][0-9]*)\\.[0-9]+" : "-?(0|[1-9][0-9]*)\\.[0-9]*[1-9][0-9]*";
    if (mask == TYPE_BIT_NUMBER && !tests.any)
        part = "-?(0|[1-9][0-9]*)(\\.[0-9]+)?([eE][+-]?[0-9]+)?";
    *body = pattern(s, mask == TYPE_BIT_INTEGER ? whole : part);
    if (tests.any) *body = expr_and(s->exprs, *body, tests.all);
    return schema_settle(s, flat, body);
}
