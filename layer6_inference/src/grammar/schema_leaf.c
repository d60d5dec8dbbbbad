/* schema_leaf.c - the texts of a goal without choices, type by type.  See schema.h. */
#include "schema.h"
#include "number.h"
#include "regex.h"

#include <stdlib.h>
#include <string.h>

/* Walk the keywords of a goal: those that hold, and those that fail. */
typedef struct Said {
    const JsonValue *schema, *value; /* where, and what the keyword is given */
    Text name;
    bool fails;
} Said;

static bool is(const Said *said, const char *name) {
    return text_equal(said->name, text_of(name));
}

static bool next_said(const Goal *flat, size_t *condition, size_t *keyword, Said *said) {
    for (; *condition < flat->count; ++*condition, *keyword = 0) {
        const Condition *c = &flat->of[*condition];
        while (c->kind == DIRECT && *keyword < c->schema->count) {
            *said = (Said){c->schema, &c->schema->items[*keyword], c->schema->keys[*keyword],
                           false};
            ++*keyword;
            if (!(is(said, "const") && c->index & WITHOUT_CONST) &&
                !(is(said, "enum") && c->index & WITHOUT_ENUM))
                return true;
        }
        if (c->kind == NOT_KEYWORD && *keyword == 0) {
            *said =
                (Said){c->schema, &c->schema->items[c->index], c->schema->keys[c->index], true};
            *keyword = 1;
            return true;
        }
    }
    return false;
}

/* ------------------------------------------------------------------ types */

static bool find_types(Schema *s, const Goal *flat, uint32_t *mask) {
    size_t at = 0, keyword = 0;
    Said said;
    *mask = TYPE_BIT_ALL;
    for (size_t i = 0; i < flat->count; i++)
        if (flat->of[i].kind == TYPES) *mask &= flat->of[i].index;
    while (next_said(flat, &at, &keyword, &said)) {
        if (!is(&said, "type")) continue;
        uint32_t named = schema_named_types(said.value);
        if (named == 0)
            return schema_refuse(
                s, said.schema, "type",
                "wanted null, boolean, object, array, number, integer, string or "
                "a list of them");
        *mask &= said.fails ? TYPE_BIT_ALL & ~named : named;
    }
    return true;
}

/* ------------------------------------------------------------------ given values */

/* Values that are ruled out: null, true and false go from the types, strings and numbers are left
 * for those who write them, arrays and objects are refused. */
typedef struct Banned {
    bool yes, no, null;
} Banned;

static bool ban_value(Schema *s, const Said *said, const JsonValue *value, uint32_t mask,
                      Banned *banned) {
    if (value->kind == JSON_NULL) banned->null = true;
    if (value->kind == JSON_TRUE) banned->yes = true;
    if (value->kind == JSON_FALSE) banned->no = true;
    if ((value->kind == JSON_ARRAY || value->kind == JSON_OBJECT) &&
        (schema_type_of(value) & mask))
        return schema_refuse(s, said->schema, "not",
                             "a given array or object is not supported");
    return true;
}

static bool ban_values(Schema *s, const Goal *flat, uint32_t mask, Banned *banned) {
    size_t at = 0, keyword = 0;
    Said said;
    while (next_said(flat, &at, &keyword, &said)) {
        if (!said.fails) continue;
        if (is(&said, "const") && !ban_value(s, &said, said.value, mask, banned)) return false;
        for (size_t i = 0; is(&said, "enum") && i < said.value->count; i++)
            if (!ban_value(s, &said, &said.value->items[i], mask, banned)) return false;
    }
    return true;
}

/* The first const or enum of a goal: then it holds for some of a few values. */
static bool find_given(const Goal *flat, Said *given, size_t *at) {
    size_t keyword = 0;
    *at = 0;
    while (next_said(flat, at, &keyword, given))
        if (!given->fails && (is(given, "const") || is(given, "enum"))) return true;
    return false;
}

/* Does anything but a type speak beside the const or enum? */
static bool others_speak(const Goal *flat, const Said *given) {
    size_t at = 0, keyword = 0;
    Said said;
    for (size_t i = 0; i < flat->count; i++)
        if (flat->of[i].kind != DIRECT && flat->of[i].kind != TYPES) return true;
    while (next_said(flat, &at, &keyword, &said))
        if (said.value != given->value && !is(&said, "type") && schema_is_direct(said.name))
            return true;
    return false;
}

