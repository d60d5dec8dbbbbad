/* schema_clash.c - conditions that obviously contradict each other.  See schema.h.
 *
 * The ways of several `not` and `oneOf` multiply; most are pruned here, before any rule is
 * made.
 *
 * Invariant: "yes" is certain, "no" is not. */
#include "schema.h"
#include "json.h"

/* The types that a condition allows. */
static uint32_t types_left(const Condition *c) {
    const JsonValue *type = c->kind == DIRECT ? json_get(c->schema, "type") : NULL;
    bool fails = c->kind == NOT_KEYWORD && schema_is_keyword(c->schema, c->index, "type");
    if (c->kind == TYPES) return c->index;
    if (fails) type = &c->schema->items[c->index];
    uint32_t named = type ? schema_named_types(type) : 0;
    if (named == 0) return TYPE_BIT_ALL; /* none, or invalid: refused later */
    return fails ? TYPE_BIT_ALL & ~named : named;
}

static bool schema_clash_requires_key(const Condition *c, Text key) {
    if (c->kind == REQUIRES) return text_equal(c->key, key);
    const JsonValue *required = c->kind == DIRECT ? json_get(c->schema, "required") : NULL;
    for (size_t i = 0; required && required->kind == JSON_ARRAY && i < required->count; i++)
        if (required->items[i].kind == JSON_STRING && text_equal(required->items[i].text, key))
            return true;
    return false;
}

/* Does the condition demand exactly what another one denies of the key's value? */
static bool asks_of_key(const Condition *c, Text key, const JsonValue *denied) {
    const JsonValue *properties = c->kind == DIRECT ? json_get(c->schema, "properties") : NULL,
                    *own = json_find(properties, key);
    return own && schema_equal(own, denied);
}

/* Only for objects: required keys are present. */
static bool clash_about_key(const Goal *flat, const Condition *c) {
    for (size_t i = 0; i < flat->count; i++) {
        const Condition *other = &flat->of[i];
        if (c->kind == FORBIDS && schema_clash_requires_key(other, c->key)) return true;
        if (c->kind == PROPERTY && c->index == 0 && asks_of_key(other, c->key, c->schema))
            return true;
    }
    return false;
}

bool schema_clashes(const Goal *flat) {
    uint32_t types = TYPE_BIT_ALL;
    for (size_t i = 0; i < flat->count; i++) types &= types_left(&flat->of[i]);
    if (types == 0) return true;
    if (types != TYPE_BIT_OBJECT) return false;
    for (size_t i = 0; i < flat->count; i++)
        if (clash_about_key(flat, &flat->of[i])) return true;
    return false;
}
