/* schema_unevaluated.c - unevaluatedProperties and unevaluatedItems, written with the keywords
 * they stand for.  See schema.h.
 *
 *     {"allOf": [A, B], "unevaluatedProperties": U}      A declares a, B what matches ^x
 *       --> {"allOf": [A, B, {"properties": {"a": true}, "patternProperties": {"^x": true},
 *                             "additionalProperties": U}]}
 *
 * This needs a set of evaluated members that is the same for every value.  A branch of anyOf,
 * oneOf, if or dependentSchemas that declares some makes it depend on the value, and so does
 * `contains` for items: then the keyword stays, and is refused when it is met.
 *
 * Invariant: the copy accepts the same values. */
#include "schema.h"
#include "json.h"

#include <stdlib.h>
#include <string.h>

enum { EVALUATED_MOST = 2 * SCHEMA_KEYS };

/* What a schema evaluates at its own location, its allOf and $ref included. */
typedef struct Evaluated {
    Schema *s;
    const JsonValue *top;         /* which the keyword is in */
    bool items;                   /* of arrays; else of objects */
    bool branches;                /* second pass: anyOf, oneOf, if and their like, too */
    bool all;                     /* everything */
    bool varies;                  /* it depends on the value, or is not known */
    size_t first;                 /* items from the beginning */
    Text of[2][EVALUATED_MOST];   /* declared keys, and patterns */
    size_t place[EVALUATED_MOST]; /* of a key's declaration */
    size_t count[2];
    const JsonValue *seen[EVALUATED_MOST]; /* in this pass */
    size_t n_seen;
} Evaluated;

static void evaluate(Evaluated *e, const JsonValue *schema);

static void evaluated_add(Evaluated *e, int list, const JsonValue *table) {
    for (size_t i = 0; table->kind == JSON_OBJECT && i < table->count; i++) {
        size_t k = 0, n = e->count[list];
        while (k < n && !text_equal(e->of[list][k], table->keys[i])) k++;
        if (k < n) continue;
        if (n == EVALUATED_MOST || !budget_compare(&e->s->exprs->budget, 64 + n)) {
            e->varies = true;
            return;
        }
        if (list == 0) e->place[n] = table->items[i].place;
        e->of[list][e->count[list]++] = table->keys[i];
    }
}

/* A branch that may hold or not: does it evaluate more than what always is? */
static void evaluate_branch(Evaluated *e, const JsonValue *schema) {
    const Evaluated before = {
        .all = e->all, .first = e->first, .count = {e->count[0], e->count[1]}};
    if (!e->branches) return;
    evaluate(e, schema);
    e->varies = e->varies || e->all != before.all || e->first != before.first ||
                memcmp(e->count, before.count, sizeof before.count) != 0;
}

static bool evaluated_is(Text name, const char *const *names, size_t count) {
    for (size_t i = 0; i < count; i++)
        if (text_equal(name, text_of(names[i]))) return true;
    return false;
}

/* Keywords that apply schemas to the same value. */
static void evaluate_parts(Evaluated *e, Text name, const JsonValue *value) {
    static const char *const lists[] = {"anyOf", "oneOf"},
                             *const one[] = {"if", "then", "else"},
                             *const tables[] = {"dependentSchemas", "dependencies"};
    if (text_equal(name, text_of("$ref"))) {
        const JsonValue *target = schema_resolve(e->s, value->text);
        if (target)
            evaluate(e, target);
        else
            e->varies = true;
    }
    bool all = text_equal(name, text_of("allOf"));
    for (size_t i = 0; all && i < value->count; i++) evaluate(e, &value->items[i]);
    if (evaluated_is(name, one, 3)) evaluate_branch(e, value);
    if (evaluated_is(name, lists, 2) || evaluated_is(name, tables, 2))
        for (size_t i = 0; i < value->count; i++) evaluate_branch(e, &value->items[i]);
}

static void evaluate_members(Evaluated *e, const JsonValue *schema, Text name,
                             const JsonValue *value) {
    if (text_equal(name, text_of("properties"))) evaluated_add(e, 0, value);
    if (text_equal(name, text_of("patternProperties"))) evaluated_add(e, 1, value);
    if (text_equal(name, text_of("additionalProperties")) ||
        (text_equal(name, text_of("unevaluatedProperties")) && schema != e->top))
        e->all = true;
}

static void evaluate_items(Evaluated *e, const JsonValue *schema, Text name) {
    const JsonValue *first = schema_first_items(schema), *items = json_get(schema, "items");
    bool list = items && items->kind == JSON_ARRAY;
    if (first && first->count > e->first) e->first = first->count;
    if ((text_equal(name, text_of("items")) && !list) ||
        (text_equal(name, text_of("additionalItems")) && list) ||
        (text_equal(name, text_of("unevaluatedItems")) && schema != e->top))
        e->all = true;
    if (text_equal(name, text_of("contains")) && e->s->draft != 2019) e->varies = true;
}

