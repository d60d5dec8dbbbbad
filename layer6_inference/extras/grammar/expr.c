/* expr.c - constructors and interning of expressions.  See expr.h. */
#include "expr.h"
#include "number.h"

#include <stdlib.h>
#include <string.h>

/* Room for one more element in a store's array. */
#define EXPR_GROW(array, room, count) NEED_MEMORY(GROW(array, room, (count) + 1), "a grammar")

/* ------------------------------------------------------------------ interning */

/* Hash in two more numbers; the two products are independent. */
static uint64_t expr_mix(uint64_t h, uint32_t x, uint32_t y) {
    return h * 0x9E3779B97F4A7C15u ^ ((uint64_t)x << 32 | y) * 0xC2B2AE3D27D4EB4Fu;
}

static uint32_t folded(uint64_t h) { return (uint32_t)(h ^ h >> 29 ^ h >> 47); }

/* Its bucket in the hash table. */
static uint32_t *expr_bucket_of(const ExprStore *s, const ExprNode *n) {
    uint64_t h = expr_mix(n->kind, n->low, n->high);
    if (n->kind != KIND_ALT && n->kind != KIND_AND)
        h = expr_mix(h, n->a, n->b);
    else
        for (uint32_t i = 0; i < n->b; i++) h = expr_mix(h, s->child[n->a + i], i);
    return &s->buckets[folded(h) & (s->n_buckets - 1)];
}

static bool same(const ExprStore *s, const ExprNode *x, const ExprNode *y) {
    if (x->kind != y->kind || x->b != y->b || x->low != y->low || x->high != y->high)
        return false;
    if (x->kind != KIND_ALT && x->kind != KIND_AND) return x->a == y->a;
    return memcmp(s->child + x->a, s->child + y->a, x->b * sizeof *s->child) == 0;
}

static void expr_rehash(ExprStore *s) {
    s->n_buckets = s->n_buckets ? s->n_buckets * 4 : 2048; /* a power of 2 */
    free(s->buckets);
    s->buckets = calloc(s->n_buckets, sizeof *s->buckets);
    NEED_MEMORY(s->buckets, "a grammar");
    for (uint32_t i = 1; i < s->count; i++) { /* node 0 (none) ends the bucket lists */
        uint32_t *bucket = expr_bucket_of(s, &s->node[i]);
        s->node[i].hash_next = *bucket;
        *bucket = i;
    }
}

static void expr_make_room(ExprStore *s) {
    size_t first_room = s->room, count_room = first_room;
    EXPR_GROW(s->node, s->room, s->count);
    EXPR_GROW(s->calls_first, first_room, s->count);
    EXPR_GROW(s->calls_count, count_room, s->count);
}

static Expr intern(ExprStore *s, ExprNode node) {
    if (s->budget.over) return EXPR_NONE;
    uint32_t *bucket = expr_bucket_of(s, &node);
    for (uint32_t i = *bucket; i; i = s->node[i].hash_next)
        if (same(s, &node, &s->node[i])) return i;
    if (!budget_hold(&s->budget, EXPR_BYTES) || !budget_spend(&s->budget, EXPR_WORK))
        return EXPR_NONE;
    expr_make_room(s);
    Expr e = s->count++;
    node.hash_next = *bucket;
    *bucket = e;
    s->node[e] = node;
    if (!node.calls) s->node[e].empty = expr_is_nullable(s, e) ? 2 : 1;
    s->calls_first[e] = UINT32_MAX;
    if (s->count > s->n_buckets) expr_rehash(s);
    return e;
}

void expr_store_init(ExprStore *store) {
    *store = (ExprStore){.budget = budget_new()};
    expr_make_room(store);
    store->node[store->count++] = (ExprNode){.kind = KIND_NONE};
    store->calls_first[0] = UINT32_MAX;
    expr_rehash(store);
    intern(store, (ExprNode){.kind = KIND_EMPTY});
    intern(store, (ExprNode){.kind = KIND_NOT, .a = EXPR_NONE});
}

void expr_store_free(ExprStore *store) {
    for (uint32_t i = 0; i < store->count; i++) free(store->node[i].moves);
    for (uint32_t i = 0; i < store->n_rule; i++) free(store->rule[i].name);
    free(store->node), free(store->buckets), free(store->child), free(store->set);
    free(store->rule), free(store->call), free(store->calls_first), free(store->calls_count);
    free(store->test), free(store->set_next), budget_free(&store->budget);
    *store = (ExprStore){0};
}

/* ------------------------------------------------------------------ bytes */

static uint32_t hash_set(const ByteSet *set) {
    uint64_t h = 0;
    for (int w = 0; w < 4; w++)
        h = expr_mix(h, (uint32_t)(set->word[w] >> 32), (uint32_t)set->word[w]);
    return folded(h) % SET_BUCKETS;
}

