/* expr_mask.c - the token mask of an expression, independent of its callers.  See
 * token_mask.h. */
#include "token_mask.h"

#include <stdlib.h>
#include <string.h>

enum { FEW = 512, EXCEPT = 4096 };

static void forget_expr(ExprMask *mask) {
    free(mask->inside), free(mask->few), free(mask->leaving), free(mask->except);
    free(mask->saved);
    *mask = (ExprMask){0};
}

void expr_mask_free(ExprMask *mask) {
    if (!mask) return;
    expr_mask_free(mask->walked);
    forget_expr(mask);
    free(mask);
}

void *token_zeroed(size_t count, size_t size) {
    void *memory = calloc(count ? count : 1, size);
    NEED_MEMORY(memory, "the masks of a grammar");
    return memory;
}

/* ------------------------------------------------------------------ a walk */

/* Tokens are a list first, a bit set when they are many. */
typedef struct Walk {
    MaskTable *table;
    ExprMask *mask;
    size_t few_room, leaving_room, except_room;
    const Expr **beside; /* moves of the loop this is compared with */
} Walk;

#define MASK_GROW(array, room, count) \
    NEED_MEMORY(GROW(array, room, (count) + 1), "the masks of a grammar")

static void add_leaving(Walk *w, Leaving leaving) {
    ExprMask *m = w->mask;
    MASK_GROW(m->leaving, w->leaving_room, m->n_leaving);
    m->leaving[m->n_leaving++] = leaving;
}

/* Turn the list into a bit set. */
static void make_inside(Walk *w) {
    ExprMask *m = w->mask;
    if (m->inside) return;
    m->inside = token_zeroed(w->table->lexicon->words, sizeof *m->inside);
    for (uint32_t i = 0; i < m->n_few; i++) token_bit_set(m->inside, m->few[i]);
    free(m->few), m->few = NULL, m->n_few = 0;
}

static void add_inside(Walk *w, int32_t token) {
    ExprMask *m = w->mask;
    if (!m->inside && m->n_few < FEW) {
        MASK_GROW(m->few, w->few_room, m->n_few);
        m->few[m->n_few++] = token;
        return;
    }
    make_inside(w);
    token_bit_set(m->inside, token);
}

static bool begins_with_call(MaskTable *t, Expr e) {
    const ExprCall *calls;
    return expr_calls(t->rows->exprs, e, &calls) > 0;
}

static bool can_be_left(MaskTable *t, Expr e) {
    return expr_is_nullable(t->rows->exprs, e) || begins_with_call(t, e);
}

/* The last live byte; -1: none. */
static int last_byte(const Expr *moves) {
    ByteSet first;
    memcpy(&first, moves + 256, sizeof first);
    int w = 3;
    while (w >= 0 && !first.word[w]) w--;
    return w < 0 ? w : 64 * w + 63 - __builtin_clzll(first.word[w]);
}

/* Walk siblings from `from` on.  They are sorted by byte: stop after the last live one. */
static void walk_below(Walk *w, const Trie *trie, uint32_t from) {
    MaskTable *t = w->table;
    uint32_t end = trie->node[from].skip;
    t->level[0].last = 255;
    for (uint32_t i = from, visited = 0; i < end;) {
        const TrieNode *node = &trie->node[i];
        if (++visited % MASK_NODES == 0 && !budget_spend(&t->rows->exprs->budget, 1)) return;
        const WalkLevel *above = &t->level[node->depth - 1];
        Expr next = above->moves[node->byte];
        if (next == EXPR_NONE) {
            i = node->byte > above->last ? above->end : node->skip;
            continue;
        }
        for (uint32_t k = node->first; k < node->last; k++) add_inside(w, trie->order[k]);
        if (node->skip > i + 1) {
            const Expr *moves = expr_moves(t->rows->exprs, next);
            t->level[node->depth] = (WalkLevel){moves, node->skip, last_byte(moves)};
            if (can_be_left(t, next)) add_leaving(w, (Leaving){trie, i, next});
        }
        i++;
    }
}

