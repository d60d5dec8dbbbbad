/* schema_object.c - the texts of an object.  See schema.h.
 *
 * Keys are declared (by properties, or because they are required) or belong to one of a few
 * languages of other keys.  An object unfolds as it is read: at its state (which declared keys may
 * come, how many members there were) it may end, or go on with a member. */
#include "schema.h"

#include <stdlib.h>
#include <string.h>

/* An object while its parts are gathered. */
typedef struct Making {
    Schema *s;
    const Goal *flat;
    ObjectPlan plan;
    Text pattern[SCHEMA_PATTERNS];
    Expr matches[SCHEMA_PATTERNS]; /* what the pattern allows, every spelling */
    size_t n_patterns;
    Expr names; /* what a key may be at all: propertyNames */
    bool impossible;
} Making;

/* ------------------------------------------------------------------ gathering */

static ObjectKey *find_key(Making *m, Text name) {
    for (size_t i = 0; i < m->plan.n_keys; i++)
        if (text_equal(m->plan.keys[i].name, name)) return &m->plan.keys[i];
    return NULL;
}

static bool add_key(Making *m, Text name, bool required) {
    ObjectKey *key = find_key(m, name);
    if (!key) {
        if (m->plan.n_keys == SCHEMA_KEYS)
            return fault_set(m->s->fault,
                             "schema: an object with more than %d keys is not "
                             "supported",
                             SCHEMA_KEYS);
        m->plan.keys = realloc(m->plan.keys, (m->plan.n_keys + 1) * sizeof *m->plan.keys);
        REQUIRE(m->plan.keys, "no memory for a schema");
        key = &m->plan.keys[m->plan.n_keys++];
        *key = (ObjectKey){.name = name};
    }
    key->required = key->required || required;
    return true;
}

static bool add_pattern(Making *m, const JsonValue *at, Text pattern) {
    for (size_t i = 0; i < m->n_patterns; i++)
        if (text_equal(m->pattern[i], pattern)) return true;
    if (m->n_patterns == SCHEMA_PATTERNS)
        return schema_refuse(m->s, at, "patternProperties",
                             "more than 24 patterns at one place");
    m->pattern[m->n_patterns] = pattern;
    return schema_pattern(m->s, at, pattern, &m->matches[m->n_patterns++]);
}

/* What is required of keys' names, as a goal for strings. */
static bool add_names(Making *m, const JsonValue *names) {
    Goal goal = {0}, flat = {0};
    Expr inside = EXPR_NONE;
    goal_add(&goal, (Condition){.kind = HOLDS, .schema = names});
    bool ok = schema_flatten(m->s, &goal, &flat);
    for (size_t i = 0; ok && i < flat.count; i++)
        if (flat.of[i].kind != DIRECT || json_get(flat.of[i].schema, "const"))
            ok = schema_refuse(m->s, names, "propertyNames",
                               "only conditions on the string itself "
                               "are supported");
    ok = ok && (flat.impossible || schema_names(m->s, &flat, &inside));
    if (ok) m->names = expr_and(m->s->exprs, m->names, inside);
    goal_free(&goal), goal_free(&flat);
    return ok;
}

static bool gather_direct(Making *m, const JsonValue *schema) {
    const JsonValue *properties = json_get(schema, "properties"),
                    *patterns = json_get(schema, "patternProperties"),
                    *required = json_get(schema, "required"),
                    *names = json_get(schema, "propertyNames");
    bool ok = true;
    for (size_t i = 0; ok && properties && i < properties->count; i++)
        ok = properties->kind == JSON_OBJECT
                 ? add_key(m, properties->keys[i], false)
                 : schema_refuse(m->s, schema, "properties", "wanted an object");
    for (size_t i = 0; ok && patterns && i < patterns->count; i++)
        ok = patterns->kind == JSON_OBJECT
                 ? add_pattern(m, schema, patterns->keys[i])
                 : schema_refuse(m->s, schema, "patternProperties", "wanted an object");
    for (size_t i = 0; ok && required && required->kind == JSON_ARRAY && i < required->count;
         i++)
        ok = required->items[i].kind == JSON_STRING
                 ? add_key(m, required->items[i].text, true)
                 : schema_refuse(m->s, schema, "required", "wanted a list of keys");
    return ok && (!names || add_names(m, names));
}

