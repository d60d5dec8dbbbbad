/* schema_overlap.c - may two schemas of a oneOf hold together?  See schema.h.
 *
 * They cannot if their types differ, if their const or enum values are disjoint, if a required
 * key has disjoint values, or if one requires a key that the other forbids.
 *
 * Invariant: "no" is certain, "yes" is not. */
#include "schema.h"
#include "json.h"

static const JsonValue *through_refs(Schema *s, const JsonValue *schema) {
    for (int i = 0; i < 20; i++) {
        const JsonValue *reference = json_get(schema, "$ref");
        if (!reference || schema->count > 1) return schema;
        schema = reference->kind == JSON_STRING ? schema_resolve(s, reference->text) : NULL;
        if (!schema) return NULL;
    }
    return NULL;
}

uint32_t schema_named_types(const JsonValue *type) {
    static const struct {
        const char *name;
        uint32_t bits;
    } names[] = {{"null", TYPE_BIT_NULL},     {"boolean", TYPE_BIT_BOOLEAN},
                 {"object", TYPE_BIT_OBJECT}, {"array", TYPE_BIT_ARRAY},
                 {"string", TYPE_BIT_STRING}, {"integer", TYPE_BIT_INTEGER},
                 {"number", TYPE_BIT_NUMBER}, {"any", TYPE_BIT_ALL}};
    uint32_t bits = 0;
    if (type->kind == JSON_ARRAY)
        for (size_t i = 0; i < type->count; i++) bits |= schema_named_types(&type->items[i]);
    for (size_t i = 0; type->kind == JSON_STRING && i < sizeof names / sizeof *names; i++)
        if (text_equal(type->text, text_of(names[i].name))) bits |= names[i].bits;
    return bits;
}

static uint32_t possible_types(const JsonValue *schema) {
    if (schema->kind != JSON_OBJECT) return schema->kind == JSON_FALSE ? 0 : TYPE_BIT_ALL;
    uint32_t bits = TYPE_BIT_ALL;
    const JsonValue *type = json_get(schema, "type"), *one = json_get(schema, "const"),
                    *list = json_get(schema, "enum");
    if (type) bits &= schema_named_types(type);
    if (one) bits &= schema_type_of(one);
    if (list && list->kind == JSON_ARRAY) {
        uint32_t any = 0;
        for (size_t i = 0; i < list->count; i++) any |= schema_type_of(&list->items[i]);
        bits &= any;
    }
    return bits;
}

/* The few values a schema allows: const or enum. */
static const JsonValue *few_values(const JsonValue *schema, size_t *count) {
    const JsonValue *one = json_get(schema, "const"), *list = json_get(schema, "enum");
    *count = one ? 1 : list && list->kind == JSON_ARRAY ? list->count : 0;
    return one ? one : list && list->kind == JSON_ARRAY ? list->items : NULL;
}

static bool share_a_value(Schema *s, const JsonValue *a, const JsonValue *b) {
    size_t n, m;
    const JsonValue *x = few_values(a, &n), *y = few_values(b, &m);
    if (!x || !y) return (possible_types(a) & possible_types(b)) != 0;
    for (size_t i = 0; i < n && budget_spend(&s->exprs->budget, 1 + m); i++)
        for (size_t k = 0; k < m; k++)
            if (schema_equal(&x[i], &y[k])) return true;
    return false;
}

static bool schema_overlap_requires_key(const JsonValue *schema, Text key) {
    const JsonValue *required = json_get(schema, "required");
    for (size_t i = 0; required && required->kind == JSON_ARRAY && i < required->count; i++)
        if (required->items[i].kind == JSON_STRING && text_equal(required->items[i].text, key))
            return true;
    return false;
}

/* A required key with disjoint values: a tag. */
static bool told_by_key(Schema *s, const JsonValue *a, const JsonValue *b) {
    const JsonValue *x = json_get(a, "properties"), *y = json_get(b, "properties");
    for (size_t i = 0; x && y && x->kind == JSON_OBJECT && i < x->count; i++) {
        const JsonValue *other = json_find(y, x->keys[i]);
        if (!other || (!schema_overlap_requires_key(a, x->keys[i]) &&
                       !schema_overlap_requires_key(b, x->keys[i])))
            continue;
        const JsonValue *one = through_refs(s, &x->items[i]);
        other = through_refs(s, other);
        if (one && other && !share_a_value(s, one, other)) return true;
    }
    return false;
}

/* One requires a key that the other forbids. */
static bool told_by_lack(const JsonValue *a, const JsonValue *b) {
    const JsonValue *required = json_get(a, "required"),
                    *more = json_get(b, "additionalProperties");
    if (!more || more->kind != JSON_FALSE || json_get(b, "patternProperties")) return false;
    for (size_t i = 0; required && required->kind == JSON_ARRAY && i < required->count; i++)
        if (required->items[i].kind == JSON_STRING &&
            !json_find(json_get(b, "properties"), required->items[i].text))
            return true;
    return false;
}

bool schema_may_overlap(Schema *s, const JsonValue *a, const JsonValue *b) {
    a = through_refs(s, a), b = through_refs(s, b);
    if (!a || !b) return true;
    uint32_t common = possible_types(a) & possible_types(b);
    if (common == 0 || !share_a_value(s, a, b)) return false;
    if (common != TYPE_BIT_OBJECT) return true;
    return !told_by_key(s, a, b) && !told_by_lack(a, b) && !told_by_lack(b, a);
}
