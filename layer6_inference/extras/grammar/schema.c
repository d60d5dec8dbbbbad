/* schema.c - turns goals into rules until none is pending.  See schema.h. */
#include "schema.h"
#include "row.h"
#include "json.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ------------------------------------------------------------------ goals */

static uint32_t goal_hash(const Goal *goal) {
    uint64_t h = goal->impossible;
    for (size_t i = 0; i < goal->count; i++) {
        const Condition *c = &goal->of[i];
        h = (h ^ (uint64_t)(uintptr_t)c->schema ^ (uint64_t)(uintptr_t)c->key.data << 7 ^
             ((uint64_t)c->kind << 32 | c->index)) *
            0x9E3779B97F4A7C15u;
        h ^= h >> 29;
    }
    return (uint32_t)h;
}

static bool same_goal(const Goal *a, const Goal *b) {
    if (a->count != b->count || a->impossible != b->impossible) return false;
    for (size_t i = 0; i < a->count; i++) {
        const Condition *x = &a->of[i], *y = &b->of[i];
        if (x->kind != y->kind || x->index != y->index || x->schema != y->schema ||
            !text_equal(x->key, y->key))
            return false;
    }
    return true;
}

static void schema_rehash(Schema *s) {
    s->n_buckets = s->n_buckets ? 4 * s->n_buckets : 256;
    free(s->buckets);
    s->buckets = malloc(s->n_buckets * sizeof *s->buckets);
    NEED_MEMORY(s->buckets, "a schema");
    memset(s->buckets, 0xFF, s->n_buckets * sizeof *s->buckets);
    for (uint32_t i = 0; i < s->n_goals; i++) {
        uint32_t *bucket = &s->buckets[goal_hash(&s->goals[i]) % s->n_buckets];
        s->goals[i].hash_next = *bucket;
        *bucket = i;
    }
}

/* A schema of a goal, to name its location in messages. */
static const JsonValue *schema_place(const Schema *s, const Goal *goal) {
    for (size_t i = 0; i < goal->count; i++)
        if (goal->of[i].schema) return goal->of[i].schema;
    return s->root;
}

bool schema_settle(Schema *s, const Goal *flat, Expr *body) {
    bool live = expr_is_live(s->exprs, *body);
    if (!live) *body = EXPR_NONE;
    return !s->exprs->budget.over ||
           schema_refuse(s, schema_place(s, flat), NULL,
                         "checking that its conditions can be met takes too long");
}

static bool keep_goal(Schema *s, Goal *flat, uint32_t *rule) {
    if (s->n_goals == SCHEMA_GOALS || !budget_spend(&s->exprs->budget, 1))
        return schema_refuse(s, schema_place(s, flat), NULL,
                             "its conditions combine in too many ways");
    NEED_MEMORY(GROW(s->goals, s->goals_room, s->n_goals + 1), "a schema");
    *rule = flat->rule = expr_rule(s->exprs, NULL);
    uint32_t *bucket = &s->buckets[goal_hash(flat) % s->n_buckets];
    flat->hash_next = *bucket;
    *bucket = s->n_goals;
    s->goals[s->n_goals++] = *flat;
    *flat = (Goal){0};
    if (s->n_goals > 2 * s->n_buckets) schema_rehash(s);
    return true;
}

bool schema_goal(Schema *s, const Goal *goal, uint32_t *rule) {
    Goal flat;
    bool ok = schema_flatten(s, goal, &flat);
    if (ok) {
        uint32_t i = s->buckets[goal_hash(&flat) % s->n_buckets];
        while (i != UINT32_MAX && !same_goal(&s->goals[i], &flat)) i = s->goals[i].hash_next;
        if (i != UINT32_MAX)
            *rule = s->goals[i].rule;
        else
            ok = keep_goal(s, &flat, rule);
    }
    goal_free(&flat);
    return ok;
}

static bool make_rule(Schema *s, uint32_t number) {
    Goal flat = s->goals[number]; /* the list may move */
    Expr body;
    bool leaf;
    if (!schema_choose(s, &flat, &body, &leaf)) return false;
    if (leaf && !schema_leaf(s, &flat, &body)) return false;
    s->exprs->rule[flat.rule].body = body;
    return !s->exprs->budget.over ||
           schema_refuse(s, schema_place(s, &flat), NULL, "larger than the limits");
}

/* Make rules of all pending goals. */
static bool schema_drain(Schema *s) {
    while (s->compiled < s->n_goals)
        if (!make_rule(s, s->compiled++)) return false;
    return true;
}

/* ------------------------------------------------------------------ trying a value */

bool schema_takes(Schema *s, uint32_t rule, const JsonValue *value, bool *takes) {
    if (!schema_drain(s)) return false;
    RowTable rows;
    SchemaText text = {0};
    row_table_init(&rows, s->exprs);
    schema_write(&text, value);
    uint32_t row = row_begin(&rows, rule);
    for (size_t i = 0; i < text.size && row != ROW_DEAD; i++)
        row = row_next(&rows, row, (uint8_t)text.bytes[i]);
    *takes = row != ROW_DEAD && rows.row[row].complete;
    free(text.bytes);
    row_table_free(&rows);
    return true;
}

/* ------------------------------------------------------------------ plans */

Plan *schema_plan(Schema *s, uint32_t *number) {
    NEED_MEMORY(GROW(s->plans, s->plans_room, s->n_plans + 1), "a schema");
    s->plans[s->n_plans] = (Plan){0};
    *number = s->n_plans;
    return &s->plans[s->n_plans++];
}

