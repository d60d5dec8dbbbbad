/* schema_broken.c - `not`: a schema fails if one of its keywords does, each in its own ways.
 * See schema.h.
 *
 *     not {"required": ["a", "b"]}            an object without a, or one without b
 *     not {"properties": {"a": A}}            an object whose a fails A
 *     not {"additionalProperties": A, ...}    an object with another key, whose value fails A
 *     not {"oneOf": [A, B, C]}                none of them; or A and B, or A and C, or B and C
 *
 * Invariant: a value breaks a keyword if and only if it does so in one of the ways listed
 * here. */
#include "schema.h"
#include "json.h"

#include <stdlib.h>
#include <string.h>

/* ------------------------------------------------------------------ conditions */

static bool is_any(const Condition *c, const char *const *names, size_t count) {
    for (size_t i = 0; i < count; i++)
        if (schema_is_keyword(c->schema, c->index, names[i])) return true;
    return false;
}

/* An item fails `items` (possibly after a list of first items). */
static bool join_item(const Condition *c, const JsonValue *value, Goal *flat) {
    const JsonValue *first = schema_first_items(c->schema);
    uint32_t from = first ? (uint32_t)first->count : 0;
    goal_add(flat, schema_of_types(TYPE_BIT_ARRAY));
    goal_add(flat, (Condition){.kind = SOME_ITEM, .index = from << 1, .schema = value});
    return true;
}

static bool join_no_item(Schema *s, const Condition *c, const JsonValue *value, Goal *flat) {
    uint32_t least = 1;
    bool given;
    if (!schema_count(s, c->schema, "minContains", &least, &given)) return false;
    if (least > 1)
        return schema_refuse(s, c->schema, "minContains", "is not supported inside `not`");
    if (least == 0) return flat->impossible = true; /* true of every array */
    goal_add(flat, schema_of_types(TYPE_BIT_ARRAY));
    goal_add(flat, (Condition){.kind = EVERY_ITEM, .index = 0, .schema = value});
    return true;
}

static bool is_scalar(const JsonValue *value) {
    return value->kind != JSON_ARRAY && value->kind != JSON_OBJECT;
}

/* None of these values.  Scalars are excluded by the leaves, arrays and objects by a failing
 * schema. */
static bool join_no_value(Schema *s, Condition c, const JsonValue *values, size_t count,
                          Goal *flat, Goal *seen) {
    size_t plain = 0;
    while (plain < count && is_scalar(&values[plain])) plain++;
    if (plain == count) return goal_add(flat, c), true;
    for (size_t i = 0; i < count; i++) {
        const JsonValue *schema = schema_of_value(s, &values[i]);
        if (is_scalar(&values[i]))
            goal_add(flat, (Condition){.kind = NOT_KEYWORD, .schema = schema});
        else if (!schema_join(s, schema_holds(schema, false), flat, seen))
            return false;
    }
    return true;
}

/* An additional key whose value fails, or a key that fails propertyNames. */
static bool join_member(const Condition *c, MemberKind kind, Goal *flat) {
    goal_add(flat, schema_of_types(TYPE_BIT_OBJECT));
    goal_add(flat, (Condition){.kind = SOME_MEMBER, .index = kind, .schema = c->schema});
    return true;
}

bool schema_join_broken(Schema *s, Condition c, Goal *flat, Goal *seen) {
    const JsonValue *value = &c.schema->items[c.index];
    SchemaKeyword keyword = schema_keyword(c.schema->keys[c.index]);
    const char *name = keyword.name;
    bool is_list = value->kind == JSON_ARRAY;
    if (keyword.role == SAYS_NOTHING) return flat->impossible = true;
    if (!schema_check_shape(s, c.schema, c.index)) return false;
    if (strcmp(name, "$ref") == 0)
        return schema_join_ref(s, c.schema, value, false, flat, seen);
    if (strcmp(name, "not") == 0) return schema_join(s, schema_holds(value, true), flat, seen);
    if (strcmp(name, "anyOf") == 0) return schema_join_all(s, value, false, flat, seen);
    if (strcmp(name, "contains") == 0) return join_no_item(s, &c, value, flat);
    if (strcmp(name, "minContains") == 0) return flat->impossible = true; /* see contains */
    if (strcmp(name, "items") == 0 && !is_list) return join_item(&c, value, flat);
    if (strcmp(name, "additionalItems") == 0) {
        const JsonValue *items = json_get(c.schema, "items");
        if (!items || items->kind != JSON_ARRAY) return flat->impossible = true;
        return join_item(&c, value, flat);
    }
    if (strcmp(name, "additionalProperties") == 0) return join_member(&c, MEMBER_MORE, flat);
    if (strcmp(name, "propertyNames") == 0) return join_member(&c, MEMBER_NAMED, flat);
    if (strcmp(name, "const") == 0) return join_no_value(s, c, value, 1, flat, seen);
    if (strcmp(name, "enum") == 0)
        return join_no_value(s, c, value->items, value->count, flat, seen);
    if (strcmp(name, "uniqueItems") == 0 && value->kind == JSON_FALSE)
        return flat->impossible = true;
    static const char *const exact[] = {
        "type",     "minimum",    "maximum",       "exclusiveMinimum", "pattern",
        "minItems", "maxItems",   "minProperties", "maxProperties",    "exclusiveMaximum",
        "format",   "multipleOf", "minLength",     "maxLength"};
    if (!schema_breaks_in_ways(c) && !is_any(&c, exact, sizeof exact / sizeof *exact))
        return schema_refuse(s, c.schema, name, "is not supported inside `not`");
    if (keyword.types) goal_add(flat, schema_of_types(keyword.types));
    goal_add(flat, c);
    return true;
}

