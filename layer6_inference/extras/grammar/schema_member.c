/* schema_member.c - an object unfolds as it is read.  See schema.h.
 *
 * In each state (declared keys that may come, members so far, claims met) it may end or
 * continue with a member.
 *
 *     {"required": ["b"], "properties": {"a": A, "b": B}, "additionalProperties": false}
 *
 *     state {}        "a": A -> {a}      "b": B -> {b}
 *     state {a}       "b": B -> {a b}
 *     state {b}                                             }
 *
 * Invariant: an object can be completed from every state offered. */
#include "schema.h"

static bool was_seen(const Schema *s, const PlanState *state, size_t key) {
    if (s->options.any_order) return state->seen[key / 64] >> (key % 64) & 1;
    return key < state->next;
}

/* ------------------------------------------------------------------ what is left to do */

static bool is_alive(const Schema *s, const bool *known, uint32_t rule) {
    return rule != RULE_NONE && schema_is_alive(s, known, rule);
}

/* cost[c]: min number of members that are not required otherwise with which the claims c can be
 * met. */
static void add_cost(const Schema *s, const ObjectPlan *plan, const bool *known,
                     const uint32_t *rules, uint32_t price, uint32_t *cost) {
    uint32_t before[1 << SCHEMA_CLAIMS];
    unsigned sets = 1u << plan->n_claims;
    for (unsigned c = 0; c < sets; c++) before[c] = cost[c];
    for (unsigned by = 1; by < sets; by++) {
        if (!is_alive(s, known, rules[by])) continue;
        for (unsigned c = 0; c < sets; c++)
            if (before[c] != EXPR_FOREVER && before[c] + price < cost[c | by])
                cost[c | by] = before[c] + price;
    }
}

/* Min number of further members that meet the open claims; EXPR_FOREVER: impossible. */
static uint32_t cost_of_claims(const Schema *s, const ObjectPlan *plan, const bool *known,
                               const PlanState *state) {
    uint32_t cost[1 << SCHEMA_CLAIMS];
    unsigned sets = 1u << plan->n_claims;
    for (unsigned c = 0; c < sets; c++) cost[c] = c == state->hit ? 0 : EXPR_FOREVER;
    for (size_t i = 0; i < plan->n_keys; i++)
        if (!was_seen(s, state, i))
            add_cost(s, plan, known, plan->keys[i].rule, !plan->keys[i].required, cost);
    for (size_t i = 0; i < plan->n_others; i++)
        for (unsigned again = 0; again < plan->n_claims; again++)
            add_cost(s, plan, known, plan->others[i].rule, 1, cost);
    return cost[sets - 1];
}

/* Can an object in this state be completed?  Required and claimed members must fit max, and
 * there must be enough keys to reach min. */
static bool schema_member_can_complete(const Schema *s, const ObjectPlan *plan,
                                       const bool *known, const PlanState *state) {
    uint32_t needed = 0, open = 0;
    budget_spend(&s->exprs->budget, (plan->n_keys + plan->n_others) / 16);
    for (size_t i = 0; i < plan->n_others; i++)
        if (is_alive(s, known, plan->others[i].rule[0])) open = EXPR_FOREVER;
    for (size_t i = 0; i < plan->n_keys; i++) {
        if (was_seen(s, state, i)) continue;
        bool alive = is_alive(s, known, plan->keys[i].rule[0]);
        if (plan->keys[i].required && !alive) return false;
        needed += plan->keys[i].required;
        if (open != EXPR_FOREVER) open += alive;
    }
    if (plan->n_claims) {
        uint32_t more = cost_of_claims(s, plan, known, state);
        if (more == EXPR_FOREVER) return false;
        needed += more;
    }
    if (plan->max != EXPR_FOREVER && state->count + needed > plan->max) return false;
    return open == EXPR_FOREVER || state->count >= plan->min ||
           open >= plan->min - state->count;
}

