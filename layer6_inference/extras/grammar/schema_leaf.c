/* schema_leaf.c - the texts of a goal without choices, type by type.  See schema.h. */
#include "schema.h"
#include "json.h"

#include <stdlib.h>

/* ------------------------------------------------------------------ types */

bool schema_types(Schema *s, const Goal *flat, uint32_t *mask) {
    size_t at = 0, keyword = 0;
    Said said;
    *mask = TYPE_BIT_ALL;
    for (size_t i = 0; i < flat->count; i++)
        if (flat->of[i].kind == TYPES) *mask &= flat->of[i].index;
    while (schema_next_said(flat, &at, &keyword, &said)) {
        if (!schema_said_is(&said, "type")) continue;
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

/* Excluded values: null, true and false are removed from the types; strings and numbers are
 * left to their own files; arrays and objects are schemas (schema_const.c). */
typedef struct Banned {
    bool yes, no, null;
} Banned;

static void ban_value(const JsonValue *value, Banned *banned) {
    if (value->kind == JSON_NULL) banned->null = true;
    if (value->kind == JSON_TRUE) banned->yes = true;
    if (value->kind == JSON_FALSE) banned->no = true;
}

static void ban_values(const Goal *flat, Banned *banned) {
    size_t at = 0, keyword = 0;
    Said said;
    while (schema_next_said(flat, &at, &keyword, &said)) {
        if (!said.fails) continue;
        if (schema_said_is(&said, "const")) ban_value(said.value, banned);
        for (size_t i = 0; schema_said_is(&said, "enum") && i < said.value->count; i++)
            ban_value(&said.value->items[i], banned);
    }
}

bool schema_given(const Goal *flat, Said *given, size_t *at) {
    size_t keyword = 0;
    *at = 0;
    while (schema_next_said(flat, at, &keyword, given))
        if (!given->fails && (schema_said_is(given, "const") || schema_said_is(given, "enum")))
            return true;
    return false;
}

/* Does any keyword but a type apply beside the const or enum? */
static bool others_speak(const Goal *flat, const Said *given) {
    size_t at = 0, keyword = 0;
    Said said;
    for (size_t i = 0; i < flat->count; i++)
        if (flat->of[i].kind != DIRECT && flat->of[i].kind != TYPES) return true;
    while (schema_next_said(flat, &at, &keyword, &said))
        if (said.value != given->value && !schema_said_is(&said, "type") &&
            schema_is_direct(said.name))
            return true;
    return false;
}

/* The rule of the goal without the const or enum in its condition `at`. */
static bool rest_rule(Schema *s, const Goal *flat, const Said *given, size_t at,
                      uint32_t *rule) {
    Goal rest = {0};
    for (size_t i = 0; i < flat->count; i++) {
        Condition c = flat->of[i];
        if (i == at) c.index |= schema_said_is(given, "const") ? WITHOUT_CONST : WITHOUT_ENUM;
        goal_add(&rest, c);
    }
    bool ok = schema_goal(s, &rest, rule);
    goal_free(&rest);
    return ok;
}

/* Those of the given values that all other conditions allow. */
static bool leaf_of_given(Schema *s, const Goal *flat, const Said *given, size_t at,
                          uint32_t mask, Expr *body) {
    bool one = schema_said_is(given, "const"), ask = others_speak(flat, given), ok = true;
    const JsonValue *values = one ? given->value : given->value->items;
    size_t count = one ? 1 : given->value->count;
    uint32_t rest = 0;
    if (!one && given->value->kind != JSON_ARRAY)
        return schema_refuse(s, given->schema, "enum", "wanted a list of values");
    if (ask && !rest_rule(s, flat, given, at, &rest)) return false;
    Expr *texts = malloc((count + 1) * sizeof *texts);
    NEED_MEMORY(texts, "a schema");
    for (size_t i = 0; ok && i < count; i++) {
        bool takes = (schema_type_of(&values[i]) & mask) != 0;
        if (takes && ask) ok = schema_takes(s, rest, &values[i], &takes);
        texts[i] = takes ? schema_value(s, &values[i]) : EXPR_NONE;
    }
    if (ok) *body = expr_alt(s->exprs, texts, count);
    free(texts);
    return ok;
}

/* ------------------------------------------------------------------ all types */

static void leaf_words(Schema *s, uint32_t mask, const Banned *banned, Expr *body) {
    ExprStore *x = s->exprs;
    Expr words[3] = {EXPR_NONE, EXPR_NONE, EXPR_NONE};
    if (mask & TYPE_BIT_NULL && !banned->null) words[0] = expr_text(x, "null", 4);
    if (mask & TYPE_BIT_BOOLEAN && !banned->yes) words[1] = expr_text(x, "true", 4);
    if (mask & TYPE_BIT_BOOLEAN && !banned->no) words[2] = expr_text(x, "false", 5);
    *body = expr_alt(x, words, 3);
}

/* A type's texts as a rule of their own, so that all values of that type share its states. */
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
    if (!schema_types(s, flat, &mask)) return false;
    if (schema_given(flat, &given, &at)) return leaf_of_given(s, flat, &given, at, mask, body);
    ban_values(flat, &banned);
    leaf_words(s, mask, &banned, &part[0]);
    if (mask & TYPE_BIT_NUMBER && !schema_number(s, flat, mask & TYPE_BIT_NUMBER, &part[1]))
        return false;
    if (mask & TYPE_BIT_STRING && !schema_quoted(s, flat, &part[2])) return false;
    if (mask & TYPE_BIT_ARRAY && !schema_array(s, flat, &part[3])) return false;
    if (mask & TYPE_BIT_OBJECT && !schema_object(s, flat, &part[4])) return false;
    bool single = (mask & (mask - 1)) == 0 || mask == TYPE_BIT_NUMBER;
    for (int i = 1; i < 3 && !single; i++) part[i] = in_rule(s, part[i]);
    *body = expr_alt(s->exprs, part, 5);
    return true;
}