/* ------------------------------------------------------------------ ways */

bool schema_choose_failing(Ways *w, const JsonValue *schema) {
    const JsonValue *reference = json_get(schema, "$ref");
    for (uint32_t i = 0; i < schema->count; i++) {
        if (reference && schema_ref_is_alone(w->s) && &schema->items[i] != reference) continue;
        SchemaKeyword keyword = schema_keyword(schema->keys[i]);
        if (keyword.role == SAYS_NOTHING) continue;
        Condition way = {.kind = NOT_KEYWORD, .index = i, .schema = schema};
        if (!schema_add_way(w, &way, 1)) return false;
    }
    return true;
}

/* None of the schemas holds, or two of them do. */
static bool break_one_of(Ways *w, const JsonValue *list) {
    Condition *none = malloc((list->count + 1) * sizeof *none);
    NEED_MEMORY(none, "a schema");
    for (size_t i = 0; i < list->count; i++) none[i] = schema_holds(&list->items[i], false);
    bool ok = schema_add_way(w, none, list->count);
    free(none);
    for (size_t i = 0; i < list->count; i++)
        for (size_t k = 0; ok && k < i; k++) {
            Condition two[2] = {schema_holds(&list->items[i], true),
                                schema_holds(&list->items[k], true)};
            if (schema_may_overlap(w->s, &list->items[i], &list->items[k]))
                ok = schema_add_way(w, two, 2);
        }
    return ok;
}

/* The key is present, but a key it requires is missing, or the schema it requires fails. */
static bool break_dependent(Ways *w, Text key, const JsonValue *asked) {
    Condition way[3] = {schema_of_types(TYPE_BIT_OBJECT), {.kind = REQUIRES, .key = key}};
    if (asked->kind != JSON_ARRAY) {
        way[2] = schema_holds(asked, false);
        return schema_add_way(w, way, 3);
    }
    for (size_t i = 0; i < asked->count; i++) {
        if (asked->items[i].kind != JSON_STRING)
            return schema_refuse(w->s, asked, NULL, "wanted a list of keys");
        way[2] = (Condition){.kind = FORBIDS, .key = asked->items[i].text};
        if (!schema_add_way(w, way, 3)) return false;
    }
    return true;
}

/* Does every value meet it? */
static bool is_trivial(const JsonValue *schema) {
    return schema->kind == JSON_TRUE || (schema->kind == JSON_OBJECT && schema->count == 0);
}

static bool break_part(Ways *w, Condition c, size_t i) {
    const JsonValue *value = &c.schema->items[c.index], *part = &value->items[i];
    Text key = value->kind == JSON_OBJECT ? value->keys[i] : part->text;
    Condition lacks = {.kind = FORBIDS, .key = key};
    Condition item = {.kind = ITEM_FAILS, .index = (uint32_t)i, .schema = part};
    Condition member = {
        .kind = SOME_MEMBER, .index = MEMBER_MATCHING, .schema = c.schema, .key = key};
    Condition all = schema_holds(part, false);
    Condition property[2] = {{.kind = REQUIRES, .key = key},
                             {.kind = PROPERTY, .index = 0, .key = key, .schema = part}};
    if (is_trivial(part)) return true;
    if (schema_is_keyword(c.schema, c.index, "allOf")) return schema_add_way(w, &all, 1);
    if (schema_is_keyword(c.schema, c.index, "required"))
        return part->kind == JSON_STRING
                   ? schema_add_way(w, &lacks, 1)
                   : schema_refuse(w->s, c.schema, "required", "wanted a list of keys");
    if (schema_is_keyword(c.schema, c.index, "properties"))
        return schema_add_way(w, property, 2);
    if (schema_is_keyword(c.schema, c.index, "patternProperties"))
        return schema_add_way(w, &member, 1);
    if (value->kind == JSON_ARRAY) return schema_add_way(w, &item, 1); /* prefixItems, items */
    return break_dependent(w, key, part);
}

bool schema_choose_broken(Ways *w, Condition c) {
    const JsonValue *value = &c.schema->items[c.index];
    if (schema_is_keyword(c.schema, c.index, "if")) return schema_choose_if(w, c.schema, false);
    if (schema_is_keyword(c.schema, c.index, "oneOf")) return break_one_of(w, value);
    for (size_t i = 0; i < value->count; i++)
        if (!break_part(w, c, i)) return false;
    return true;
}

bool schema_breaks_in_ways(Condition c) {
    static const char *const names[] = {"required",
                                        "allOf",
                                        "properties",
                                        "if",
                                        "oneOf",
                                        "dependentRequired",
                                        "dependentSchemas",
                                        "dependencies",
                                        "patternProperties",
                                        "prefixItems"};
    if (schema_is_keyword(c.schema, c.index, "items"))
        return c.schema->items[c.index].kind == JSON_ARRAY;
    return is_any(&c, names, sizeof names / sizeof *names);
}