/* A leaving node matters only if a token below it is not inside anyway. */
static bool is_idle(const ExprMask *mask, const Trie *trie, uint32_t node) {
    for (uint32_t k = trie->node[node].last, end = trie_end(trie, node); k < end; k++) {
        int32_t token = trie->order[k];
        if (!(mask->inside[token >> 6] >> (token & 63) & 1)) return false;
    }
    return true;
}

static void drop_idle(ExprMask *mask) {
    uint32_t kept = 0;
    for (uint32_t i = 0; i < mask->n_leaving; i++)
        if (!is_idle(mask, mask->leaving[i].trie, mask->leaving[i].node))
            mask->leaving[kept++] = mask->leaving[i];
    mask->n_leaving = kept;
}

/* ------------------------------------------------------------------ slices */

enum { CLOSED_STATES = 40 /* max states to visit */, CLOSED_NO = 1, CLOSED_YES = 2 };

static bool holds_all(const ByteSet *set, const ByteSet *of) {
    for (int w = 0; w < 4; w++)
        if (of->word[w] & ~set->word[w]) return false;
    return true;
}

/* Add the successors by one byte of the slice; false: too many. */
static bool add_states(const Expr *moves, const Slice *slice, Expr *states, size_t *count) {
    Expr before = EXPR_NONE;
    for (int w = 0; w < 4; w++)
        for (uint64_t bits = slice->bytes.word[w]; bits; bits &= bits - 1) {
            Expr next = moves[64 * w + __builtin_ctzll(bits)];
            if (next == before) continue;
            size_t i = 0;
            while (i < *count && states[i] != next) i++;
            if (i == CLOSED_STATES) return false;
            if (i == *count) states[(*count)++] = next;
            before = next;
        }
    return true;
}

/* Do all words over the slice's bytes match, up to its longest token? */
static bool find_closed(ExprStore *s, Expr e, const Slice *slice) {
    Expr states[CLOSED_STATES] = {e};
    size_t count = 1, from = 0;
    for (uint32_t length = 1; length < slice->longest && from < count; length++)
        for (size_t end = count; from < end; from++) {
            const Expr *moves = expr_moves(s, states[from]);
            ByteSet first = expr_first(s, states[from]);
            if (!holds_all(&first, &slice->bytes) || !add_states(moves, slice, states, &count))
                return false;
        }
    return !s->budget.over;
}

static bool is_closed(MaskTable *t, Expr e, int slice) {
    if (e >= t->closed_room) {
        uint32_t room = e + e / 2 + 64;
        t->closed = realloc(t->closed, room * sizeof *t->closed);
        NEED_MEMORY(t->closed, "the masks of a grammar");
        memset(t->closed + t->closed_room, 0, (room - t->closed_room) * sizeof *t->closed);
        t->closed_room = room;
    }
    unsigned known = t->closed[e] >> 2 * slice & 3;
    if (!known) {
        bool found = find_closed(t->rows->exprs, e, &t->lexicon->slices[slice]);
        known = found ? CLOSED_YES : CLOSED_NO;
        t->closed[e] |= (uint16_t)(known << 2 * slice);
    }
    return known == CLOSED_YES;
}

/* The slice for tokens with this first byte; SLICES: none. */
static int expr_mask_slice_of(MaskTable *t, unsigned byte, Expr next) {
    int i = 0;
    while (i < SLICES &&
           !(byte_set_has(&t->lexicon->slices[i].bytes, byte) && is_closed(t, next, i)))
        i++;
    return i;
}

/* Set or clear the slice's tokens with these first bytes. */
static void change_tokens(uint64_t *mask, const Slice *slice, const ByteSet *bytes, bool set) {
    for (int i = 0; i < 4; i++)
        for (uint64_t bits = bytes->word[i]; bits; bits &= bits - 1) {
            int byte = 64 * i + __builtin_ctzll(bits);
            for (uint32_t k = slice->begin[byte]; k < slice->begin[byte + 1]; k++) {
                uint64_t bit = (uint64_t)1 << (slice->tokens[k] & 63);
                uint64_t *word = &mask[slice->tokens[k] >> 6];
                *word = set ? *word | bit : *word & ~bit;
            }
        }
}