/* The rule of the goal without the const or enum in its condition `at`. */
static bool rest_rule(Schema *s, const Goal *flat, const Said *given, size_t at,
                      uint32_t *rule) {
    Goal rest = {0};
    for (size_t i = 0; i < flat->count; i++) {
        Condition c = flat->of[i];
        if (i == at) c.index |= is(given, "const") ? WITHOUT_CONST : WITHOUT_ENUM;
        goal_add(&rest, c);
    }
    bool ok = schema_goal(s, &rest, rule);
    goal_free(&rest);
    return ok;
}

/* Those of the given values that everything else allows. */
static bool leaf_of_given(Schema *s, const Goal *flat, const Said *given, size_t at,
                          uint32_t mask, Expr *body) {
    bool one = is(given, "const"), ask = others_speak(flat, given), ok = true;
    const JsonValue *values = one ? given->value : given->value->items;
    size_t count = one ? 1 : given->value->count;
    uint32_t rest = 0;
    if (!one && given->value->kind != JSON_ARRAY)
        return schema_refuse(s, given->schema, "enum", "wanted a list of values");
    if (ask && !rest_rule(s, flat, given, at, &rest)) return false;
    Expr *texts = malloc((count + 1) * sizeof *texts);
    REQUIRE(texts, "no memory for a schema");
    for (size_t i = 0; ok && i < count; i++) {
        bool takes = (schema_type_of(&values[i]) & mask) != 0;
        if (takes && ask) ok = schema_takes(s, rest, &values[i], &takes);
        texts[i] = takes ? schema_value(s, &values[i]) : EXPR_NONE;
    }
    if (ok) *body = expr_alt(s->exprs, texts, count);
    free(texts);
    return ok;
}

/* ------------------------------------------------------------------ numbers */

static Expr pattern(Schema *s, const char *source) {
    const RegexOptions options = {.write = charset_utf8};
    Expr e = EXPR_NONE;
    regex_read(s->exprs, text_of(source), &options, &e, NULL);
    return e;
}

/* Bounds and divisors of a goal, all of which must hold. */
typedef struct Tests {
    Expr all;
    bool any;
} Tests;

static void add_test(Schema *s, Tests *tests, const NumberTest *test, bool fails) {
    Expr e = expr_number(s->exprs, expr_number_test(s->exprs, test), 0);
    if (fails) e = expr_not(s->exprs, e);
    tests->all = tests->any ? expr_and(s->exprs, tests->all, e) : e;
    tests->any = true;
}

/* minimum 5 fails below 5; draft 4's "exclusiveMinimum": true makes 5 itself fail. */
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
        if (!is(said, bounds[i].name)) continue;
        if (i > 1 && (said->value->kind == JSON_TRUE || said->value->kind == JSON_FALSE))
            return true; /* draft 4: read beside the bound */
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
    if (!is(said, "multipleOf")) return true;
    if (said->value->kind != JSON_NUMBER || !decimal_read(&of, said->value->text) ||
        !number_multiple(&test, &of))
        return schema_refuse(s, said->schema, "multipleOf",
                             "wanted a number above 0 of at most seven digits");
    add_test(s, tests, &test, said->fails);
    return true;
}

static void ban_number(Schema *s, const JsonValue *value, Tests *tests) {
    if (value->kind != JSON_NUMBER) return;
    Expr others = expr_not(s->exprs, schema_value(s, value));
    tests->all = tests->any ? expr_and(s->exprs, tests->all, others) : others;
    tests->any = true;
}

static bool find_tests(Schema *s, const Goal *flat, Tests *tests) {
    size_t at = 0, keyword = 0;
    Said said;
    while (next_said(flat, &at, &keyword, &said)) {
        if (!add_bound(s, &said, tests) || !add_divisor(s, &said, tests)) return false;
        if (said.fails && is(&said, "const")) ban_number(s, said.value, tests);
        for (size_t i = 0; said.fails && is(&said, "enum") && i < said.value->count; i++)
            ban_number(s, &said.value->items[i], tests);
    }
    return true;
}