static void evaluate(Evaluated *e, const JsonValue *schema) {
    size_t i = 0;
    while (i < e->n_seen && e->seen[i] != schema) i++;
    if (i < e->n_seen || schema->kind != JSON_OBJECT) return;
    if (i == EVALUATED_MOST || !budget_compare(&e->s->exprs->budget, 64 + i)) {
        e->varies = true;
        return;
    }
    e->seen[e->n_seen++] = schema;
    for (size_t k = 0; k < schema->count; k++) {
        const Text name = schema->keys[k];
        if (!schema_speaks(e->s, name)) continue;
        if (e->items)
            evaluate_items(e, schema, name);
        else
            evaluate_members(e, schema, name, &schema->items[k]);
        evaluate_parts(e, name, &schema->items[k]);
    }
}

/* What always is, then what branches add. */
static void evaluate_top(Evaluated *e, const JsonValue *schema) {
    e->top = schema;
    evaluate(e, schema);
    if (e->all) e->varies = false; /* whatever branches do */
    e->branches = true, e->n_seen = 0;
    if (!e->all) evaluate(e, schema);
}

/* ------------------------------------------------------------------ what it stands for */

/* An object or list of `count` values, all true; items may be written. */
static JsonValue *evaluated_table(Schema *s, JsonKind kind, const Text *keys, size_t count,
                                  JsonValue **items) {
    JsonValue *out = schema_keep(s, sizeof *out);
    Text *names = keys ? schema_keep(s, (count + 1) * sizeof *names) : NULL;
    *items = schema_keep(s, (count + 1) * sizeof **items);
    for (size_t i = 0; i < count; i++) (*items)[i] = (JsonValue){.kind = JSON_TRUE};
    if (count && keys) memcpy(names, keys, count * sizeof *names);
    *out = (JsonValue){.kind = kind, .count = count, .items = *items, .keys = names};
    return out;
}

/* All that is not evaluated meets `rest`. */
static JsonValue evaluated_schema(const Evaluated *e, JsonValue rest) {
    const Text names[] = {text_of("properties"), text_of("patternProperties"),
                          text_of("additionalProperties")};
    const Text item_names[] = {text_of("prefixItems"), text_of("items")};
    JsonValue *items, *declared, *unused;
    JsonValue *out = e->items ? evaluated_table(e->s, JSON_OBJECT, item_names, 2, &items)
                              : evaluated_table(e->s, JSON_OBJECT, names, 3, &items);
    items[e->items ? 1 : 2] = rest;
    if (e->items) {
        items[0] = *evaluated_table(e->s, JSON_ARRAY, NULL, e->first, &unused);
        return *out;
    }
    items[0] = *evaluated_table(e->s, JSON_OBJECT, e->of[0], e->count[0], &declared);
    for (size_t i = 0; i < e->count[0]; i++) declared[i].place = e->place[i];
    items[1] = *evaluated_table(e->s, JSON_OBJECT, e->of[1], e->count[1], &unused);
    return *out;
}

static void evaluated_remove(JsonValue *copy, Text *keys, JsonValue *items, size_t at) {
    for (size_t i = at; i + 1 < copy->count; i++)
        keys[i] = keys[i + 1], items[i] = items[i + 1];
    copy->count--;
}

/* Append a schema to allOf, which may be new. */
static void evaluated_join(Schema *s, JsonValue *copy, Text *keys, JsonValue *items,
                           JsonValue schema) {
    size_t at = 0;
    while (at < copy->count && !text_equal(keys[at], text_of("allOf"))) at++;
    if (at < copy->count && items[at].kind != JSON_ARRAY) return; /* refused later */
    if (at == copy->count) {
        keys[copy->count] = text_of("allOf");
        items[copy->count++] = (JsonValue){.kind = JSON_ARRAY};
    }
    JsonValue *all, list = items[at];
    evaluated_table(s, JSON_ARRAY, NULL, list.count + 1, &all);
    if (list.count) memcpy(all, list.items, list.count * sizeof *all);
    all[list.count++] = schema;
    list.items = all, items[at] = list;
}

void schema_take_unevaluated(Schema *s, const JsonValue *schema, JsonValue *copy, Text *keys,
                             JsonValue *items) {
    static const char *const names[] = {"unevaluatedProperties", "unevaluatedItems"};
    for (int kind = 0; kind < 2; kind++) {
        size_t at = 0;
        while (at < copy->count && !text_equal(keys[at], text_of(names[kind]))) at++;
        if (at == copy->count) continue;
        Evaluated *e = calloc(1, sizeof *e);
        NEED_MEMORY(e, "a schema");
        e->s = s, e->items = kind == 1;
        evaluate_top(e, schema);
        JsonValue rest = items[at];
        if (!e->varies) evaluated_remove(copy, keys, items, at);
        if (!e->varies && !e->all)
            evaluated_join(s, copy, keys, items, evaluated_schema(e, rest));
        free(e);
    }
}

bool schema_has_unevaluated(const JsonValue *value) {
    for (size_t i = 0; i < value->count; i++)
        if ((value->keys && value->keys[i].size > 11 &&
             memcmp(value->keys[i].data, "unevaluated", 11) == 0) ||
            schema_has_unevaluated(&value->items[i]))
            return true;
    return false;
}
