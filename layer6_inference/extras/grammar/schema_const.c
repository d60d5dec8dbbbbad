/* schema_const.c - a constant as a schema that only it meets.  See schema.h.
 *
 *     5            {"const": 5}
 *     [1, "a"]     {"type": "array", "prefixItems": [{"const": 1}, {"const": "a"}],
 *                   "minItems": 2, "maxItems": 2}
 *     {"k": 1}     {"type": "object", "properties": {"k": {"const": 1}}, "required": ["k"],
 *                   "additionalProperties": false}
 *
 * So "not this value" is one more failing schema (schema_broken.c).
 *
 * Invariant: a value always gets the same schema. */
#include "schema.h"
#include "json.h"

#include <stdio.h>

struct SchemaConst {
    const JsonValue *value;
    JsonValue schema;
    SchemaConst *next;
};

static JsonValue make_object(Schema *s, const char *const *names, const JsonValue *values,
                             size_t count) {
    Text *keys = schema_keep(s, count * sizeof *keys);
    JsonValue *items = schema_keep(s, count * sizeof *items);
    for (size_t i = 0; i < count; i++) keys[i] = text_of(names[i]), items[i] = values[i];
    return (JsonValue){.kind = JSON_OBJECT, .count = count, .keys = keys, .items = items};
}

static JsonValue make_number(Schema *s, size_t number) {
    char *digits = schema_keep(s, 24);
    snprintf(digits, 24, "%zu", number);
    return (JsonValue){.kind = JSON_NUMBER, .text = text_of(digits)};
}

/* {"const": x} for each x in the value, under the same keys. */
static JsonValue make_parts(Schema *s, const JsonValue *value) {
    static const char *const name[] = {"const"};
    JsonValue *items = schema_keep(s, (value->count + 1) * sizeof *items), all = *value;
    for (size_t i = 0; i < value->count; i++)
        items[i] = make_object(s, name, &value->items[i], 1);
    all.items = items;
    return all;
}

static JsonValue schema_const_make_keys(Schema *s, const JsonValue *value) {
    JsonValue *items = schema_keep(s, (value->count + 1) * sizeof *items);
    for (size_t i = 0; i < value->count; i++) items[i] = json_string(value->keys[i]);
    return (JsonValue){.kind = JSON_ARRAY, .count = value->count, .items = items};
}

static JsonValue spelled_out(Schema *s, const JsonValue *value) {
    static const char *const array[] = {"type", "prefixItems", "minItems", "maxItems"},
                             *const object[] = {"type", "properties", "required",
                                                "additionalProperties"};
    static const char *const scalar[] = {"const"};
    if (value->kind != JSON_ARRAY && value->kind != JSON_OBJECT)
        return make_object(s, scalar, value, 1);
    JsonValue count = make_number(s, value->count);
    JsonValue parts = make_parts(s, value);
    if (value->kind == JSON_ARRAY) {
        JsonValue said[] = {json_string(text_of("array")), parts, count, count};
        return make_object(s, array, said, 4);
    }
    JsonValue said[] = {json_string(text_of("object")),
                        parts,
                        schema_const_make_keys(s, value),
                        {.kind = JSON_FALSE}};
    return make_object(s, object, said, 4);
}

const JsonValue *schema_of_value(Schema *s, const JsonValue *value) {
    for (SchemaConst *one = s->consts; one; one = one->next)
        if (one->value == value) return &one->schema;
    SchemaConst *made = schema_keep(s, sizeof *made);
    *made = (SchemaConst){value, spelled_out(s, value), s->consts};
    s->consts = made;
    return &made->schema;
}