static bool narrow(Making *m, const Condition *c) {
    static const char *const limits[] = {"minProperties", "maxProperties"};
    ObjectPlan *plan = &m->plan;
    for (int upper = 0; upper < 2; upper++) {
        uint32_t n = 0;
        bool given, fails = c->kind == NOT_KEYWORD;
        if (fails && !text_equal(c->schema->keys[c->index], text_of(limits[upper]))) continue;
        if (!schema_count(m->s, c->schema, limits[upper], &n, &given)) return false;
        if (!given) continue;
        if (upper != fails) {
            if (fails && n == 0)
                m->impossible = true;
            else if (n - fails < plan->max)
                plan->max = n - fails;
        } else if (n + fails > plan->min) {
            plan->min = n + fails;
        }
    }
    return true;
}

static bool gather(Making *m) {
    bool ok = true;
    for (size_t i = 0; ok && i < m->flat->count; i++) {
        const Condition *c = &m->flat->of[i];
        if (c->kind == DIRECT) ok = gather_direct(m, c->schema) && narrow(m, c);
        if (c->kind == NOT_KEYWORD) ok = narrow(m, c);
        if (c->kind == REQUIRES) ok = add_key(m, c->key, true);
        if (c->kind == PROPERTY || c->kind == FORBIDS) ok = ok && add_key(m, c->key, false);
    }
    return ok;
}

/* ------------------------------------------------------------------ values */

/* Does the language hold this string? */
static bool holds_text(Schema *s, Expr language, Text text) {
    Expr both = expr_and(s->exprs, language, schema_every_spelling(s, text));
    return expr_is_live(s->exprs, both);
}

/* What one schema asks of the value of a key: with `name` a declared key, else those other keys that
 * match the patterns whose bits are set. */
static bool add_value_conditions(Making *m, const JsonValue *schema, const Text *name,
                                 unsigned matched, Goal *goal) {
    const JsonValue *own = name ? json_find(json_get(schema, "properties"), *name) : NULL,
                    *patterns = json_get(schema, "patternProperties"),
                    *more = json_get(schema, "additionalProperties");
    bool met = own != NULL;
    if (own) goal_add(goal, (Condition){.kind = HOLDS, .schema = own});
    for (size_t i = 0; patterns && i < patterns->count; i++)
        for (size_t k = 0; k < m->n_patterns; k++) {
            if (!text_equal(m->pattern[k], patterns->keys[i]) || !(matched >> k & 1)) continue;
            goal_add(goal, (Condition){.kind = HOLDS, .schema = &patterns->items[i]});
            met = true;
        }
    if (!met && more) goal_add(goal, (Condition){.kind = HOLDS, .schema = more});
    return true;
}

static bool value_rule(Making *m, const Text *name, unsigned matched, uint32_t *rule) {
    static const JsonValue never = {.kind = JSON_FALSE};
    Goal goal = {0};
    for (size_t i = 0; i < m->flat->count; i++) {
        const Condition *c = &m->flat->of[i];
        if (c->kind == DIRECT) add_value_conditions(m, c->schema, name, matched, &goal);
        if (!name || !text_equal(c->key, *name)) continue;
        if (c->kind == FORBIDS) goal_add(&goal, (Condition){.kind = HOLDS, .schema = &never});
        if (c->kind == PROPERTY)
            goal_add(&goal, (Condition){.kind = c->index ? HOLDS : FAILS, .schema = c->schema});
    }
    bool ok = schema_goal(m->s, &goal, rule);
    goal_free(&goal);
    return ok;
}

