/* token_mask.c - walks through the vocabulary, cached.  See token_mask.h. */
#include "token_mask.h"
#include "gbnf.h"

#include <stdlib.h>
#include <string.h>

enum { MASKS = 512 /* max cached masks of rows */ };

bool mask_table_init(MaskTable *table, RowTable *rows, Lexicon *lexicon, Fault *fault) {
    const size_t depth = lexicon->trie.max_depth + 2;
    *table = (MaskTable){.rows = rows, .lexicon = lexicon, .max_kept = MASKS};
    table->level = malloc(depth * sizeof *table->level);
    table->stack = malloc(depth * sizeof *table->stack);
    if (table->level && table->stack) return true;
    mask_table_free(table);
    return fault_set(fault, "no memory for the masks of a grammar");
}

static void forget_rows(MaskTable *t) {
    for (uint32_t i = 0; i < t->row_room; i++) free(t->of_row[i]), t->of_row[i] = NULL;
    t->kept = 0;
}

void mask_table_free(MaskTable *table) {
    forget_rows(table);
    for (uint32_t i = 0; i < table->expr_room; i++) expr_mask_free(table->of_expr[i]);
    free(table->of_row), free(table->of_expr), free(table->level), free(table->stack);
    free(table->closed);
    *table = (MaskTable){0};
}

/* Grow to at least `want` pointers, the new ones NULL. */
static void *pointers(void *array, uint32_t *room, uint32_t want) {
    if (want <= *room) return array;
    uint32_t grown = want + want / 2 + 64;
    void **out = realloc(array, grown * sizeof *out);
    NEED_MEMORY(out, "the masks of a grammar");
    memset(out + *room, 0, (grown - *room) * sizeof *out);
    *room = grown;
    return out;
}

static ExprMask *expr_mask(MaskTable *t, Expr e) {
    t->of_expr = pointers(t->of_expr, &t->expr_room, e + 1);
    if (!t->of_expr[e]) t->of_expr[e] = expr_mask_make(t, e);
    return t->of_expr[e];
}

/* ------------------------------------------------------------------ of a row */

/* mask_walk, its steps counted. */
static void token_mask_walk(MaskTable *t, const Trie *trie, uint32_t from, uint32_t end,
                            Rounds r, uint64_t *mask) {
    size_t before = t->rows->looks;
    if (t->rows->exprs->budget.over) return;
    mask_walk(t, trie, from, end, r, mask);
    budget_spend(&t->rows->exprs->budget, (t->rows->looks - before) / MASK_NODES);
}

static void walk_all_rows(MaskTable *t, const Trie *trie, uint32_t row, Rounds r,
                          uint64_t *mask) {
    ByteSet first = *row_first(t->rows, row);
    t->stack[0] = row;
    for (int i = 0; i < 4; i++)
        for (uint64_t bits = first.word[i] & trie->begins.word[i]; bits; bits &= bits - 1) {
            uint32_t from = trie->begin[64 * i + __builtin_ctzll(bits)];
            token_mask_walk(t, trie, from, trie->node[from].skip, r, mask);
        }
}

static void add_walked(MaskTable *t, const ExprMask *own, uint32_t back, uint64_t *mask) {
    const Rounds any = {0, UINT32_MAX};
    budget_spend(&t->rows->exprs->budget, t->lexicon->words / 128);
    for (size_t i = 0; own->inside && i < t->lexicon->words; i++) mask[i] |= own->inside[i];
    for (uint32_t i = 0; i < own->n_few; i++) token_bit_set(mask, own->few[i]);
    Expr then = EXPR_NONE;
    uint32_t row = ROW_DEAD;
    for (uint32_t i = 0; i < own->n_leaving; i++) {
        const Trie *trie = own->leaving[i].trie;
        uint32_t node = own->leaving[i].node;
        if (own->leaving[i].then != then) {
            Item left = {then = own->leaving[i].then, back};
            row = row_of(t->rows, &left, 1);
        }
        if (row == ROW_DEAD) continue;
        t->stack[trie->node[node].depth] = row;
        token_mask_walk(t, trie, node + 1, trie->node[node].skip, any, mask);
    }
}

