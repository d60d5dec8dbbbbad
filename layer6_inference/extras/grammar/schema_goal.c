/* schema_goal.c - the conditions at one location: joined, then split into ways to meet them.
 * See schema.h. */
#include "schema.h"
#include "json.h"

#include <stdlib.h>
#include <string.h>

void goal_add(Goal *goal, Condition condition) {
    for (size_t i = 0; i < goal->count; i++) {
        const Condition *c = &goal->of[i];
        if (c->kind == condition.kind && c->index == condition.index &&
            c->schema == condition.schema && text_equal(c->key, condition.key))
            return;
    }
    NEED_MEMORY(GROW(goal->of, goal->room, goal->count + 1), "a schema");
    goal->of[goal->count++] = condition;
}

void goal_free(Goal *goal) {
    free(goal->of);
    *goal = (Goal){0};
}

Condition schema_holds(const JsonValue *schema, bool it_does) {
    return (Condition){.kind = it_does ? HOLDS : FAILS, .schema = schema};
}

Condition schema_of_types(uint32_t mask) { return (Condition){.kind = TYPES, .index = mask}; }

bool schema_is_keyword(const JsonValue *schema, uint32_t index, const char *name) {
    return text_equal(schema->keys[index], text_of(name));
}

/* ------------------------------------------------------------------ joining */

bool schema_join_all(Schema *s, const JsonValue *list, bool hold, Goal *flat, Goal *seen) {
    for (size_t i = 0; i < list->count; i++)
        if (!schema_join(s, schema_holds(&list->items[i], hold), flat, seen)) return false;
    return true;
}

bool schema_join_ref(Schema *s, const JsonValue *at, const JsonValue *reference, bool hold,
                     Goal *flat, Goal *seen) {
    const JsonValue *target = schema_resolve(s, reference->text);
    if (s->exprs->budget.over) return budget_refuse(&s->exprs->budget, s->fault);
    if (!target)
        return schema_refuse(
            s, at, "$ref",
            "only references into this schema (#, #/..., #name) are supported, "
            "and there must be something");
    return schema_join(s, schema_holds(target, hold), flat, seen);
}

static bool join_keywords(Schema *s, const JsonValue *schema, Goal *flat, Goal *seen) {
    const JsonValue *reference = json_get(schema, "$ref");
    if (reference && schema_ref_is_alone(s))
        return schema_join_ref(s, schema, reference, true, flat, seen);
    bool direct = false;
    for (uint32_t i = 0; i < schema->count; i++) {
        SchemaKeyword keyword = schema_keyword(schema->keys[i]);
        const JsonValue *value = &schema->items[i];
        bool ok = true;
        if (keyword.role == REFUSED)
            return schema_refuse(s, schema, keyword.name,
                                 memcmp(keyword.name, "unevalu", 7) != 0
                                     ? "is not supported"
                                     : "is not supported where anyOf, oneOf, if, contains or "
                                       "dependentSchemas decide what it leaves");
        if (!schema_check_shape(s, schema, i)) return false;
        if (keyword.role == SAYS_DIRECT) direct = true;
        if (keyword.role == SAYS_CHOICE)
            goal_add(flat, (Condition){.kind = CHOICE, .index = i, .schema = schema});
        if (schema_is_keyword(schema, i, "$ref"))
            ok = schema_join_ref(s, schema, value, true, flat, seen);
        if (schema_is_keyword(schema, i, "allOf"))
            ok = schema_join_all(s, value, true, flat, seen);
        if (schema_is_keyword(schema, i, "not"))
            ok = schema_join(s, schema_holds(value, false), flat, seen);
        if (!ok) return false;
    }
    if (direct) goal_add(flat, (Condition){.kind = DIRECT, .schema = schema});
    return true;
}

static bool join_deeper(Schema *s, const JsonValue *schema, Goal *flat, Goal *seen) {
    if (s->depth == SCHEMA_DEPTH)
        return schema_refuse(s, schema, NULL, "more than 1000 references or allOf lead here");
    s->depth++;
    bool ok = join_keywords(s, schema, flat, seen);
    s->depth--;
    return ok;
}

bool schema_join(Schema *s, Condition c, Goal *flat, Goal *seen) {
    if (c.kind == NOT_KEYWORD) return schema_join_broken(s, c, flat, seen);
    if (c.kind != HOLDS && c.kind != FAILS) return goal_add(flat, c), true;
    size_t before = seen->count;
    if (!budget_compare(&s->exprs->budget, 32 + before + flat->count))
        return schema_refuse(s, c.schema, NULL, "its conditions combine in too many ways");
    goal_add(seen, c);
    if (seen->count == before) return true; /* already being joined */
    bool whole = c.kind == HOLDS;
    switch (c.schema->kind) {
    case JSON_TRUE: flat->impossible = flat->impossible || !whole; return true;
    case JSON_FALSE: flat->impossible = flat->impossible || whole; return true;
    case JSON_OBJECT:
        if (whole) return join_deeper(s, c.schema, flat, seen);
        if (c.schema->count == 0) return flat->impossible = true;
        goal_add(flat, c); /* at least one keyword fails: a choice */
        return true;
    default:
        return schema_refuse(s, c.schema, NULL, "wanted a schema: an object, true or false");
    }
}

static int by_condition(const void *x, const void *y) {
    const Condition *a = x, *b = y;
    if (a->kind != b->kind) return a->kind < b->kind ? -1 : 1;
    if (a->schema != b->schema) return a->schema < b->schema ? -1 : 1;
    if (a->index != b->index) return a->index < b->index ? -1 : 1;
    return (a->key.data > b->key.data) - (a->key.data < b->key.data);
}

