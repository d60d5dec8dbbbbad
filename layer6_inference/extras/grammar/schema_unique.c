/* schema_unique.c - uniqueItems, if the items come from a few given values.  See schema.h.
 *
 *     {"items": {"enum": ["mon", "tue", "wed"]}, "uniqueItems": true}
 *
 *     state {}          mon -> {mon}      tue -> {tue}      wed -> {wed}      ]
 *     state {mon}       tue -> {mon tue}  wed -> {mon wed}                    ]
 *
 * The set of used values is part of the array's state.  Without a list of values the state
 * would be unbounded: refused.
 *
 * Invariant: values of a plan differ as JSON values (1 and 1.0 are equal). */
#include "schema.h"
#include "json.h"

#include <stdlib.h>

/* The schema that demands it; NULL: none. */
static const JsonValue *find_unique(const Goal *flat) {
    for (size_t i = 0; i < flat->count; i++) {
        const Condition *c = &flat->of[i];
        const JsonValue *unique = c->kind == DIRECT ? json_get(c->schema, "uniqueItems") : NULL;
        if (unique && unique->kind == JSON_TRUE) return c->schema;
    }
    return NULL;
}

/* The values of a goal's first const or enum. */
static const JsonValue *given_values(const Goal *goal, size_t *count) {
    for (size_t i = 0; i < goal->count; i++) {
        if (goal->of[i].kind != DIRECT) continue;
        const JsonValue *one = json_get(goal->of[i].schema, "const"),
                        *list = json_get(goal->of[i].schema, "enum");
        if (one) return *count = 1, one;
        if (list && list->kind == JSON_ARRAY) return *count = list->count, list->items;
    }
    return NULL;
}

static bool came_before(const JsonValue *values, size_t count) {
    for (size_t i = 0; i < count; i++)
        if (schema_equal(&values[i], &values[count])) return true;
    return false;
}

/* Keep the values that meet all other conditions on an item. */
static bool keep_values(Schema *s, uint32_t rule, const JsonValue *values, size_t count,
                        ArrayPlan *plan) {
    plan->value = malloc((count + 1) * sizeof *plan->value);
    NEED_MEMORY(plan->value, "a schema");
    for (size_t i = 0; i < count; i++) {
        bool takes;
        if (!budget_spend(&s->exprs->budget, 1 + i) || came_before(values, i)) continue;
        if (!schema_takes(s, rule, &values[i], &takes)) return false;
        if (takes) plan->value[plan->n_values++] = schema_value(s, &values[i]);
    }
    if (plan->n_values < plan->max) plan->max = (uint32_t)plan->n_values;
    return true;
}

bool schema_unique(Schema *s, const Goal *flat, ArrayPlan *plan) {
    const JsonValue *asked = find_unique(flat);
    Goal goal = {0}, item = {0};
    size_t count = 0;
    if (!asked) return true;
    plan->unique = true;
    schema_item_goal(flat, 0, &goal);
    bool ok = schema_flatten(s, &goal, &item);
    const JsonValue *values = ok ? given_values(&item, &count) : NULL;
    if (ok && (!values || count > SCHEMA_KEYS || plan->n_prefix || plan->contains))
        ok = schema_refuse(
            s, asked, "uniqueItems",
            "is supported for at most one item, and for items that are some of at most "
            "512 given values");
    ok = ok && keep_values(s, plan->rest, values, count, plan);
    goal_free(&goal), goal_free(&item);
    return ok;
}