/* Can what follows be distinguished from another round of the loop? */
static bool is_apart(MaskTable *t, const Loop *loop, uint32_t row) {
    ByteSet first = *row_first(t->rows, row);
    for (int i = 0; i < 4; i++) {
        uint64_t escape = i == '\\' / 64 ? (uint64_t)1 << '\\' % 64 : 0;
        if (first.word[i] & loop->first.word[i] & ~escape) return false;
    }
    return !byte_set_has(&first, TOKEN_MARK);
}

static void add_loop(MaskTable *t, const ExprMask *own, uint32_t row, uint64_t *mask) {
    const uint64_t *inside = loop_inside(own->loop, own->high);
    for (size_t i = 0; i < t->lexicon->words; i++) mask[i] |= inside[i];
    if (row == ROW_DEAD) return;
    Rounds rounds = {own->low, own->high};
    if (rounds.low == 0) walk_all_rows(t, &t->lexicon->trie, row, rounds, mask);
    walk_all_rows(t, &own->loop->rest, row, rounds, mask);
}

/* Add the loop's mask, except for the tokens on which it is wrong. */
static void add_loop_but(MaskTable *t, const ExprMask *own, uint32_t row, uint64_t *mask) {
    for (uint32_t i = 0; i < own->n_except; i++)
        own->saved[i] = mask[own->except[i] >> 6] >> (own->except[i] & 63) & 1;
    add_loop(t, own, row, mask);
    for (uint32_t i = 0; i < own->n_except; i++) {
        mask[own->except[i] >> 6] &= ~((uint64_t)1 << (own->except[i] & 63));
        mask[own->except[i] >> 6] |= own->saved[i] << (own->except[i] & 63);
    }
}

static void add_one_mask(MaskTable *t, Item item, uint64_t *mask) {
    ExprMask *own = expr_mask(t, item.expr);
    if (own->loop) {
        Item then = {own->then, item.back};
        uint32_t row = row_of(t->rows, &then, 1);
        if (row == ROW_DEAD || is_apart(t, own->loop, row)) {
            add_loop_but(t, own, row, mask);
            add_walked(t, own, item.back, mask);
            return;
        }
        if (!own->walked) own->walked = expr_mask_walk(t, item.expr);
        own = own->walked;
    }
    add_walked(t, own, item.back, mask);
}

/* Can the expression begin with a loop? */
static bool may_loop(const ExprStore *s, Expr e) {
    if (s->node[e].kind == KIND_CAT) e = s->node[e].a;
    return s->node[e].kind == KIND_REPEAT || s->node[e].kind == KIND_AND;
}

/* a | b, one of them a loop, is handled as two items: "name" or any other string. */
static void add_item_mask(MaskTable *t, Item item, uint64_t *mask) {
    const ExprStore *s = t->rows->exprs;
    ExprNode n = s->node[item.expr];
    bool loops = false;
    for (uint32_t i = 0; n.kind == KIND_ALT && i < n.b; i++)
        loops = loops || may_loop(s, s->child[n.a + i]);
    if (!loops) {
        add_one_mask(t, item, mask);
        return;
    }
    for (uint32_t i = 0; i < n.b; i++)
        add_one_mask(t, (Item){s->child[n.a + i], item.back}, mask);
}

static void make_mask(MaskTable *t, uint32_t row, uint64_t *mask) {
    for (uint32_t i = 0; i < t->rows->row[row].n_items && !t->rows->exprs->budget.over; i++)
        add_item_mask(t, t->rows->row[row].items[i], mask);
    if (t->rows->row[row].complete)
        for (size_t i = 0; i < t->lexicon->n_ends; i++)
            token_bit_set(mask, t->lexicon->ends[i]);
}

const uint64_t *mask_of(MaskTable *table, uint32_t row) {
    table->of_row = pointers(table->of_row, &table->row_room, row + 1);
    if (table->of_row[row]) return table->of_row[row];
    if (table->kept == table->max_kept) forget_rows(table);
    uint64_t *mask = token_zeroed(table->lexicon->words, sizeof *mask);
    budget_mask(&table->rows->exprs->budget, true);
    if (row != ROW_DEAD) make_mask(table, row, mask);
    budget_mask(&table->rows->exprs->budget, false);
    table->kept++;
    return table->of_row[row] = mask;
}
