/* moves.c - the 256 derivatives of an expression, dead ends removed.  See expr.h.
 *
 * An expression distinguishes few classes of bytes: one derivative is taken per class.
 *
 * Invariant: a move is EXPR_NONE if and only if no text continues with that byte. */
#include "expr.h"
#include "number.h"

#include <stdlib.h>
#include <string.h>

/* ------------------------------------------------------------------ kinds of bytes */

enum { KINDS = 256, SETS_NOTED = 1024 };

/* Byte classes: bytes that no set at the front of an expression distinguishes. */
typedef struct Kinds {
    ByteSet of[KINDS]; /* a partition, no class empty */
    unsigned count;
    uint64_t asked[SETS_NOTED / 64]; /* sets already applied, by number */
    bool numbers;                    /* bytes of numbers are split off */
} Kinds;

static bool is_empty(const ByteSet *set) {
    return !(set->word[0] | set->word[1] | set->word[2] | set->word[3]);
}

static bool asked_before(Kinds *k, uint32_t set) {
    if (set >= SETS_NOTED) return false;
    uint64_t bit = (uint64_t)1 << (set & 63), before = k->asked[set >> 6] & bit;
    k->asked[set >> 6] |= bit;
    return before != 0;
}

static void moves_split(Kinds *k, const ByteSet *set) {
    for (unsigned kind = 0, count = k->count; kind < count; kind++) {
        ByteSet inside, outside;
        for (int w = 0; w < 4; w++) {
            inside.word[w] = k->of[kind].word[w] & set->word[w];
            outside.word[w] = k->of[kind].word[w] & ~set->word[w];
        }
        if (is_empty(&inside) || is_empty(&outside)) continue;
        k->of[kind] = outside;
        k->of[k->count++] = inside;
    }
}

static void split_byte(Kinds *k, uint8_t byte) {
    unsigned kind = 0;
    while (!byte_set_has(&k->of[kind], byte)) kind++; /* every byte has a class */
    if (byte_set_only(&k->of[kind]) >= 0) return;
    k->of[kind].word[byte >> 6] &= ~((uint64_t)1 << (byte & 63));
    k->of[k->count] = (ByteSet){{0}};
    byte_set_add(&k->of[k->count++], byte);
}

static void split_by(ExprStore *s, Kinds *k, Expr e) {
    for (;; e = s->node[e].b) {
        ExprNode n = s->node[e];
        switch ((ExprKind)n.kind) {
        case KIND_BYTES:
            if (!asked_before(k, n.a)) moves_split(k, &s->set[n.a]);
            return;
        case KIND_ALT:
        case KIND_AND:
            for (uint32_t i = 0; i < n.b; i++) split_by(s, k, s->child[n.a + i]);
            return;
        case KIND_NOT:
        case KIND_REPEAT: split_by(s, k, n.a); return;
        case KIND_NUMBER:
            for (const char *c = "0123456789.-+eE"; *c && !k->numbers; c++)
                split_byte(k, (uint8_t)*c);
            k->numbers = true;
            return;
        case KIND_LAZY: split_by(s, k, expr_unfold(s, e)); return;
        case KIND_CAT:
            split_by(s, k, n.a);
            if (!expr_is_nullable(s, n.a)) return;
            break;
        case KIND_NONE:
        case KIND_EMPTY:
        case KIND_CALL: return;
        }
    }
}

/* The set of live bytes is stored after the moves. */
static void moves_note_first(Expr *moves, ByteSet first) {
    memcpy(moves + 256, &first, sizeof first);
}

/* All bytes of a class share a move.  Live ones are added to `first`. */
static void fill_moves(ExprStore *s, Expr e, const ByteSet *kind, Expr *moves, ByteSet *first) {
    Expr after = expr_derive(s, e, (uint8_t)byte_set_any(kind));
    if (after == EXPR_NONE) return; /* already EXPR_NONE */
    for (int w = 0; w < 4; w++) {
        first->word[w] |= kind->word[w];
        for (uint64_t bits = kind->word[w]; bits; bits &= bits - 1)
            moves[64 * w + __builtin_ctzll(bits)] = after;
    }
}

const Expr *expr_raw_moves(ExprStore *s, Expr e) {
    if (s->node[e].moves) return s->node[e].moves;
    Expr *moves = malloc(256 * sizeof *moves + sizeof(ByteSet));
    Kinds kinds;
    ByteSet first = {{0}};
    NEED_MEMORY(moves, "a grammar");
    memset(moves, 0, 256 * sizeof *moves); /* EXPR_NONE */
    kinds.count = 1, kinds.numbers = false;
    memset(kinds.of, 0xFF, sizeof *kinds.of);
    memset(kinds.asked, 0, sizeof kinds.asked);
    budget_hold(&s->budget, 256 * sizeof *moves + sizeof(ByteSet));
    budget_spend(&s->budget, EXPR_TABLE_WORK);
    split_by(s, &kinds, e);
    for (unsigned kind = 0; kind < kinds.count; kind++)
        fill_moves(s, e, &kinds.of[kind], moves, &first);
    moves_note_first(moves, first);
    return s->node[e].moves = moves;
}

/* ------------------------------------------------------------------ dead ends */

enum { UNKNOWN, LIVE, DEAD, SEEN };
enum { HINTS = 64 /* max bytes to follow hints */ };

/* The byte to try first toward a multiple: walking all remainders would take long. */
static int hint_of(const ExprStore *s, Expr e) {
    const ExprNode *n = &s->node[e];
    int hint = -1;
    if (n->kind == KIND_NUMBER) return number_hint(&s->test[n->a], n->b);
    for (uint32_t i = 0; n->kind == KIND_AND && i < n->b && hint < 0; i++)
        hint = hint_of(s, s->child[n->a + i]);
    return hint;
}