/* If these are most of a slice's first bytes, set the whole slice and clear the others (which
 * must not have been added before). */
static void add_slice(Walk *w, const Slice *slice, const ByteSet *bytes) {
    ExprMask *m = w->mask;
    ByteSet others;
    bool fresh = !m->inside;
    for (int i = 0; i < 4; i++) others.word[i] = slice->bytes.word[i] & ~bytes->word[i];
    make_inside(w);
    if (!holds_all(bytes, &slice->bytes) &&
        (!fresh || 2 * byte_set_count(*bytes) < byte_set_count(slice->bytes))) {
        change_tokens(m->inside, slice, bytes, true);
        return;
    }
    for (size_t i = 0; i < w->table->lexicon->words; i++) m->inside[i] |= slice->all[i];
    change_tokens(m->inside, slice, &others, false);
}

/* Choose a slice per first byte: taken[slice] are its bytes, taken[SLICES] those without
 * one. */
static void choose_slices(MaskTable *t, const Expr *moves, ByteSet first,
                          ByteSet taken[SLICES + 1]) {
    for (int i = 0; i < 4; i++)
        for (uint64_t bits = first.word[i] & t->lexicon->trie.begins.word[i]; bits;
             bits &= bits - 1) {
            unsigned byte = 64 * (unsigned)i + (unsigned)__builtin_ctzll(bits);
            byte_set_add(&taken[expr_mask_slice_of(t, byte, moves[byte])], byte);
        }
}

static void walk_expr(MaskTable *t, Expr e, ExprMask *mask) {
    Walk w = {.table = t, .mask = mask};
    ByteSet first = expr_first(t->rows->exprs, e), taken[SLICES + 1] = {{{0}}};
    t->level[0].moves = expr_moves(t->rows->exprs, e);
    choose_slices(t, t->level[0].moves, first, taken);
    for (int i = 0; i < SLICES; i++)
        if (byte_set_count(taken[i]) > 0) add_slice(&w, &t->lexicon->slices[i], &taken[i]);
    for (int slice = 0; slice <= SLICES; slice++) {
        const Trie *trie = slice < SLICES ? &t->lexicon->slices[slice].rest : &t->lexicon->trie;
        for (int i = 0; i < 4; i++)
            for (uint64_t bits = taken[slice].word[i] & trie->begins.word[i]; bits;
                 bits &= bits - 1)
                walk_below(&w, trie, trie->begin[64 * i + __builtin_ctzll(bits)]);
    }
    if (mask->inside) drop_idle(mask);
}

/* ------------------------------------------------------------------ nearly a loop */

static void except(Walk *w, const TrieNode *node, uint32_t end) {
    ExprMask *m = w->mask;
    for (uint32_t k = node->first; k < end && m->n_except <= EXCEPT; k++) {
        MASK_GROW(m->except, w->except_room, m->n_except);
        m->except[m->n_except++] = w->table->lexicon->trie.order[k];
    }
}

/* Walk the nodes at which the expression and the loop differ, until they agree again. */
static void walk_beside(Walk *w, uint32_t from) {
    MaskTable *t = w->table;
    const Trie *trie = &t->lexicon->trie;
    for (uint32_t i = from, end = trie->node[from].skip, visited = 0; i < end;) {
        const TrieNode *node = &trie->node[i];
        if (++visited % MASK_NODES == 0 && !budget_spend(&t->rows->exprs->budget, 1)) return;
        Expr next = t->level[node->depth - 1].moves[node->byte],
             loop = w->beside[node->depth - 1][node->byte];
        if (next == loop || next == EXPR_NONE) {
            if (next != loop) except(w, node, trie_end(trie, i));
            i = node->skip;
            continue;
        }
        except(w, node, node->last);
        for (uint32_t k = node->first; k < node->last; k++) add_inside(w, trie->order[k]);
        t->level[node->depth].moves = expr_moves(t->rows->exprs, next);
        w->beside[node->depth] = expr_moves(t->rows->exprs, loop);
        if (node->skip > i + 1 && can_be_left(t, next))
            add_leaving(w, (Leaving){trie, i, next});
        i++;
    }
}

