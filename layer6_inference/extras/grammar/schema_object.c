/* schema_object.c - the members of an object: the plan that schema_member.c unfolds.  See
 * schema.h.
 *
 * Keys are declared (by properties or required) or belong to one of a few languages of other
 * keys.  A claim is a required member of which only the language of its key is known: not
 * {"additionalProperties": false, "properties": {"a": {}}} claims a key that is not "a". */
#include "schema.h"
#include "json.h"

#include <stdlib.h>
#include <string.h>

/* An object plan under construction. */
typedef struct Making {
    Schema *s;
    const Goal *flat;
    ObjectPlan plan;
    Text pattern[SCHEMA_PATTERNS];
    Expr matches[SCHEMA_PATTERNS]; /* keys that match the pattern, in every spelling */
    size_t n_patterns;
    const Condition *claim[SCHEMA_CLAIMS];
    Expr claims[SCHEMA_CLAIMS]; /* keys that can meet a claim, in every spelling */
    Expr names;                 /* all allowed keys: propertyNames */
    bool impossible;
} Making;

/* ------------------------------------------------------------------ gathering */

static ObjectKey *schema_object_find_key(Making *m, Text name) {
    for (size_t i = 0; i < m->plan.n_keys; i++)
        if (text_equal(m->plan.keys[i].name, name)) return &m->plan.keys[i];
    return NULL;
}

/* Places of keys that no `properties` declares: after all others. */
enum { LAST_PLACE = INT32_MAX };

static bool add_key(Making *m, Text name, bool required, size_t place) {
    ObjectKey *key = schema_object_find_key(m, name);
    if (!key) {
        if (m->plan.n_keys == SCHEMA_KEYS)
            return fault_set(m->s->fault,
                             "schema: an object with more than %d keys is not "
                             "supported",
                             SCHEMA_KEYS);
        m->plan.keys = realloc(m->plan.keys, (m->plan.n_keys + 1) * sizeof *m->plan.keys);
        NEED_MEMORY(m->plan.keys, "a schema");
        key = &m->plan.keys[m->plan.n_keys++];
        *key = (ObjectKey){.name = name, .place = place};
    }
    key->required = key->required || required;
    if (place < key->place) key->place = place;
    return true;
}