/* Breadth-first search for the nearest end: states in the order reached, with predecessors. */
typedef struct Reached {
    Expr expr;
    uint32_t from; /* predecessor; the first state is its own */
    bool done;     /* expanded */
} Reached;

typedef struct Search {
    Reached *of;
    uint32_t count;
    size_t room;
} Search;

static void reach(ExprStore *s, Search *search, Expr e, uint32_t from) {
    NEED_MEMORY(GROW(search->of, search->room, search->count + 1), "a grammar");
    budget_hold(&s->budget, sizeof *search->of);
    search->of[search->count++] = (Reached){e, from, false};
    s->node[e].live = SEEN;
}

/* Is `next` nullable or known to be live?  If not, it is queued. */
static bool moves_ends_in(ExprStore *s, Search *search, Expr next, uint32_t from) {
    if (next == EXPR_NONE) return false;
    const ExprNode *n = &s->node[next];
    if (n->live == LIVE || !n->filters || s->budget.over || expr_is_nullable(s, next))
        return true;
    if (n->live == UNKNOWN) reach(s, search, next, from);
    return false;
}

/* Expand a state: its moves, and the rests after its calls. */
static bool look_further(ExprStore *s, Search *search, uint32_t at) {
    const ExprCall *calls;
    Expr here = search->of[at].expr;
    const Expr *moves = expr_raw_moves(s, here);
    ByteSet first;
    memcpy(&first, moves + 256, sizeof first);
    search->of[at].done = true;
    for (int w = 0; w < 4; w++)
        for (uint64_t bits = first.word[w]; bits; bits &= bits - 1)
            if (moves_ends_in(s, search, moves[64 * w + __builtin_ctzll(bits)], at))
                return true;
    size_t count = expr_calls(s, here, &calls);
    for (size_t i = 0; i < count; i++)
        if (moves_ends_in(s, search, calls[i].rest, at)) return true;
    return false;
}

/* The number of the hinted successor if it is not expanded yet; else UINT32_MAX. */
static uint32_t hinted(const ExprStore *s, const Search *search, uint32_t at, uint32_t first) {
    int hint = hint_of(s, search->of[at].expr);
    for (uint32_t i = first; hint >= 0 && i < search->count; i++)
        if (search->of[i].expr == s->node[search->of[at].expr].moves[hint]) return i;
    return UINT32_MAX;
}

/* Returns the state one step from an end; UINT32_MAX: none. */
static uint32_t search_end(ExprStore *s, Search *search) {
    uint32_t at = 0, head = 0;
    while (at < search->count) {
        uint32_t before = search->count;
        if (s->budget.over || look_further(s, search, at)) return at;
        at = hinted(s, search, at, before);
        if (at != UINT32_MAX) continue;
        while (head < search->count && search->of[head].done) head++;
        at = head;
    }
    return UINT32_MAX;
}

/* Do the hints alone lead to an end?  A derivative for each byte, not a table of all. */
static bool hints_end(ExprStore *s, Expr e) {
    Expr path[HINTS];
    size_t n = 0;
    for (int hint; n < HINTS && e != EXPR_NONE && (hint = hint_of(s, e)) >= 0;) {
        path[n++] = e;
        e = expr_derive(s, e, (uint8_t)hint);
        if (e == EXPR_NONE || !(s->node[e].live == LIVE || expr_is_nullable(s, e))) continue;
        while (n-- > 0) s->node[path[n]].live = LIVE;
        return true;
    }
    return false;
}

bool expr_is_live(ExprStore *store, Expr e) {
    if (e == EXPR_NONE) return false;
    if (!store->node[e].filters || store->node[e].live == LIVE) return true;
    if (store->node[e].live == DEAD) return false;
    if (store->budget.over || expr_is_nullable(store, e) || hints_end(store, e)) return true;
    Search search = {0};
    reach(store, &search, e, 0);
    uint32_t at = search_end(store, &search);
    bool found = at != UINT32_MAX;
    for (uint32_t i = 0; i < search.count; i++)
        store->node[search.of[i].expr].live = found ? UNKNOWN : DEAD;
    for (; found && store->node[search.of[at].expr].live != LIVE; at = search.of[at].from)
        store->node[search.of[at].expr].live = LIVE;
    free(search.of);
    return found;
}

/* Remove the moves into dead ends. */
static void filter_moves(ExprStore *s, Expr e) {
    Expr known = EXPR_NONE; /* known to be live */
    ByteSet first;
    memcpy(&first, s->node[e].moves + 256, sizeof first);
    for (int w = 0; w < 4; w++)
        for (uint64_t bits = first.word[w]; bits; bits &= bits - 1) {
            Expr *moves = s->node[e].moves + 64 * w;
            int at = __builtin_ctzll(bits);
            if (moves[at] == known) continue;
            if (expr_is_live(s, moves[at])) {
                known = moves[at];
            } else {
                moves[at] = EXPR_NONE;
                first.word[w] &= ~((uint64_t)1 << at);
            }
        }
    moves_note_first(s->node[e].moves, first);
}

const Expr *expr_moves(ExprStore *store, Expr e) {
    expr_raw_moves(store, e);
    if (!store->node[e].filtered && store->node[e].filters) filter_moves(store, e);
    store->node[e].filtered = true;
    return store->node[e].moves;
}

ByteSet expr_first(ExprStore *store, Expr e) {
    ByteSet first;
    memcpy(&first, expr_moves(store, e) + 256, sizeof first);
    return first;
}