Expr expr_bytes(ExprStore *store, const ByteSet *set) {
    static const ByteSet nothing;
    if (memcmp(set, &nothing, sizeof *set) == 0) return EXPR_NONE;
    uint32_t *bucket = &store->set_bucket[hash_set(set)], i = *bucket;
    while (i && memcmp(&store->set[i - 1], set, sizeof *set) != 0) i = store->set_next[i - 1];
    if (!i) {
        size_t next_room = store->set_room;
        EXPR_GROW(store->set, store->set_room, store->n_set);
        EXPR_GROW(store->set_next, next_room, store->n_set);
        store->set_next[store->n_set] = *bucket;
        store->set[store->n_set++] = *set;
        i = *bucket = store->n_set;
    }
    return intern(store, (ExprNode){.kind = KIND_BYTES, .a = i - 1});
}

Expr expr_byte(ExprStore *store, uint8_t byte) {
    ByteSet set = {{0}};
    byte_set_add(&set, byte);
    return expr_bytes(store, &set);
}

Expr expr_text(ExprStore *store, const char *text, size_t size) {
    Expr e = EXPR_EMPTY;
    while (size > 0) e = expr_cat(store, expr_byte(store, (uint8_t)text[--size]), e);
    return e;
}

/* ------------------------------------------------------------------ a b */

/* Right-associative: (a b) c becomes a (b c). */
Expr expr_cat(ExprStore *store, Expr a, Expr b) {
    if (a == EXPR_NONE || b == EXPR_NONE) return EXPR_NONE;
    if (a == EXPR_EMPTY) return b;
    if (b == EXPR_EMPTY) return a;
    const ExprNode *left = &store->node[a];
    if (left->kind == KIND_CAT) {
        Expr first = left->a;
        return expr_cat(store, first, expr_cat(store, left->b, b));
    }
    return intern(store, (ExprNode){.kind = KIND_CAT,
                                    .a = a,
                                    .b = b,
                                    .calls = left->calls || store->node[b].calls,
                                    .filters = left->filters || store->node[b].filters});
}

/* ------------------------------------------------------------------ a | b, a & b */

static int by_number(const void *x, const void *y) {
    uint32_t a = *(const uint32_t *)x, b = *(const uint32_t *)y;
    return (a > b) - (a < b);
}

/* The children of an alt or an and: flattened, sorted, unique. */
typedef struct Children {
    uint32_t *of, count, room; /* of: `few`, until that is full */
    uint32_t few[32];
} Children;

static void begin_children(Children *c) { c->of = c->few, c->count = 0, c->room = 32; }

static void end_children(Children *c) {
    if (c->of != c->few) free(c->of);
}

static void add_child(Children *c, Expr e) {
    if (c->count == c->room) {
        uint32_t *before = c->of == c->few ? NULL : c->of;
        c->of = realloc(before, (c->room *= 2) * sizeof *c->of);
        NEED_MEMORY(c->of, "a grammar");
        if (!before) memcpy(c->of, c->few, sizeof c->few);
    }
    c->of[c->count++] = e;
}

static void take_child(const ExprStore *s, Children *c, ExprKind kind, Expr e) {
    const ExprNode *n = &s->node[e];
    if (n->kind != kind) {
        add_child(c, e);
        return;
    }
    for (uint32_t i = 0; i < n->b; i++) add_child(c, s->child[n->a + i]);
}

/* Merge byte sets among the children: union for alt, intersection for and. */
static void join_sets(ExprStore *s, Children *c, bool both) {
    ByteSet joined;
    uint32_t found = 0, kept = 0;
    for (uint32_t i = 0; i < c->count; i++) {
        const ExprNode *n = &s->node[c->of[i]];
        if (n->kind != KIND_BYTES) {
            c->of[kept++] = c->of[i];
            continue;
        }
        const ByteSet *set = &s->set[n->a];
        if (found++ == 0) joined = *set;
        for (int w = 0; w < 4; w++)
            joined.word[w] =
                both ? joined.word[w] & set->word[w] : joined.word[w] | set->word[w];
    }
    c->count = kept;
    if (found) c->of[c->count++] = expr_bytes(s, &joined);
}

enum { SORT_HERE = 12 }; /* insertion sort: faster than qsort for so few */

static void sort_children(Children *c) {
    uint32_t kept = 0;
    if (c->count > SORT_HERE) qsort(c->of, c->count, sizeof *c->of, by_number);
    for (uint32_t i = 1, k; i < c->count && c->count <= SORT_HERE; i++) {
        Expr one = c->of[i];
        for (k = i; k > 0 && c->of[k - 1] > one; k--) c->of[k] = c->of[k - 1];
        c->of[k] = one;
    }
    for (uint32_t i = 0; i < c->count; i++)
        if (kept == 0 || c->of[kept - 1] != c->of[i]) c->of[kept++] = c->of[i];
    c->count = kept;
}