static bool leaf_number(Schema *s, const Goal *flat, uint32_t mask, Expr *body) {
    Tests tests = {EXPR_NONE, false};
    if (!find_tests(s, flat, &tests)) return false;
    const char *plain = "-?(0|[1-9][0-9]*)", *part = "-?(0|[1-9][0-9]*)(\\.[0-9]+)?";
    if (mask == TYPE_BIT_FRACTION) part = "-?(0|[1-9][0-9]*)\\.[0-9]*[1-9][0-9]*";
    if (mask == TYPE_BIT_NUMBER && !tests.any)
        part = "-?(0|[1-9][0-9]*)(\\.[0-9]+)?([eE][+-]?[0-9]+)?";
    *body = pattern(s, mask == TYPE_BIT_INTEGER ? plain : part);
    if (tests.any) *body = expr_and(s->exprs, *body, tests.all);
    return true;
}

/* ------------------------------------------------------------------ strings */

bool schema_count(Schema *s, const JsonValue *schema, const char *keyword, uint32_t *count,
                  bool *given) {
    const JsonValue *value = json_get(schema, keyword);
    Decimal d;
    *given = value != NULL;
    if (!value) return true;
    if (value->kind != JSON_NUMBER || !decimal_read(&d, value->text) || d.negative ||
        d.part_count > 0)
        return schema_refuse(s, schema, keyword, "wanted a whole number from 0");
    uint64_t n = 0;
    for (int i = 0; i < d.whole_count && n < 4000000000u; i++)
        n = n * 10 + (uint64_t)(d.whole[i] - '0');
    *count = n < 1000000000 ? (uint32_t)n : 1000000000; /* as good as no limit */
    return true;
}

bool schema_pattern(Schema *s, const JsonValue *at, Text source, Expr *inside) {
    const RegexOptions options = {.search = true, .write = charset_json};
    Fault fault;
    if (regex_read(s->exprs, source, &options, inside, &fault)) return true;
    return schema_refuse(s, at, "pattern", fault.text);
}

/* Conditions on a string's characters: every spelling of those that meet them. */
static bool narrow_string(Schema *s, const Said *said, uint32_t *min, uint32_t *max,
                          Expr *inside) {
    Expr one = EXPR_NONE;
    bool known = true, given;
    uint32_t n = 0;
    if (is(said, "pattern")) {
        if (said->value->kind != JSON_STRING)
            return schema_refuse(s, said->schema, "pattern", "wanted a string");
        if (!schema_pattern(s, said->schema, said->value->text, &one)) return false;
    } else if (is(said, "format") && said->value->kind == JSON_STRING) {
        if (!schema_format(s, said->value->text, &one, &known)) return false;
        if (!known) return !said->fails || (*max = 0, *min = 1, true);
    } else if (is(said, "minLength") || is(said, "maxLength")) {
        bool low = is(said, "minLength");
        if (!schema_count(s, said->schema, low ? "minLength" : "maxLength", &n, &given))
            return false;
        if (low == said->fails) { /* an upper limit */
            if (said->fails && n == 0)
                *min = 1, *max = 0;
            else if (n - said->fails < *max)
                *max = n - said->fails;
        } else if (n + said->fails > *min) {
            *min = n + said->fails;
        }
        return true;
    } else {
        return true;
    }
    if (said->fails) one = expr_not(s->exprs, one);
    *inside = expr_and(s->exprs, *inside, one);
    return true;
}

static void ban_string(Schema *s, const JsonValue *value, Expr *inside) {
    if (value->kind != JSON_STRING) return;
    Expr others = expr_not(s->exprs, schema_every_spelling(s, value->text));
    *inside = expr_and(s->exprs, *inside, others);
}