/* The bucket of a state, or the empty one where it belongs.  A state has no padding. */
static uint32_t *state_bucket(const Plan *plan, const PlanState *state) {
    uint64_t h = state->next;
    h = h << 32 ^ state->count << 2 ^ state->any << 1 ^ state->hit;
    for (size_t i = 0; i < SCHEMA_KEYS / 64; i++)
        h = (h ^ h >> 29 ^ state->seen[i]) * 0x9E3779B97F4A7C15u;
    for (uint64_t i = h ^ h >> 32;; i++) {
        uint32_t *bucket = &plan->buckets[i & (plan->n_buckets - 1)];
        if (!*bucket || memcmp(&plan->states[*bucket - 1], state, sizeof *state) == 0)
            return bucket;
    }
}

static void rehash_states(Plan *plan) {
    plan->n_buckets = plan->n_buckets ? 4 * plan->n_buckets : 16;
    free(plan->buckets);
    plan->buckets = calloc(plan->n_buckets, sizeof *plan->buckets);
    NEED_MEMORY(plan->buckets, "a schema");
    for (uint32_t i = 0; i < plan->n_states; i++) *state_bucket(plan, &plan->states[i]) = i + 1;
}

/* The lazy expression of a plan at a state. */
Expr schema_state(Schema *s, uint32_t number, const PlanState *state) {
    Plan *plan = &s->plans[number];
    if (2 * plan->n_states >= plan->n_buckets) rehash_states(plan);
    uint32_t *bucket = state_bucket(plan, state);
    if (!*bucket) {
        if (!budget_hold(&s->exprs->budget, 2 * sizeof *state)) return EXPR_NONE;
        NEED_MEMORY(GROW(plan->states, plan->states_room, plan->n_states + 1), "a schema");
        plan->states[plan->n_states++] = *state;
        *bucket = plan->n_states;
    }
    return expr_lazy(s->exprs, s->first_plan + number, *bucket - 1);
}

bool schema_is_alive(const Schema *s, const bool *known, uint32_t rule) {
    return known ? known[rule] : s->exprs->rule[rule].body != EXPR_NONE;
}

/* The schema that owns a lazy expression; *which becomes the plan's index there. */
static Schema *schema_of(const ExprStore *store, uint32_t *which) {
    Schema *s = store->unfold_context;
    while (*which < s->first_plan) s = s->before;
    *which -= s->first_plan;
    return s;
}

static Expr unfold(ExprStore *store, uint32_t which, uint32_t state) {
    Schema *s = schema_of(store, &which);
    PlanState at = s->plans[which].states[state];
    return s->plans[which].is_array ? schema_unfold_array(s, which, &at)
                                    : schema_unfold_object(s, which, &at);
}

static bool lazy_productive(ExprStore *store, uint32_t which, const bool *known) {
    const Schema *s = schema_of(store, &which);
    const Plan *plan = &s->plans[which];
    return plan->is_array ? schema_array_is_productive(s, &plan->array, known)
                          : schema_object_is_productive(s, &plan->object, known);
}

void schema_free(Schema *schema) {
    for (uint32_t i = 0; i < schema->n_goals; i++) free(schema->goals[i].of);
    for (uint32_t i = 0; i < schema->n_plans; i++) {
        Plan *plan = &schema->plans[i];
        free(plan->object.keys), free(plan->object.others);
        free(plan->array.prefix), free(plan->array.prefix_hit), free(plan->array.value);
        free(plan->states), free(plan->buckets);
    }
    free(schema->goals), free(schema->buckets), free(schema->plans);
    schema_drop_dialect(schema);
    *schema = (Schema){0};
}

/* ------------------------------------------------------------------ the whole */

static Expr white_space(ExprStore *store, JsonSpace space) {
    ByteSet blank = {{0}};
    byte_set_add(&blank, ' ');
    if (space == JSON_SPACE_NONE) return EXPR_EMPTY;
    if (space == JSON_SPACE_ONE) return expr_optional(store, expr_bytes(store, &blank));
    byte_set_add(&blank, '\t'), byte_set_add(&blank, '\n'), byte_set_add(&blank, '\r');
    return expr_repeat(store, expr_bytes(store, &blank), 0, EXPR_FOREVER);
}

bool schema_read(Schema *schema, ExprStore *store, const JsonValue *root,
                 const GrammarOptions *options, uint32_t *rule, Fault *fault) {
    Schema *before = store->unfold_context;
    *schema = (Schema){.exprs = store, .options = *options, .fault = fault, .before = before};
    if (before) schema->first_plan = before->first_plan + before->n_plans;
    Goal goal = {0};
    CodeSet all = {0};
    store->unfold = unfold, store->lazy_productive = lazy_productive;
    store->unfold_context = schema;
    schema_rehash(schema);
    schema_take_dialect(schema, root);
    schema->space = white_space(store, options->space);
    code_set_invert(&all);
    schema->any_char = charset_json(store, &all);
    code_set_free(&all);
    goal_add(&goal, (Condition){.kind = HOLDS, .schema = schema->root});
    bool ok = schema_check_text(schema, schema->root) && schema_goal(schema, &goal, rule) &&
              schema_drain(schema);
    goal_free(&goal);
    if (ok && options->space == JSON_SPACE_FREE) { /* around the whole text too */
        uint32_t value = *rule;
        *rule = expr_rule(store, "root");
        Expr body = expr_cat(store, expr_call(store, value), schema->space);
        store->rule[*rule].body = expr_cat(store, schema->space, body);
    }
    return ok;
}
