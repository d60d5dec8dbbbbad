/* row.c - Earley sets (rows): made by the three steps of earley.c, then interned.  See
 * row.h. */
#include "earley.h"

#include <stdlib.h>
#include <string.h>

void row_table_init(RowTable *table, ExprStore *exprs) {
    *table = (RowTable){.exprs = exprs, .n_buckets = 1 << 12, .n_back_buckets = 1 << 12};
    table->buckets = calloc(table->n_buckets, sizeof *table->buckets);
    table->back_buckets = calloc(table->n_back_buckets, sizeof *table->back_buckets);
    table->row = calloc(table->room = 64, sizeof *table->row);
    table->back = calloc(table->back_room = 64, sizeof *table->back);
    table->seen = calloc(ROW_SEEN, sizeof *table->seen);
    NEED_MEMORY(table->buckets && table->back_buckets && table->row && table->back &&
                    table->seen,
                "a grammar");
    table->count = table->n_back = 1; /* row 0 (dead) and RETURN_END */
}

void row_table_free(RowTable *table) {
    for (uint32_t i = 0; i < table->count; i++)
        free(table->row[i].items), free(table->row[i].callers), free(table->row[i].next);
    free(table->row), free(table->buckets), free(table->back), free(table->back_buckets);
    free(table->work), free(table->calls), free(table->seen);
    free(table->work_next), free(table->calls_next);
    *table = (RowTable){0};
}

enum { ROW_WORK = 8, NEXT_WORK = 8 /* steps for a row, and for its table */ };

static uint32_t row_mix(uint32_t h, uint32_t x) {
    h = (h ^ x) * 0x9E3779B1u;
    return h ^ h >> 15;
}

/* ------------------------------------------------------------------ returns */

static uint32_t *return_bucket(const RowTable *t, uint32_t rule, uint32_t row) {
    return &t->back_buckets[row_mix(row_mix(1, rule), row) & (t->n_back_buckets - 1)];
}

static void return_rehash(RowTable *t) {
    t->n_back_buckets *= 4;
    free(t->back_buckets);
    t->back_buckets = calloc(t->n_back_buckets, sizeof *t->back_buckets);
    NEED_MEMORY(t->back_buckets, "a grammar");
    for (uint32_t i = 1; i < t->n_back; i++) { /* 0 is RETURN_END */
        uint32_t *bucket = return_bucket(t, t->back[i].rule, t->back[i].row);
        t->back[i].next = *bucket, *bucket = i;
    }
}

uint32_t row_return(RowTable *t, uint32_t rule, uint32_t row) {
    uint32_t *bucket = return_bucket(t, rule, row);
    for (uint32_t i = *bucket; i; i = t->back[i].next)
        if (t->back[i].rule == rule && t->back[i].row == row) return i;
    NEED_MEMORY(GROW(t->back, t->back_room, t->n_back + 1), "a grammar");
    budget_hold(&t->exprs->budget, sizeof *t->back);
    if (t->n_back > 2 * t->n_back_buckets)
        return_rehash(t), bucket = return_bucket(t, rule, row);
    t->back[t->n_back] = (Return){rule, row, *bucket};
    return *bucket = t->n_back++;
}

/* ------------------------------------------------------------------ the row being made */

void row_clear(RowTable *t) { t->n_work = t->n_calls = 0, t->making++; }

static RowSeen *row_seen(RowTable *t, uint32_t hash) {
    RowSeen *seen = &t->seen[hash & (ROW_SEEN - 1)];
    if (seen->making != t->making) *seen = (RowSeen){.making = t->making};
    return seen;
}

/* These steps are short: for a mask four count as one. */
static bool row_spend(RowTable *t, size_t steps) {
    Budget *budget = &t->exprs->budget;
    if (budget->mask_end && ++t->spent % 4) budget->mask_end += steps;
    return budget_spend(budget, steps);
}