/* Find where e and the loop differ; false: nearly everywhere. */
static bool walk_difference(MaskTable *t, Expr e, Expr loop, ExprMask *mask) {
    ExprStore *s = t->rows->exprs;
    const Trie *trie = &t->lexicon->trie;
    Walk w = {.table = t, .mask = mask};
    w.beside = token_zeroed(trie->max_depth + 2, sizeof *w.beside);
    w.beside[0] = expr_moves(s, loop), t->level[0].moves = expr_moves(s, e);
    for (unsigned b = 0; b < 256 && mask->n_except <= EXCEPT; b++)
        if (byte_set_has(&trie->begins, b)) walk_beside(&w, trie->begin[b]);
    free(w.beside);
    mask->saved = token_zeroed(mask->n_except, sizeof *mask->saved);
    return mask->n_except <= EXCEPT;
}

/* The loop among the conjuncts of an intersection; EXPR_NONE: none. */
static Expr loop_within(const ExprStore *s, const ExprNode *both) {
    for (uint32_t i = 0; i < both->b; i++)
        if (s->node[s->child[both->a + i]].kind == KIND_REPEAT) return s->child[both->a + i];
    return EXPR_NONE;
}

static bool take_loop(MaskTable *t, Expr loop, ExprMask *mask) {
    const ExprNode *n = &t->rows->exprs->node[loop];
    mask->low = n->low, mask->high = n->high;
    mask->loop = n->kind == KIND_REPEAT ? lexicon_loop(t->lexicon, t->rows->exprs, n->a) : NULL;
    return mask->loop != NULL;
}

/* Is e nearly this loop followed by mask->then? */
static bool is_nearly(MaskTable *t, Expr e, Expr loop, ExprMask *mask) {
    ExprStore *s = t->rows->exprs;
    if (expr_is_nullable(s, mask->then) || begins_with_call(t, mask->then) ||
        !take_loop(t, loop, mask))
        return false;
    return walk_difference(t, e, expr_cat(s, loop, mask->then), mask);
}

/* [a-z] [a-z0-9]{0,8} rest is nearly [a-z0-9]{1,9} rest. */
static Expr loop_of_second(MaskTable *t, Expr e, ExprMask *mask) {
    ExprStore *s = t->rows->exprs;
    Expr second = s->node[e].b;
    mask->then = EXPR_EMPTY;
    if (s->node[second].kind == KIND_CAT)
        mask->then = s->node[second].b, second = s->node[second].a;
    ExprNode n = s->node[second];
    if (n.kind != KIND_REPEAT || byte_set_count(expr_first(s, e)) < LOOP_WIDE) return EXPR_NONE;
    uint32_t high = n.high == EXPR_FOREVER ? n.high : n.high + 1;
    return expr_repeat(s, n.a, n.low + 1, high);
}

/* Is it a loop or nearly one, alone or followed by something? */
static bool find_loop(MaskTable *t, Expr e, ExprMask *mask) {
    ExprStore *s = t->rows->exprs;
    bool cat = s->node[e].kind == KIND_CAT;
    Expr head = cat ? s->node[e].a : e;
    mask->then = cat ? s->node[e].b : EXPR_EMPTY;
    switch ((ExprKind)s->node[head].kind) {
    case KIND_REPEAT: return take_loop(t, head, mask);
    case KIND_AND: return is_nearly(t, e, loop_within(s, &s->node[head]), mask);
    case KIND_BYTES:
    case KIND_ALT: {
        Expr loop = cat ? loop_of_second(t, e, mask) : EXPR_NONE;
        return loop != EXPR_NONE && is_nearly(t, e, loop, mask);
    }
    default: return false;
    }
}

ExprMask *expr_mask_make(MaskTable *table, Expr e) {
    ExprMask *mask = token_zeroed(1, sizeof *mask);
    if (find_loop(table, e, mask)) return mask;
    forget_expr(mask);
    walk_expr(table, e, mask);
    return mask;
}

ExprMask *expr_mask_walk(MaskTable *table, Expr e) {
    ExprMask *mask = token_zeroed(1, sizeof *mask);
    walk_expr(table, e, mask);
    return mask;
}