bool schema_flatten(Schema *s, const Goal *goal, Goal *flat) {
    Goal seen = {0};
    bool ok = true;
    *flat = (Goal){0};
    for (size_t i = 0; ok && i < goal->count; i++)
        ok = schema_join(s, goal->of[i], flat, &seen);
    goal_free(&seen);
    budget_spend(&s->exprs->budget, flat->count * flat->count / 8); /* pairwise comparisons */
    if (ok && schema_clashes(flat)) flat->impossible = true;
    if (flat->count > 1) qsort(flat->of, flat->count, sizeof *flat->of, by_condition);
    return ok;
}

/* ------------------------------------------------------------------ choosing */

/* One way: the remaining conditions and its own. */
bool schema_add_way(Ways *w, const Condition *extra, size_t count) {
    Goal goal = {0};
    uint32_t rule;
    for (size_t i = 0; i < w->flat->count; i++)
        if (i != w->chosen) goal_add(&goal, w->flat->of[i]);
    for (size_t i = 0; i < count; i++) goal_add(&goal, extra[i]);
    bool ok = schema_goal(w->s, &goal, &rule);
    goal_free(&goal);
    if (ok) expr_list_add(&w->ways, expr_call(w->s->exprs, rule));
    return ok;
}

static bool choose_one_of(Ways *w, const JsonValue *list) {
    Condition *conditions = malloc((list->count + 1) * sizeof *conditions);
    bool ok = true;
    NEED_MEMORY(conditions, "a schema");
    for (size_t i = 0; ok && i < list->count; i++) {
        size_t n = 0;
        conditions[n++] = schema_holds(&list->items[i], true);
        for (size_t k = 0; k < list->count && budget_spend(&w->s->exprs->budget, 1); k++)
            if (k != i && schema_may_overlap(w->s, &list->items[i], &list->items[k]))
                conditions[n++] = schema_holds(&list->items[k], false);
        ok = schema_add_way(w, conditions, n);
    }
    free(conditions);
    return ok;
}

bool schema_choose_if(Ways *w, const JsonValue *schema, bool hold) {
    static const JsonValue always = {.kind = JSON_TRUE};
    const JsonValue *test = json_get(schema, "if"), *then = json_get(schema, "then"),
                    *other = json_get(schema, "else");
    Condition yes[2] = {schema_holds(test, true), schema_holds(then ? then : &always, hold)};
    Condition no[2] = {schema_holds(test, false), schema_holds(other ? other : &always, hold)};
    return schema_add_way(w, yes, 2) && schema_add_way(w, no, 2);
}

/* A key that is present requires others, or a schema.  Each key is its own choice: the first is
 * made here, the others wait in a schema of their own. */
static bool choose_dependent(Ways *w, const JsonValue *table) {
    Condition conditions[64];
    if (table->count > 6)
        return schema_refuse(w->s, table, NULL, "wanted at most six keys here");
    for (uint32_t ways = 0; ways < 1u << table->count; ways++) {
        size_t n = 0;
        for (size_t k = 0; k < table->count; k++) {
            const JsonValue *asked = &table->items[k];
            bool there = ways >> k & 1;
            Condition key = {.kind = there ? REQUIRES : FORBIDS, .key = table->keys[k]};
            conditions[n++] = key;
            if (!there) continue;
            if (asked->kind != JSON_ARRAY) conditions[n++] = schema_holds(asked, true);
            for (size_t i = 0; asked->kind == JSON_ARRAY && i < asked->count; i++) {
                if (asked->items[i].kind != JSON_STRING || n > 50)
                    return schema_refuse(w->s, table, NULL, "wanted a short list of keys");
                conditions[n++] = (Condition){.kind = REQUIRES, .key = asked->items[i].text};
            }
        }
        if (!schema_add_way(w, conditions, n)) return false;
    }
    /* does not apply to non-objects */
    Condition others = schema_of_types(TYPE_BIT_ALL & ~(uint32_t)TYPE_BIT_OBJECT);
    return schema_add_way(w, &others, 1);
}

static bool choose_keyword(Ways *w, Condition c) {
    const JsonValue *value = &c.schema->items[c.index];
    Text name = c.schema->keys[c.index];
    if (text_equal(name, text_of("if"))) return schema_choose_if(w, c.schema, true);
    if (name.size > 6 && memcmp(name.data, "depend", 6) == 0) return choose_dependent(w, value);
    if (text_equal(name, text_of("oneOf"))) return choose_one_of(w, value);
    for (size_t i = 0; i < value->count; i++) {
        Condition way = schema_holds(&value->items[i], true);
        if (!schema_add_way(w, &way, 1)) return false;
    }
    return true;
}

static bool has_ways(Condition c) {
    return c.kind == CHOICE || c.kind == FAILS ||
           (c.kind == NOT_KEYWORD && schema_breaks_in_ways(c));
}

bool schema_choose(Schema *s, const Goal *flat, Expr *body, bool *leaf) {
    Ways w = {.s = s, .flat = flat};
    *leaf = false, *body = EXPR_NONE;
    if (flat->impossible) return true;
    while (w.chosen < flat->count && !has_ways(flat->of[w.chosen])) w.chosen++;
    *leaf = w.chosen == flat->count;
    if (*leaf) return true;
    Condition c = flat->of[w.chosen];
    bool ok = c.kind == CHOICE  ? choose_keyword(&w, c)
              : c.kind == FAILS ? schema_choose_failing(&w, c.schema)
                                : schema_choose_broken(&w, c);
    *body = expr_list_alt(s->exprs, &w.ways);
    return ok;
}