void row_add_item(RowTable *t, Expr expr, uint32_t back) {
    if (expr == EXPR_NONE || (++t->adds % 4 == 0 && !row_spend(t, 1))) return;
    RowSeen *seen = row_seen(t, row_mix(row_mix(1, expr), back));
    for (uint32_t i = seen->work; i; i = t->work_next[i - 1])
        if (t->work[i - 1].expr == expr && t->work[i - 1].back == back) return;
    if (!row_spend(t, 1 + t->n_work / ROW_SEEN)) return;
    NEED_MEMORY(GROW(t->work, t->work_room, t->n_work + 1) &&
                    GROW(t->work_next, t->work_next_room, t->n_work + 1),
                "a grammar");
    t->work_next[t->n_work] = seen->work;
    t->work[t->n_work++] = (Item){expr, back};
    seen->work = (uint32_t)t->n_work;
}

void row_add_caller(RowTable *t, Caller caller) {
    const Item then = caller.then;
    if (!row_spend(t, 1 + t->n_calls / ROW_SEEN)) return;
    RowSeen *seen =
        row_seen(t, row_mix(row_mix(row_mix(1, caller.rule), then.expr), then.back));
    for (uint32_t i = seen->calls; i; i = t->calls_next[i - 1])
        if (memcmp(&t->calls[i - 1], &caller, sizeof caller) == 0) return; /* no padding */
    NEED_MEMORY(GROW(t->calls, t->calls_room, t->n_calls + 1) &&
                    GROW(t->calls_next, t->calls_next_room, t->n_calls + 1),
                "a grammar");
    t->calls_next[t->n_calls] = seen->calls;
    t->calls[t->n_calls++] = caller;
    seen->calls = (uint32_t)t->n_calls;
}

static int by_item(const void *x, const void *y) {
    const Item *a = x, *b = y;
    if (a->expr != b->expr) return a->expr < b->expr ? -1 : 1;
    return (a->back > b->back) - (a->back < b->back);
}

/* Turn `work` into a kernel: complete, drop finished items, sort, so that equal rows are equal
 * bytes.  Returns whether the text may end here. */
static bool settle_kernel(RowTable *t) {
    bool end = false;
    size_t kept = 0;
    for (size_t i = 0; i < t->n_work; i++)
        if (expr_is_nullable(t->exprs, t->work[i].expr)) {
            budget_spend(&t->exprs->budget, t->row[t->back[t->work[i].back].row].n_callers / 8);
            row_complete(t, t->work[i].back, t->count, &end);
        }
    for (size_t i = 0; i < t->n_work; i++)
        if (t->work[i].expr != EXPR_EMPTY) t->work[kept++] = t->work[i];
    if (kept > 1) qsort(t->work, kept, sizeof *t->work, by_item);
    row_clear(t); /* they have moved */
    for (size_t i = 0; i < kept; i++) row_add_item(t, t->work[i].expr, t->work[i].back);
    return end;
}

static uint32_t hash_kernel(const Item *items, size_t count, bool end) {
    uint32_t h = end;
    for (size_t i = 0; i < count; i++) h = row_mix(row_mix(h, items[i].expr), items[i].back);
    return h;
}

static void row_rehash(RowTable *t) {
    t->n_buckets *= 4;
    free(t->buckets);
    t->buckets = calloc(t->n_buckets, sizeof *t->buckets);
    NEED_MEMORY(t->buckets, "a grammar");
    for (uint32_t i = 1; i < t->count; i++) {
        Row *row = &t->row[i];
        uint32_t *bucket = &t->buckets[hash_kernel(row->items, row->n_kernel, row->complete) &
                                       (t->n_buckets - 1)];
        row->hash_next = *bucket;
        *bucket = i;
    }
}

static uint32_t find_row(const RowTable *t, uint32_t hash, bool end) {
    uint32_t i = t->buckets[hash & (t->n_buckets - 1)];
    for (; i; i = t->row[i].hash_next) {
        const Row *row = &t->row[i];
        if (row->n_kernel == t->n_work && row->complete == end &&
            (t->n_work == 0 || memcmp(row->items, t->work, t->n_work * sizeof *t->work) == 0))
            break;
    }
    return i;
}