bool schema_object_is_productive(const Schema *s, const ObjectPlan *plan, const bool *known) {
    const PlanState begin = {.count = 0};
    return schema_member_can_complete(s, plan, known, &begin);
}

/* ------------------------------------------------------------------ unfolding */

static uint32_t counted(const ObjectPlan *plan, uint32_t count) {
    uint32_t most = plan->max == EXPR_FOREVER ? plan->min : plan->max;
    return count < most ? count + 1 : count;
}

static Expr member(Schema *s, uint32_t number, const PlanState *state, PlanState next, Expr key,
                   uint32_t rule) {
    ExprStore *x = s->exprs;
    bool free_space = s->options.space == JSON_SPACE_FREE;
    if (!is_alive(s, NULL, rule)) return EXPR_NONE;
    next.count = counted(&s->plans[number].object, state->count), next.any = true;
    if (state->count == s->plans[number].object.max ||
        !schema_member_can_complete(s, &s->plans[number].object, NULL, &next))
        return EXPR_NONE;
    Expr rest = schema_state(s, number, &next);
    if (free_space) rest = expr_cat(x, s->space, rest);
    rest = expr_cat(x, expr_call(x, rule), rest);
    rest = expr_cat(x, expr_cat(x, expr_byte(x, ':'), s->space), rest);
    if (free_space) rest = expr_cat(x, s->space, rest);
    rest = expr_cat(x, key, rest);
    return state->any ? expr_cat(x, expr_cat(x, expr_byte(x, ','), s->space), rest) : rest;
}

/* Could the same value meet one more open claim? */
static bool could_claim_more(const uint32_t *rules, unsigned sets, unsigned hit, unsigned set) {
    for (unsigned one = 1; one < sets; one <<= 1)
        if (!((set | hit) & one) && rules[set | one] == rules[set]) return true;
    return false;
}

/* One alternative per set of open claims that the member can meet. */
static void add_member(Schema *s, uint32_t number, const PlanState *state, PlanState next,
                       Expr key, const uint32_t *rules, ExprList *ways) {
    unsigned sets = 1u << s->plans[number].object.n_claims;
    for (unsigned set = 0; set < sets; set++) {
        if (set & state->hit || rules[set] == RULE_NONE) continue;
        if (could_claim_more(rules, sets, state->hit, set)) continue;
        next.hit = state->hit | set;
        expr_list_add(ways, member(s, number, state, next, key, rules[set]));
    }
}

/* The declared keys that may come: in order, up to the first required one. */
static void add_declared(Schema *s, uint32_t number, const PlanState *state, ExprList *ways) {
    for (uint32_t i = 0; i < s->plans[number].object.n_keys; i++) {
        ObjectKey key = s->plans[number].object.keys[i];
        PlanState next = *state;
        if (was_seen(s, state, i)) continue;
        if (s->options.any_order)
            next.seen[i / 64] |= (uint64_t)1 << (i % 64);
        else
            next.next = i + 1;
        add_member(s, number, state, next, key.text, key.rule, ways);
        if (key.required && !s->options.any_order) break;
    }
}

/* May an object end here? */
static bool is_done(const Schema *s, const ObjectPlan *plan, const PlanState *state) {
    if (state->count < plan->min || state->hit != (1u << plan->n_claims) - 1) return false;
    for (size_t i = 0; i < plan->n_keys; i++)
        if (plan->keys[i].required && !was_seen(s, state, i)) return false;
    return true;
}

Expr schema_unfold_object(Schema *s, uint32_t number, const PlanState *state) {
    ExprList ways = {0};
    add_declared(s, number, state, &ways);
    bool done = is_done(s, &s->plans[number].object, state);
    for (size_t i = 0; i < s->plans[number].object.n_others; i++) {
        ObjectOthers others = s->plans[number].object.others[i];
        add_member(s, number, state, *state, others.text, others.rule, &ways);
    }
    if (done) expr_list_add(&ways, expr_byte(s->exprs, '}'));
    return expr_list_alt(s->exprs, &ways);
}