/* Conditions are in no order of the text: that of allOf's parts would be chance. */
static void order_keys(ObjectPlan *plan) {
    for (size_t i = 1; i < plan->n_keys; i++) {
        ObjectKey key = plan->keys[i];
        size_t k = i;
        for (; k > 0 && plan->keys[k - 1].place > key.place; k--)
            plan->keys[k] = plan->keys[k - 1];
        plan->keys[k] = key;
    }
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

/* The conditions on key names, as a goal for strings. */
static bool read_names(Making *m, const JsonValue *names, Expr *inside) {
    Goal goal = {0}, flat = {0};
    *inside = EXPR_NONE;
    goal_add(&goal, schema_holds(names, true));
    bool ok = schema_flatten(m->s, &goal, &flat);
    for (size_t i = 0; ok && i < flat.count; i++)
        if (flat.of[i].kind != DIRECT || json_get(flat.of[i].schema, "const"))
            ok = schema_refuse(m->s, names, "propertyNames",
                               "only conditions on the string itself "
                               "are supported");
    ok = ok && (flat.impossible || schema_names(m->s, &flat, inside));
    goal_free(&goal), goal_free(&flat);
    return ok;
}

static bool add_names(Making *m, const JsonValue *names) {
    Expr inside;
    if (!read_names(m, names, &inside)) return false;
    m->names = expr_and(m->s->exprs, m->names, inside);
    return true;
}

static bool gather_direct(Making *m, const JsonValue *schema) {
    const JsonValue *properties = json_get(schema, "properties"),
                    *patterns = json_get(schema, "patternProperties"),
                    *required = json_get(schema, "required"),
                    *names = json_get(schema, "propertyNames");
    bool ok = true;
    for (size_t i = 0; ok && properties && i < properties->count; i++)
        ok = add_key(m, properties->keys[i], false, properties->items[i].place);
    for (size_t i = 0; ok && patterns && i < patterns->count; i++)
        ok = add_pattern(m, schema, patterns->keys[i]);
    for (size_t i = 0; ok && required && i < required->count; i++)
        ok = required->items[i].kind == JSON_STRING
                 ? add_key(m, required->items[i].text, true, LAST_PLACE)
                 : schema_refuse(m->s, schema, "required", "wanted a list of keys");
    return ok && (!names || add_names(m, names));
}

/* ------------------------------------------------------------------ claims */

/* The keys that a schema declares or matches with a pattern. */
static bool own_keys(Making *m, const JsonValue *schema, Expr *keys) {
    const JsonValue *properties = json_get(schema, "properties"),
                    *patterns = json_get(schema, "patternProperties");
    *keys = EXPR_NONE;
    for (size_t i = 0; properties && i < properties->count; i++)
        *keys =
            expr_either(m->s->exprs, *keys, schema_every_spelling(m->s, properties->keys[i]));
    for (size_t i = 0; patterns && i < patterns->count; i++) {
        Expr one;
        if (!schema_pattern(m->s, schema, patterns->keys[i], &one)) return false;
        *keys = expr_either(m->s->exprs, *keys, one);
    }
    return true;
}

static bool add_claim(Making *m, const Condition *c) {
    Expr keys;
    if (m->plan.n_claims == SCHEMA_CLAIMS)
        return schema_refuse(m->s, c->schema, "not",
                             "more than four members that must be there are not supported");
    bool ok = c->index == MEMBER_MORE ? own_keys(m, c->schema, &keys)
              : c->index == MEMBER_NAMED
                  ? read_names(m, json_get(c->schema, "propertyNames"), &keys)
                  : schema_pattern(m->s, c->schema, c->key, &keys);
    if (c->index != MEMBER_MATCHING && ok) keys = expr_not(m->s->exprs, keys);
    m->claim[m->plan.n_claims] = c;
    m->claims[m->plan.n_claims++] = ok ? keys : EXPR_NONE;
    return ok;
}

/* The conditions a claim puts on the member's value. */
static void add_claimed(const Condition *c, Goal *goal) {
    const JsonValue *patterns = json_get(c->schema, "patternProperties");
    if (c->index == MEMBER_MORE)
        goal_add(goal, schema_holds(json_get(c->schema, "additionalProperties"), false));
    if (c->index == MEMBER_MATCHING)
        goal_add(goal, schema_holds(json_find(patterns, c->key), false));
}

/* ------------------------------------------------------------------ all that is said */

static bool schema_object_narrow(Making *m, const Condition *c) {
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

static bool schema_object_gather(Making *m) {
    bool ok = true;
    for (size_t i = 0; ok && i < m->flat->count; i++) {
        const Condition *c = &m->flat->of[i];
        if (c->kind == DIRECT) ok = gather_direct(m, c->schema) && schema_object_narrow(m, c);
        if (c->kind == NOT_KEYWORD) ok = schema_object_narrow(m, c);
        if (c->kind == REQUIRES) ok = add_key(m, c->key, true, LAST_PLACE);
        if (c->kind == PROPERTY || c->kind == FORBIDS)
            ok = ok && add_key(m, c->key, false, LAST_PLACE);
        if (c->kind == SOME_MEMBER) ok = add_claim(m, c);
    }
    return ok;
}

/* ------------------------------------------------------------------ values */

static bool holds_text(Schema *s, Expr language, Text text) {
    Expr both = expr_and(s->exprs, language, schema_every_spelling(s, text));
    return expr_is_live(s->exprs, both);
}

/* One schema's conditions on a value: of the declared key `name`, or (NULL) of other keys that
 * match the patterns in a bit set. */
static void add_value_conditions(Making *m, const JsonValue *schema, const Text *name,
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
}

static const JsonValue never = {.kind = JSON_FALSE};

/* The rule of such a key's value when it must also meet the claims in a bit set. */
static bool value_rule(Making *m, const Text *name, unsigned matched, unsigned claims,
                       uint32_t *rule) {
    Goal goal = {0};
    for (size_t i = 0; i < m->plan.n_claims; i++)
        if (claims >> i & 1) add_claimed(m->claim[i], &goal);
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

/* The rules of a key's value: plain, and per set of claims its name can meet. */
static bool value_rules(Making *m, const Text *name, unsigned matched, unsigned claims,
                        uint32_t *rules) {
    for (unsigned set = 0; set < 1u << m->plan.n_claims; set++) {
        rules[set] = RULE_NONE;
        if ((set & claims) == set && !value_rule(m, name, matched, set, &rules[set]))
            return false;
    }
    return true;
}

static bool no_rules(Making *m, uint32_t *rules) {
    Goal goal = {0};
    goal_add(&goal, schema_holds(&never, true));
    bool ok = schema_goal(m->s, &goal, &rules[0]);
    for (unsigned set = 1; set < 1u << m->plan.n_claims; set++) rules[set] = RULE_NONE;
    goal_free(&goal);
    return ok;
}

static bool schema_object_make_keys(Making *m) {
    Schema *s = m->s;
    for (size_t i = 0; i < m->plan.n_keys; i++) {
        ObjectKey *key = &m->plan.keys[i];
        unsigned matched = 0, claims = 0;
        for (size_t k = 0; k < m->n_patterns; k++)
            matched |= (unsigned)holds_text(s, m->matches[k], key->name) << k;
        for (size_t k = 0; k < m->plan.n_claims; k++)
            claims |= (unsigned)holds_text(s, m->claims[k], key->name) << k;
        key->text = schema_given_string(s, key->name, true);
        bool named = holds_text(s, m->names, key->name); /* is the name allowed? */
        if (!(named ? value_rules(m, &key->name, matched, claims, key->rule)
                    : no_rules(m, key->rule)))
            return false;
    }
    return true;
}

/* Partition the undeclared keys by the patterns and claims they match, one after the other;
 * empty parts are dropped. */
static bool part_others(Making *m, Expr keys, size_t by, unsigned matched, unsigned claims) {
    ExprStore *x = m->s->exprs;
    if (!expr_is_live(x, keys)) return true;
    if (by < m->n_patterns + m->plan.n_claims) {
        bool pattern = by < m->n_patterns;
        Expr matches = pattern ? m->matches[by] : m->claims[by - m->n_patterns];
        unsigned more = matched | (pattern ? 1u << by : 0),
                 claimed = claims | (pattern ? 0 : 1u << (by - m->n_patterns));
        return part_others(m, expr_and(x, keys, matches), by + 1, more, claimed) &&
               part_others(m, expr_and(x, keys, expr_not(x, matches)), by + 1, matched, claims);
    }
    if (m->plan.n_others == SCHEMA_OTHERS)
        return fault_set(m->s->fault,
                         "schema: patternProperties that overlap in more than %d ways are not "
                         "supported",
                         SCHEMA_OTHERS);
    m->plan.others = realloc(m->plan.others, (m->plan.n_others + 1) * sizeof *m->plan.others);
    NEED_MEMORY(m->plan.others, "a schema");
    Expr quote = expr_byte(x, '"');
    ObjectOthers *others = &m->plan.others[m->plan.n_others++];
    others->text = expr_cat(x, quote, expr_cat(x, keys, quote));
    return value_rules(m, NULL, matched, claims, others->rule);
}

static bool make_others(Making *m) {
    ExprStore *x = m->s->exprs;
    Expr *declared = malloc((m->plan.n_keys + 1) * sizeof *declared);
    NEED_MEMORY(declared, "a schema");
    for (size_t i = 0; i < m->plan.n_keys; i++)
        declared[i] = schema_every_spelling(m->s, m->plan.keys[i].name);
    Expr undeclared = expr_repeat(x, m->s->any_char, 0, EXPR_FOREVER);
    if (m->plan.n_keys)
        undeclared =
            expr_and(x, undeclared, expr_not(x, expr_alt(x, declared, m->plan.n_keys)));
    free(declared);
    return part_others(m, expr_and(x, m->names, undeclared), 0, 0, 0);
}

bool schema_object(Schema *s, const Goal *flat, Expr *body) {
    Making m = {.s = s, .flat = flat, .plan = {.max = EXPR_FOREVER}};
    uint32_t number;
    *body = EXPR_NONE;
    m.names = expr_not(s->exprs, EXPR_NONE);
    bool ok = schema_object_gather(&m);
    order_keys(&m.plan);
    m.impossible = m.impossible || m.plan.max < m.plan.min;
    ok = ok && schema_object_make_keys(&m) && make_others(&m);
    Plan *plan = schema_plan(s, &number);
    plan->object = m.plan;
    if (!ok || m.impossible) return ok;
    PlanState begin = {.count = 0};
    Expr open = expr_byte(s->exprs, '{');
    if (s->options.space == JSON_SPACE_FREE) open = expr_cat(s->exprs, open, s->space);
    *body = expr_cat(s->exprs, open, schema_state(s, number, &begin));
    return true;
}