static Expr intern_children(ExprStore *s, Children *c, ExprKind kind) {
    ExprNode node = {.kind = (uint8_t)kind, .a = (uint32_t)s->n_child, .b = c->count};
    node.filters = kind == KIND_AND;
    budget_spend(&s->budget, 1 + c->count / 4), budget_hold(&s->budget, 8 * c->count);
    for (uint32_t i = 0; i < c->count; i++) {
        EXPR_GROW(s->child, s->child_room, s->n_child);
        s->child[s->n_child++] = c->of[i];
        node.calls = node.calls || s->node[c->of[i]].calls;
        node.filters = node.filters || s->node[c->of[i]].filters;
    }
    uint32_t before = s->count;
    Expr e = intern(s, node);
    if (s->count == before) s->n_child = node.a; /* duplicate */
    return e;
}

Expr expr_alt(ExprStore *store, const Expr *of, size_t count) {
    Children c;
    begin_children(&c);
    for (size_t i = 0; i < count; i++)
        if (of[i] != EXPR_NONE) take_child(store, &c, KIND_ALT, of[i]);
    join_sets(store, &c, false);
    sort_children(&c);
    Expr e = c.count == 0   ? EXPR_NONE
             : c.count == 1 ? c.of[0]
                            : intern_children(store, &c, KIND_ALT);
    end_children(&c);
    return e;
}

Expr expr_either(ExprStore *store, Expr a, Expr b) {
    if (a == b || b == EXPR_NONE) return a;
    return a == EXPR_NONE ? b : expr_alt(store, (Expr[]){a, b}, 2);
}

Expr expr_and(ExprStore *store, Expr a, Expr b) {
    REQUIRE(!store->node[a].calls && !store->node[b].calls, "an intersection of rules");
    if (a == b || b == EXPR_ANYTHING) return a;
    if (a == EXPR_ANYTHING) return b;
    if (a == EXPR_NONE || b == EXPR_NONE) return EXPR_NONE;
    if (a == EXPR_EMPTY) return expr_is_nullable(store, b) ? a : EXPR_NONE;
    if (b == EXPR_EMPTY) return expr_is_nullable(store, a) ? b : EXPR_NONE;
    Children c;
    begin_children(&c);
    take_child(store, &c, KIND_AND, a);
    take_child(store, &c, KIND_AND, b);
    join_sets(store, &c, true);
    sort_children(&c);
    Expr e = c.of[0] == EXPR_NONE ? EXPR_NONE
             : c.count == 1       ? c.of[0]
                                  : intern_children(store, &c, KIND_AND);
    end_children(&c);
    return e;
}

/* ------------------------------------------------------------------ the others */

Expr expr_not(ExprStore *store, Expr a) {
    const ExprNode *n = &store->node[a];
    REQUIRE(!n->calls, "the complement of a rule");
    if (n->kind == KIND_NOT) return n->a;
    return intern(store, (ExprNode){.kind = KIND_NOT, .a = a, .filters = a != EXPR_NONE});
}

/* (a{l,}){low,high} with l <= 1 is a{l * low,}. */
Expr expr_repeat(ExprStore *store, Expr a, uint32_t low, uint32_t high) {
    REQUIRE(low <= high, "repeated %u to %u times", low, high);
    if (high == 0 || a == EXPR_EMPTY) return EXPR_EMPTY;
    if (a == EXPR_NONE) return low == 0 ? EXPR_EMPTY : EXPR_NONE;
    if (low == 1 && high == 1) return a;
    const ExprNode *n = &store->node[a];
    if (n->kind == KIND_REPEAT && n->high == EXPR_FOREVER && n->low <= 1)
        return expr_repeat(store, n->a, n->low * low, EXPR_FOREVER);
    return intern(store, (ExprNode){.kind = KIND_REPEAT,
                                    .a = a,
                                    .low = low,
                                    .high = high,
                                    .calls = n->calls,
                                    .filters = n->filters});
}

Expr expr_optional(ExprStore *store, Expr a) { return expr_either(store, a, EXPR_EMPTY); }

Expr expr_call(ExprStore *store, uint32_t rule) {
    return intern(store, (ExprNode){.kind = KIND_CALL, .a = rule, .calls = true});
}

Expr expr_lazy(ExprStore *store, uint32_t which, uint32_t state) {
    return intern(store, (ExprNode){.kind = KIND_LAZY, .a = which, .b = state, .calls = true});
}

Expr expr_number(ExprStore *store, uint32_t test, uint32_t state) {
    return intern(store,
                  (ExprNode){.kind = KIND_NUMBER, .a = test, .b = state, .filters = true});
}

uint32_t expr_rule(ExprStore *store, const char *name) {
    EXPR_GROW(store->rule, store->rule_room, store->n_rule);
    char *copy = name ? strdup(name) : NULL;
    NEED_MEMORY(copy || !name, "a grammar");
    store->rule[store->n_rule] = (ExprRule){.name = copy};
    return store->n_rule++;
}

uint32_t expr_number_test(ExprStore *store, const NumberTest *test) {
    EXPR_GROW(store->test, store->test_room, store->n_test);
    store->test[store->n_test] = *test;
    return store->n_test++;
}