static bool make_keys(Making *m) {
    static const JsonValue never = {.kind = JSON_FALSE};
    Schema *s = m->s;
    for (size_t i = 0; i < m->plan.n_keys; i++) {
        ObjectKey *key = &m->plan.keys[i];
        unsigned matched = 0;
        for (size_t k = 0; k < m->n_patterns; k++)
            matched |= (unsigned)holds_text(s, m->matches[k], key->name) << k;
        key->text = schema_given_string(s, key->name, true);
        if (holds_text(s, m->names, key->name)) {
            if (!value_rule(m, &key->name, matched, &key->rule)) return false;
        } else { /* no such name is allowed */
            Goal goal = {0};
            goal_add(&goal, (Condition){.kind = HOLDS, .schema = &never});
            bool ok = schema_goal(s, &goal, &key->rule);
            goal_free(&goal);
            if (!ok) return false;
        }
    }
    return true;
}

/* Keys that are not declared, sorted by the patterns that they match: all of them, parted by the first pattern, then by the
 * next.  Where there is none left, no more is parted. */
static bool part_others(Making *m, Expr keys, size_t pattern, unsigned matched) {
    ExprStore *x = m->s->exprs;
    if (!expr_is_live(x, keys)) return true;
    if (pattern < m->n_patterns) {
        Expr matches = m->matches[pattern];
        return part_others(m, expr_and(x, keys, matches), pattern + 1,
                           matched | 1u << pattern) &&
               part_others(m, expr_and(x, keys, expr_not(x, matches)), pattern + 1, matched);
    }
    if (m->plan.n_others == SCHEMA_OTHERS)
        return fault_set(m->s->fault,
                         "schema: patternProperties that overlap in more than %d ways are not "
                         "supported",
                         SCHEMA_OTHERS);
    Expr quote = expr_byte(x, '"');
    ObjectOthers *others = &m->plan.others[m->plan.n_others++];
    others->text = expr_cat(x, quote, expr_cat(x, keys, quote));
    return value_rule(m, NULL, matched, &others->rule);
}

static bool make_others(Making *m) {
    ExprStore *x = m->s->exprs;
    Expr *declared = malloc((m->plan.n_keys + 1) * sizeof *declared);
    m->plan.others = calloc(SCHEMA_OTHERS, sizeof *m->plan.others);
    REQUIRE(declared && m->plan.others, "no memory for a schema");
    for (size_t i = 0; i < m->plan.n_keys; i++)
        declared[i] = schema_every_spelling(m->s, m->plan.keys[i].name);
    Expr undeclared = expr_repeat(x, m->s->any_char, 0, EXPR_FOREVER);
    if (m->plan.n_keys)
        undeclared =
            expr_and(x, undeclared, expr_not(x, expr_alt(x, declared, m->plan.n_keys)));
    free(declared);
    return part_others(m, expr_and(x, m->names, undeclared), 0, 0);
}

bool schema_object(Schema *s, const Goal *flat, Expr *body) {
    Making m = {.s = s, .flat = flat, .plan = {.max = EXPR_FOREVER}};
    uint32_t number;
    *body = EXPR_NONE;
    m.names = expr_not(s->exprs, EXPR_NONE);
    bool ok = gather(&m);
    m.impossible = m.impossible || m.plan.max < m.plan.min;
    ok = ok && make_keys(&m) && make_others(&m);
    Plan *plan = schema_plan(s, &number);
    plan->object = m.plan;
    if (!ok || m.impossible) return ok;
    PlanState begin = {.count = 0};
    Expr open = expr_byte(s->exprs, '{');
    if (s->options.space == JSON_SPACE_FREE) open = expr_cat(s->exprs, open, s->space);
    *body = expr_cat(s->exprs, open, schema_state(s, number, &begin));
    return true;
}

/* ------------------------------------------------------------------ unfolding */

static bool was_seen(const Schema *s, const PlanState *state, size_t key) {
    if (s->options.any_order) return state->seen[key / 64] >> (key % 64) & 1;
    return key < state->next;
}

