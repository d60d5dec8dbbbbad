/* schema_array.c - the texts of an array.  See schema.h.
 *
 * An array unfolds as it is read: in each state (the number of items so far) it may end, or
 * continue with the item of that position and go to the next state. */
#include "schema.h"
#include "json.h"

#include <stdlib.h>
#include <string.h>

/* ------------------------------------------------------------------ limits */

static bool schema_array_narrow(Schema *s, const Condition *c, ArrayPlan *plan) {
    static const char *const names[] = {"minItems", "maxItems"};
    if (c->kind == ITEM_FAILS && c->index >= plan->min) plan->min = c->index + 1;
    if (c->kind != DIRECT && c->kind != NOT_KEYWORD) return true;
    for (int upper = 0; upper < 2; upper++) {
        uint32_t n = 0;
        bool given, fails = c->kind == NOT_KEYWORD;
        if (fails && !text_equal(c->schema->keys[c->index], text_of(names[upper]))) continue;
        if (!schema_count(s, c->schema, names[upper], &n, &given)) return false;
        if (!given) continue;
        if (upper != fails) { /* at most n; or fails "at least n" */
            if (fails && n == 0)
                plan->min = 1, plan->max = 0;
            else if (n - fails < plan->max)
                plan->max = n - fails;
        } else if (n + fails > plan->min) {
            plan->min = n + fails;
        }
    }
    return true;
}

/* ------------------------------------------------------------------ items */

/* The list of first items: prefixItems, or `items` in drafts before 2020. */
const JsonValue *schema_first_items(const JsonValue *schema) {
    const JsonValue *prefix = json_get(schema, "prefixItems"),
                    *items = json_get(schema, "items");
    if (prefix) return prefix->kind == JSON_ARRAY ? prefix : NULL;
    return items && items->kind == JSON_ARRAY ? items : NULL;
}

static const JsonValue *other_items(const JsonValue *schema) {
    const JsonValue *items = json_get(schema, "items");
    if (items && items->kind == JSON_ARRAY) return json_get(schema, "additionalItems");
    return items;
}

/* The conditions on the item at `place`. */
void schema_item_goal(const Goal *flat, size_t place, Goal *goal) {
    for (size_t i = 0; i < flat->count; i++) {
        const Condition *c = &flat->of[i];
        if (c->kind == EVERY_ITEM) goal_add(goal, schema_holds(c->schema, c->index));
        if (c->kind == ITEM_FAILS && c->index == place)
            goal_add(goal, schema_holds(c->schema, false));
        if (c->kind != DIRECT) continue;
        const JsonValue *first = schema_first_items(c->schema), *other = other_items(c->schema);
        const JsonValue *item = first && place < first->count ? &first->items[place] : other;
        if (item) goal_add(goal, (Condition){.kind = HOLDS, .schema = item});
    }
}

/* The `contains` item: its condition, and its first possible position. */
typedef struct Hit {
    Condition condition;
    size_t from;
} Hit;

/* The rule of the item at `place`; with `hit`, of one that is also the `contains` item. */
static bool item_rule(Schema *s, const Goal *flat, size_t place, const Hit *hit,
                      uint32_t *rule) {
    static const JsonValue never = {.kind = JSON_FALSE};
    Goal goal = {0};
    schema_item_goal(flat, place, &goal);
    if (hit && place < hit->from) goal_add(&goal, schema_holds(&never, true));
    if (hit) goal_add(&goal, hit->condition);
    bool ok = schema_goal(s, &goal, rule);
    goal_free(&goal);
    return ok;
}

/* How many positions differ from those after them. */
static size_t places(const Goal *flat, const Hit *hit) {
    size_t count = hit ? hit->from : 0;
    for (size_t i = 0; i < flat->count; i++) {
        const Condition *c = &flat->of[i];
        const JsonValue *first = c->kind == DIRECT ? schema_first_items(c->schema) : NULL;
        if (first && first->count > count) count = first->count;
        if (c->kind == ITEM_FAILS && c->index >= count) count = c->index + 1;
    }
    return count;
}

static bool make_items(Schema *s, const Goal *flat, const Hit *hit, ArrayPlan *plan) {
    plan->n_prefix = places(flat, hit);
    plan->prefix = calloc(plan->n_prefix + 1, sizeof *plan->prefix);
    plan->prefix_hit = calloc(plan->n_prefix + 1, sizeof *plan->prefix_hit);
    NEED_MEMORY(plan->prefix && plan->prefix_hit, "a schema");
    for (size_t i = 0; i < plan->n_prefix; i++) {
        if (!item_rule(s, flat, i, NULL, &plan->prefix[i])) return false;
        if (hit && !item_rule(s, flat, i, hit, &plan->prefix_hit[i])) return false;
    }
    if (!item_rule(s, flat, plan->n_prefix, NULL, &plan->rest)) return false;
    return !hit || item_rule(s, flat, plan->n_prefix, hit, &plan->rest_hit);
}

/* ------------------------------------------------------------------ contains */

/* Find the `contains` condition; at most one is supported. */
static bool find_hit(Schema *s, const Goal *flat, Hit *hit, bool *found) {
    *found = false;
    for (size_t i = 0; i < flat->count; i++) {
        const Condition *c = &flat->of[i];
        const JsonValue *contains = c->kind == DIRECT ? json_get(c->schema, "contains") : NULL;
        uint32_t least = 1;
        bool given;
        if (contains && !schema_count(s, c->schema, "minContains", &least, &given))
            return false;
        if (c->kind != SOME_ITEM && (!contains || least == 0)) continue;
        if (*found || least > 1)
            return schema_refuse(s, c->schema, "contains",
                                 "more than one item that must be there is not supported");
        *found = true;
        *hit = contains ? (Hit){schema_holds(contains, true), 0}
                        : (Hit){schema_holds(c->schema, false), c->index >> 1};
    }
    return true;
}