bool schema_string(Schema *s, const Goal *flat, Expr *inside) {
    size_t at = 0, keyword = 0;
    uint32_t min = 0, max = EXPR_FOREVER;
    bool spelled = false; /* a pattern or format: characters and nothing else */
    Said said;
    Expr anything = expr_not(s->exprs, EXPR_NONE);
    *inside = anything;
    while (next_said(flat, &at, &keyword, &said)) {
        Expr before = *inside;
        if (!narrow_string(s, &said, &min, &max, inside)) return false;
        spelled = spelled || (!said.fails && *inside != before);
        if (said.fails && is(&said, "const")) ban_string(s, said.value, inside);
        for (size_t i = 0; said.fails && is(&said, "enum") && i < said.value->count; i++)
            ban_string(s, &said.value->items[i], inside);
    }
    if (max < min) return *inside = EXPR_NONE, true;
    if (spelled && min == 0 && max == EXPR_FOREVER) return true;
    *inside = expr_and(s->exprs, *inside, expr_repeat(s->exprs, s->any_char, min, max));
    return true;
}

bool schema_names(Schema *s, const Goal *flat, Expr *inside) {
    uint32_t mask;
    Said given;
    size_t at;
    if (!find_types(s, flat, &mask)) return false;
    if (!schema_string(s, flat, inside)) return false;
    if (!(mask & TYPE_BIT_STRING)) *inside = EXPR_NONE;
    if (find_given(flat, &given, &at)) {
        Expr few = EXPR_NONE;
        for (size_t i = 0; i < given.value->count; i++)
            if (given.value->items[i].kind == JSON_STRING)
                few = expr_either(s->exprs, few,
                                  schema_every_spelling(s, given.value->items[i].text));
        *inside = expr_and(s->exprs, *inside, few);
    }
    return true;
}

static bool leaf_string(Schema *s, const Goal *flat, Expr *body) {
    Expr inside, quote = expr_byte(s->exprs, '"');
    if (!schema_string(s, flat, &inside)) return false;
    *body = expr_cat(s->exprs, quote, expr_cat(s->exprs, inside, quote));
    return true;
}

/* ------------------------------------------------------------------ all types */

static bool leaf_words(Schema *s, uint32_t mask, const Banned *banned, Expr *body) {
    ExprStore *x = s->exprs;
    Expr words[3] = {EXPR_NONE, EXPR_NONE, EXPR_NONE};
    if (mask & TYPE_BIT_NULL && !banned->null) words[0] = expr_text(x, "null", 4);
    if (mask & TYPE_BIT_BOOLEAN && !banned->yes) words[1] = expr_text(x, "true", 4);
    if (mask & TYPE_BIT_BOOLEAN && !banned->no) words[2] = expr_text(x, "false", 5);
    *body = expr_alt(x, words, 3);
    return true;
}

/* A type's texts in a rule of their own, so that all values of that kind share its states. */
static Expr in_rule(Schema *s, Expr body) {
    if (body == EXPR_NONE) return body;
    uint32_t rule = expr_rule(s->exprs, NULL);
    s->exprs->rule[rule].body = body;
    return expr_call(s->exprs, rule);
}

bool schema_leaf(Schema *s, const Goal *flat, Expr *body) {
    Expr part[5] = {EXPR_NONE, EXPR_NONE, EXPR_NONE, EXPR_NONE, EXPR_NONE};
    uint32_t mask;
    Banned banned = {0};
    Said given;
    size_t at;
    if (!find_types(s, flat, &mask)) return false;
    if (find_given(flat, &given, &at)) return leaf_of_given(s, flat, &given, at, mask, body);
    if (!ban_values(s, flat, mask, &banned) || !leaf_words(s, mask, &banned, &part[0]))
        return false;
    if (mask & TYPE_BIT_NUMBER && !leaf_number(s, flat, mask & TYPE_BIT_NUMBER, &part[1]))
        return false;
    if (mask & TYPE_BIT_STRING && !leaf_string(s, flat, &part[2])) return false;
    if (mask & TYPE_BIT_ARRAY && !schema_array(s, flat, &part[3])) return false;
    if (mask & TYPE_BIT_OBJECT && !schema_object(s, flat, &part[4])) return false;
    bool single = (mask & (mask - 1)) == 0 || mask == TYPE_BIT_NUMBER;
    for (int i = 1; i < 3 && !single; i++) part[i] = in_rule(s, part[i]);
    *body = expr_alt(s->exprs, part, 5);
    return true;
}
