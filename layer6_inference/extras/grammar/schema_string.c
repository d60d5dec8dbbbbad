/* schema_string.c - a goal's strings: patterns, formats, lengths, key names.  See schema.h. */
#include "schema.h"
#include "number.h"
#include "regex.h"
#include "json.h"

bool schema_count(Schema *s, const JsonValue *schema, const char *keyword, uint32_t *count,
                  bool *given) {
    const JsonValue *value = json_get(schema, keyword);
    Decimal d;
    *given = value != NULL;
    if (!value) return true;
    if (value->kind != JSON_NUMBER || !decimal_read(&d, value->text) || d.negative ||
        d.part_count > 0)
        return schema_refuse(s, schema, keyword, "wanted an integer from 0");
    uint64_t n = 0;
    for (int i = 0; i < d.whole_count && n < 4000000000u; i++)
        n = n * 10 + (uint64_t)(d.whole[i] - '0');
    *count = n < 1000000000 ? (uint32_t)n : 1000000000; /* practically unlimited */
    return true;
}

bool schema_pattern(Schema *s, const JsonValue *at, Text source, Expr *inside) {
    const RegexOptions options = {.search = true, .write = charset_json};
    Fault fault;
    if (regex_read(s->exprs, source, &options, inside, &fault)) return true;
    return schema_refuse(s, at, "pattern", fault.text);
}

/* Intersect the string with a condition on its characters, in every spelling. */
static bool narrow_string(Schema *s, const Said *said, uint32_t *min, uint32_t *max,
                          Expr *inside) {
    Expr one = EXPR_NONE;
    bool known = true, given;
    uint32_t n = 0;
    if (schema_said_is(said, "pattern")) {
        if (said->value->kind != JSON_STRING)
            return schema_refuse(s, said->schema, "pattern", "wanted a string");
        if (!schema_pattern(s, said->schema, said->value->text, &one)) return false;
    } else if (schema_said_is(said, "format") && said->value->kind == JSON_STRING) {
        if (!schema_format(s, said->value->text, &one, &known)) return false;
        if (!known) return !said->fails || (*max = 0, *min = 1, true);
    } else if (schema_said_is(said, "minLength") || schema_said_is(said, "maxLength")) {
        bool low = schema_said_is(said, "minLength");
        if (!schema_count(s, said->schema, low ? "minLength" : "maxLength", &n, &given))
            return false;
        if (low == said->fails) { /* a maximum */
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

/* Without its quotes. */
static bool schema_string(Schema *s, const Goal *flat, Expr *inside) {
    size_t at = 0, keyword = 0;
    uint32_t min = 0, max = EXPR_FOREVER;
    bool spelled = false; /* already restricted to valid characters by a pattern or format */
    Said said;
    Expr anything = expr_not(s->exprs, EXPR_NONE);
    *inside = anything;
    while (schema_next_said(flat, &at, &keyword, &said)) {
        Expr before = *inside;
        if (!narrow_string(s, &said, &min, &max, inside)) return false;
        spelled = spelled || (!said.fails && *inside != before);
        if (said.fails && schema_said_is(&said, "const")) ban_string(s, said.value, inside);
        for (size_t i = 0; said.fails && schema_said_is(&said, "enum") && i < said.value->count;
             i++)
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
    if (!schema_types(s, flat, &mask)) return false;
    if (!schema_string(s, flat, inside)) return false;
    if (!(mask & TYPE_BIT_STRING)) *inside = EXPR_NONE;
    if (schema_given(flat, &given, &at)) {
        Expr few = EXPR_NONE;
        for (size_t i = 0; i < given.value->count; i++)
            if (given.value->items[i].kind == JSON_STRING)
                few = expr_either(s->exprs, few,
                                  schema_every_spelling(s, given.value->items[i].text));
        *inside = expr_and(s->exprs, *inside, few);
    }
    return true;
}

bool schema_quoted(Schema *s, const Goal *flat, Expr *body) {
    Expr inside, quote = expr_byte(s->exprs, '"');
    if (!schema_string(s, flat, &inside)) return false;
    *body = expr_cat(s->exprs, quote, expr_cat(s->exprs, inside, quote));
    return schema_settle(s, flat, body);
}