static void *row_copy(const void *from, size_t bytes) {
    void *to = malloc(bytes ? bytes : 1);
    NEED_MEMORY(to, "a grammar");
    if (bytes) memcpy(to, from, bytes);
    return to;
}

/* Intern `work` as a row; a new one also gets its predicted items.  Nullable predicted items
 * need no completion: predict has already stepped over their calls. */
static uint32_t make_row(RowTable *t) {
    bool end = settle_kernel(t);
    if (t->n_work == 0 && !end) return ROW_DEAD;
    uint32_t hash = hash_kernel(t->work, t->n_work, end), found = find_row(t, hash, end);
    if (found) return found;
    size_t kernel = t->n_work;
    for (size_t i = 0; i < t->n_work; i++) row_predict(t, t->work[i], t->count);
    budget_hold(&t->exprs->budget,
                sizeof(Row) + t->n_work * sizeof *t->work + t->n_calls * sizeof *t->calls);
    if (!budget_spend(&t->exprs->budget, ROW_WORK)) return ROW_DEAD;
    NEED_MEMORY(GROW(t->row, t->room, t->count + 1), "a grammar");
    uint32_t *bucket = &t->buckets[hash & (t->n_buckets - 1)];
    t->row[t->count] = (Row){.n_items = (uint32_t)t->n_work,
                             .n_kernel = (uint32_t)kernel,
                             .n_callers = (uint32_t)t->n_calls,
                             .complete = end,
                             .items = row_copy(t->work, t->n_work * sizeof *t->work),
                             .callers = row_copy(t->calls, t->n_calls * sizeof *t->calls),
                             .hash_next = *bucket};
    *bucket = t->count++;
    if (t->count > 2 * t->n_buckets) row_rehash(t);
    return t->count - 1;
}

uint32_t row_of(RowTable *table, const Item *items, size_t count) {
    row_clear(table);
    for (size_t i = 0; i < count; i++) row_add_item(table, items[i].expr, items[i].back);
    return make_row(table);
}

uint32_t row_begin(RowTable *table, uint32_t rule) {
    Item item = {table->exprs->rule[rule].body, RETURN_END};
    return row_of(table, &item, 1);
}

static void open_next(RowTable *t, uint32_t row) {
    uint32_t *next = malloc(256 * sizeof *next);
    ByteSet first = {{0}};
    NEED_MEMORY(next, "a grammar");
    budget_hold(&t->exprs->budget, 256 * sizeof *next);
    budget_spend(&t->exprs->budget, NEXT_WORK);
    for (uint32_t i = 0; i < t->row[row].n_items; i++) {
        ByteSet one = expr_first(t->exprs, t->row[row].items[i].expr);
        for (int w = 0; w < 4; w++) first.word[w] |= one.word[w];
    }
    for (unsigned b = 0; b < 256; b++)
        next[b] = byte_set_has(&first, b) ? ROW_UNKNOWN : ROW_DEAD;
    t->row[row].first = first;
    t->row[row].next = next;
}

const ByteSet *row_first(RowTable *table, uint32_t row) {
    if (!table->row[row].next) open_next(table, row);
    return &table->row[row].first;
}

uint32_t row_next(RowTable *table, uint32_t row, uint8_t byte) {
    if (row == ROW_DEAD) return ROW_DEAD;
    if (!table->row[row].next) open_next(table, row);
    uint32_t known = table->row[row].next[byte];
    table->looks++;
    if (known != ROW_UNKNOWN) return known;
    row_clear(table);
    if (!row_spend(table, table->row[row].n_items / 2)) return ROW_DEAD; /* dead ones, too */
    row_scan(table, row, byte);
    uint32_t next = make_row(table);
    return table->row[row].next[byte] = next;
}