/* Can an object in this state be completed?  All that is required must fit, and there must be enough
 * keys to reach the least number. */
static bool can_complete(const Schema *s, const ObjectPlan *plan, const bool *known,
                         const PlanState *state) {
    uint32_t required = 0, open = 0;
    for (size_t i = 0; i < plan->n_others; i++)
        if (schema_is_alive(s, known, plan->others[i].rule)) open = EXPR_FOREVER;
    for (size_t i = 0; i < plan->n_keys; i++) {
        if (was_seen(s, state, i)) continue;
        bool alive = schema_is_alive(s, known, plan->keys[i].rule);
        if (plan->keys[i].required && !alive) return false;
        required += plan->keys[i].required;
        if (open != EXPR_FOREVER) open += alive;
    }
    if (plan->max != EXPR_FOREVER && state->count + required > plan->max) return false;
    return open == EXPR_FOREVER || state->count >= plan->min ||
           open >= plan->min - state->count;
}

static uint32_t counted(const ObjectPlan *plan, uint32_t count) {
    uint32_t most = plan->max == EXPR_FOREVER ? plan->min : plan->max;
    return count < most ? count + 1 : count;
}

static Expr member(Schema *s, uint32_t number, const PlanState *state, PlanState next, Expr key,
                   uint32_t rule) {
    ExprStore *x = s->exprs;
    bool free_space = s->options.space == JSON_SPACE_FREE;
    if (!schema_is_alive(s, NULL, rule)) return EXPR_NONE;
    next.count = counted(&s->plans[number].object, state->count), next.any = true;
    if (state->count == s->plans[number].object.max ||
        !can_complete(s, &s->plans[number].object, NULL, &next))
        return EXPR_NONE;
    Expr rest = schema_state(s, number, &next);
    if (free_space) rest = expr_cat(x, s->space, rest);
    rest = expr_cat(x, expr_call(x, rule), rest);
    rest = expr_cat(x, expr_cat(x, expr_byte(x, ':'), s->space), rest);
    if (free_space) rest = expr_cat(x, s->space, rest);
    rest = expr_cat(x, key, rest);
    return state->any ? expr_cat(x, expr_cat(x, expr_byte(x, ','), s->space), rest) : rest;
}

/* The declared keys that may come: in order, up to the first that must. */
static Expr declared_members(Schema *s, uint32_t number, const PlanState *state) {
    Expr ways = EXPR_NONE;
    for (uint32_t i = 0; i < s->plans[number].object.n_keys; i++) {
        ObjectKey key = s->plans[number].object.keys[i];
        PlanState next = *state;
        if (was_seen(s, state, i)) continue;
        if (s->options.any_order)
            next.seen[i / 64] |= (uint64_t)1 << (i % 64);
        else
            next.next = i + 1;
        Expr one = member(s, number, state, next, key.text, key.rule);
        ways = expr_either(s->exprs, ways, one);
        if (key.required && !s->options.any_order) break;
    }
    return ways;
}

Expr schema_unfold_object(Schema *s, uint32_t number, const PlanState *state) {
    Expr ways = declared_members(s, number, state);
    bool done = state->count >= s->plans[number].object.min;
    for (size_t i = 0; i < s->plans[number].object.n_others; i++) {
        ObjectOthers others = s->plans[number].object.others[i];
        Expr one = member(s, number, state, *state, others.text, others.rule);
        ways = expr_either(s->exprs, ways, one);
    }
    for (size_t i = 0; i < s->plans[number].object.n_keys; i++)
        if (s->plans[number].object.keys[i].required && !was_seen(s, state, i)) done = false;
    return done ? expr_either(s->exprs, ways, expr_byte(s->exprs, '}')) : ways;
}

bool schema_object_is_productive(const Schema *s, const ObjectPlan *plan, const bool *known) {
    const PlanState begin = {.count = 0};
    return can_complete(s, plan, known, &begin);
}
