/* moves.c - the 256 derivatives of an expression, without those that lead nowhere.  See expr.h.
 *
 * An expression tells few kinds of bytes apart: one derivative is taken for each kind.
 *
 * Invariant: a move leads to EXPR_NONE if and only if no text goes on with that byte. */
#include "expr.h"
#include "number.h"

#include <stdlib.h>
#include <string.h>

/* ------------------------------------------------------------------ kinds of bytes */

enum { KINDS = 256, SETS_NOTED = 1024 };

/* Bytes that no set at the front of an expression tells apart are of one kind. */
typedef struct Kinds {
    ByteSet of[KINDS]; /* apart from each other, none empty */
    unsigned count;
    uint64_t asked[SETS_NOTED / 64]; /* sets that were looked at, by number */
    bool numbers;                    /* the bytes of numbers have kinds of their own */
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

static void split(Kinds *k, const ByteSet *set) {
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
    while (!byte_set_has(&k->of[kind], byte)) kind++; /* each byte is of some kind */
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
            if (!asked_before(k, n.a)) split(k, &s->set[n.a]);
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

/* Behind the moves: the bytes that lead on. */
static void note_first(Expr *moves, ByteSet first) {
    memcpy(moves + 256, &first, sizeof first);
}

/* All bytes of a kind lead to the same.  Those that lead on are added to `first`. */
static void fill_moves(ExprStore *s, Expr e, const ByteSet *kind, Expr *moves, ByteSet *first) {
    Expr after = expr_derive(s, e, (uint8_t)byte_set_any(kind));
    if (after == EXPR_NONE) return; /* as they are already */
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
    REQUIRE(moves, "no memory for a grammar");
    memset(moves, 0, 256 * sizeof *moves); /* EXPR_NONE */
    kinds.count = 1, kinds.numbers = false;
    memset(kinds.of, 0xFF, sizeof *kinds.of);
    memset(kinds.asked, 0, sizeof kinds.asked);
    if (++s->n_tables > EXPR_TABLES) s->over = true;
    s->work += EXPR_TABLE_WORK;
    split_by(s, &kinds, e);
    for (unsigned kind = 0; kind < kinds.count; kind++)
        fill_moves(s, e, &kinds.of[kind], moves, &first);
    note_first(moves, first);
    return s->node[e].moves = moves;
}

/* ------------------------------------------------------------------ dead ends */

enum { UNKNOWN, LIVE, DEAD, SEEN };

/* The byte to try first where a number is to become a multiple: a walk through all remainders would be long. */
static int hint_of(const ExprStore *s, Expr e) {
    const ExprNode *n = &s->node[e];
    int hint = -1;
    if (n->kind == KIND_NUMBER) return number_hint(&s->test[n->a], n->b);
    for (uint32_t i = 0; n->kind == KIND_AND && i < n->b && hint < 0; i++)
        hint = hint_of(s, s->child[n->a + i]);
    return hint;
}

enum { AT_HINT = UINT32_MAX };

/* A path of the search: where it is, and which successor comes next (AT_HINT: the likeliest one). */
typedef struct Search {
    Expr *path, *seen;
    uint32_t *at;
    size_t depth, depth_room, n_seen, seen_room;
} Search;

static void push(ExprStore *s, Search *search, Expr e) {
    if (search->depth == search->depth_room) {
        search->depth_room = search->depth_room ? 2 * search->depth_room : 64;
        search->path = realloc(search->path, search->depth_room * sizeof *search->path);
        search->at = realloc(search->at, search->depth_room * sizeof *search->at);
    }
    if (search->n_seen == search->seen_room) {
        search->seen_room = search->seen_room ? 2 * search->seen_room : 64;
        search->seen = realloc(search->seen, search->seen_room * sizeof *search->seen);
    }
    REQUIRE(search->path && search->at && search->seen, "no memory for a grammar");
    search->path[search->depth] = e;
    search->at[search->depth++] = AT_HINT;
    search->seen[search->n_seen++] = e;
    s->node[e].live = SEEN;
}

/* The first byte from `at` on that leads on; 256: none does. */
static uint32_t next_byte(const Expr *moves, uint32_t at) {
    ByteSet first;
    if (at >= 256) return at; /* among the calls already */
    memcpy(&first, moves + 256, sizeof first);
    for (; at < 256; at = (at | 63) + 1) {
        uint64_t bits = first.word[at >> 6] >> (at & 63);
        if (bits) return at + (uint32_t)__builtin_ctzll(bits);
    }
    return at;
}

/* The next successor of e: its moves, then what is left after its calls. */
static bool successor(ExprStore *s, Expr e, uint32_t *at, Expr *next) {
    const ExprCall *calls;
    const Expr *moves = expr_raw_moves(s, e);
    if (*at == AT_HINT) {
        int hint = hint_of(s, e);
        *at = 0;
        if (hint >= 0) return *next = moves[hint], true;
    }
    if ((*at = next_byte(moves, *at)) < 256) return *next = moves[(*at)++], true;
    if (*at - 256 >= expr_calls(s, e, &calls)) return false;
    return *next = calls[(*at)++ - 256].rest, true;
}

static bool search_end(ExprStore *s, Search *search, Expr e) {
    push(s, search, e);
    while (search->depth > 0) {
        Expr here = search->path[search->depth - 1], next;
        if (s->over || expr_is_nullable(s, here)) return true;
        if (!successor(s, here, &search->at[search->depth - 1], &next)) {
            search->depth--;
            continue;
        }
        if (s->node[next].live == LIVE || (next != EXPR_NONE && !s->node[next].filters))
            return true;
        if (next != EXPR_NONE && s->node[next].live == UNKNOWN) push(s, search, next);
    }
    return false;
}

bool expr_is_live(ExprStore *store, Expr e) {
    if (e == EXPR_NONE) return false;
    if (!store->node[e].filters || store->node[e].live == LIVE) return true;
    if (store->node[e].live == DEAD) return false;
    Search search = {0};
    bool found = search_end(store, &search, e);
    for (size_t i = 0; i < search.n_seen; i++)
        store->node[search.seen[i]].live = found ? UNKNOWN : DEAD;
    for (size_t i = 0; found && i < search.depth; i++) store->node[search.path[i]].live = LIVE;
    free(search.path), free(search.at), free(search.seen);
    return found;
}

/* Take away the moves into dead ends. */
static void filter_moves(ExprStore *s, Expr e) {
    Expr known = EXPR_NONE; /* to lead on */
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
    note_first(s->node[e].moves, first);
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