bool schema_array(Schema *s, const Goal *flat, Expr *body) {
    ArrayPlan plan = {.max = EXPR_FOREVER};
    Hit hit;
    bool found;
    uint32_t number;
    *body = EXPR_NONE;
    for (size_t i = 0; i < flat->count; i++)
        if (!schema_array_narrow(s, &flat->of[i], &plan)) return false;
    if (!find_hit(s, flat, &hit, &found)) return false;
    plan.contains = found;
    if (plan.max < plan.min) return true;
    bool ok = make_items(s, flat, found ? &hit : NULL, &plan) &&
              (plan.max < 2 || schema_unique(s, flat, &plan));
    Plan *kept = schema_plan(s, &number);
    kept->is_array = true, kept->array = plan;
    PlanState begin = {.count = 0};
    Expr open = expr_cat(s->exprs, expr_byte(s->exprs, '['), s->space);
    if (s->options.space != JSON_SPACE_FREE) open = expr_byte(s->exprs, '[');
    if (ok && plan.min <= plan.max)
        *body = expr_cat(s->exprs, open, schema_state(s, number, &begin));
    return ok;
}

/* ------------------------------------------------------------------ unfolding */

/* Beyond the distinct positions and the limits, all counts are equivalent. */
static uint32_t after(const ArrayPlan *plan, uint32_t count) {
    uint32_t most = plan->min > plan->n_prefix ? plan->min : (uint32_t)plan->n_prefix;
    if (plan->max != EXPR_FOREVER && plan->max > most) most = plan->max;
    return count < most ? count + 1 : count;
}

/* Can an array of `count` items be completed?  The `contains` item is an item too. */
static bool schema_array_can_complete(const Schema *s, const ArrayPlan *plan, const bool *known,
                                      uint32_t count, bool hit) {
    for (hit = hit || !plan->contains; count < plan->min || !hit; count++) {
        bool first = count < plan->n_prefix;
        if (count >= plan->max) return false;
        if (!schema_is_alive(s, known, first ? plan->prefix[count] : plan->rest)) return false;
        hit =
            hit || schema_is_alive(s, known, first ? plan->prefix_hit[count] : plan->rest_hit);
        if (!first) return hit; /* all further items have this rule */
    }
    return true;
}

bool schema_array_is_productive(const Schema *s, const ArrayPlan *plan, const bool *known) {
    return plan->unique || schema_array_can_complete(s, plan, known, 0, false);
}

/* An item's text, then the next state. */
static Expr put_item(Schema *s, uint32_t number, const PlanState *state, const PlanState *next,
                     Expr text) {
    ExprStore *x = s->exprs;
    Expr comma = state->any ? expr_cat(x, expr_byte(x, ','), s->space) : EXPR_EMPTY;
    Expr rest = schema_state(s, number, next);
    if (s->options.space == JSON_SPACE_FREE) rest = expr_cat(x, s->space, rest);
    return expr_cat(x, comma, expr_cat(x, text, rest));
}

static Expr item(Schema *s, uint32_t number, const PlanState *state, uint32_t rule, bool hit) {
    const ArrayPlan *plan = &s->plans[number].array;
    PlanState next = {.count = after(plan, state->count), .any = true, .hit = hit};
    if (!schema_is_alive(s, NULL, rule) ||
        !schema_array_can_complete(s, plan, NULL, state->count + 1, hit))
        return EXPR_NONE;
    return put_item(s, number, state, &next, expr_call(s->exprs, rule));
}

/* Each value not used yet. */
static Expr unfold_unique(Schema *s, uint32_t number, const PlanState *state) {
    const ArrayPlan plan = s->plans[number].array;
    Expr *ways = malloc((plan.n_values + 1) * sizeof *ways), out;
    NEED_MEMORY(ways, "a schema");
    ways[plan.n_values] = state->count >= plan.min ? expr_byte(s->exprs, ']') : EXPR_NONE;
    for (size_t i = 0; i < plan.n_values; i++) {
        PlanState next = *state;
        next.count++, next.any = true;
        next.seen[i / 64] |= (uint64_t)1 << (i % 64);
        ways[i] = state->count == plan.max || state->seen[i / 64] >> (i % 64) & 1
                      ? EXPR_NONE
                      : put_item(s, number, state, &next, plan.value[i]);
    }
    out = expr_alt(s->exprs, ways, plan.n_values + 1);
    free(ways);
    return out;
}

Expr schema_unfold_array(Schema *s, uint32_t number, const PlanState *state) {
    const ArrayPlan *plan = &s->plans[number].array;
    if (plan->unique) return unfold_unique(s, number, state);
    bool first = state->count < plan->n_prefix;
    Expr ways[3] = {EXPR_NONE, EXPR_NONE, EXPR_NONE};
    uint32_t rule = first ? plan->prefix[state->count] : plan->rest;
    uint32_t hit = first ? plan->prefix_hit[state->count] : plan->rest_hit;
    if (state->count >= plan->min && (state->hit || !plan->contains))
        ways[0] = expr_byte(s->exprs, ']');
    if (state->count < plan->max) {
        ways[1] = item(s, number, state, rule, state->hit);
        if (s->plans[number].array.contains && !state->hit)
            ways[2] = item(s, number, state, hit, true);
    }
    return expr_alt(s->exprs, ways, 3);
}
