/* derive.c - what is left of an expression after a byte, or after a call.  See expr.h.
 *
 *     d(set)      = empty, when the byte is in it        d(a & b)  = d(a) & d(b)
 *     d(a b)      = d(a) b | d(b) when a may be empty    d(~a)     = ~d(a)
 *     d(a | b)    = d(a) | d(b)                          d(a{l,h}) = d(a) a{l-1,h-1}
 *
 * A call has no derivative: what can be called first is a list of its own. */
#include "expr.h"
#include "number.h"

#include <stdlib.h>
#include <string.h>

/* With calls the answer depends on the rules; without, it was found when the node was made. */
static bool find_nullable(const ExprStore *s, Expr e) {
    for (;; e = s->node[e].b) {
        const ExprNode *n = &s->node[e];
        switch ((ExprKind)n->kind) {
        case KIND_EMPTY: return true;
        case KIND_CALL: return s->rule[n->a].nullable;
        case KIND_NOT: return !expr_is_nullable(s, n->a);
        case KIND_REPEAT: return n->low == 0 || expr_is_nullable(s, n->a);
        case KIND_NUMBER: return number_accepts(&s->test[n->a], n->b);
        case KIND_ALT:
        case KIND_AND:
            for (uint32_t i = 0; i < n->b; i++)
                if (expr_is_nullable(s, s->child[n->a + i]) == (n->kind == KIND_ALT))
                    return n->kind == KIND_ALT;
            return n->kind == KIND_AND;
        case KIND_CAT:
            if (!expr_is_nullable(s, n->a)) return false;
            break; /* on to the right */
        case KIND_NONE:
        case KIND_BYTES:
        case KIND_LAZY: return false;
        }
    }
}

bool expr_is_nullable(const ExprStore *store, Expr e) {
    const ExprNode *n = &store->node[e];
    return n->empty ? n->empty == 2 : find_nullable(store, e);
}

/* ------------------------------------------------------------------ after a byte */

static Expr unfold(ExprStore *s, Expr e) {
    if (!s->node[e].unfolded) {
        Expr open = s->unfold(s, s->node[e].a, s->node[e].b);
        s->node[e].unfolded = open;
    }
    return s->node[e].unfolded;
}

static const Expr *raw_moves(ExprStore *s, Expr e);

/* Conditions come again with other conditions beside them: their moves are kept. */
static Expr derive_condition(ExprStore *s, Expr e, uint8_t byte) {
    return s->over ? EXPR_NONE : raw_moves(s, e)[byte];
}

static Expr derive_children(ExprStore *s, Expr e, uint8_t byte) {
    ExprNode n = s->node[e];
    Expr few[16] = {EXPR_NONE}, *of = n.b <= 16 ? few : malloc(n.b * sizeof *of), out;
    REQUIRE(of, "no memory for a grammar");
    for (uint32_t i = 0; i < n.b; i++)
        of[i] =
            (n.kind == KIND_AND ? derive_condition : expr_derive)(s, s->child[n.a + i], byte);
    if (n.kind == KIND_ALT) {
        out = expr_alt(s, of, n.b);
    } else {
        out = of[0];
        for (uint32_t i = 1; i < n.b; i++) out = expr_and(s, out, of[i]);
    }
    if (of != few) free(of);
    return out;
}

static Expr derive_cat(ExprStore *s, Expr e, uint8_t byte) {
    Expr out = EXPR_NONE;
    for (; s->node[e].kind == KIND_CAT; e = s->node[e].b) {
        Expr right = s->node[e].b;
        out = expr_either(s, out, expr_cat(s, expr_derive(s, s->node[e].a, byte), right));
        if (!expr_is_nullable(s, s->node[e].a)) return out;
    }
    return expr_either(s, out, expr_derive(s, e, byte));
}

static Expr derive_repeat(ExprStore *s, Expr e, uint8_t byte) {
    ExprNode n = s->node[e];
    uint32_t low = n.low && !expr_is_nullable(s, n.a) ? n.low - 1 : 0;
    uint32_t high = n.high == EXPR_FOREVER ? n.high : n.high - 1;
    Expr first = expr_derive(s, n.a, byte);
    return first == EXPR_NONE ? first : expr_cat(s, first, expr_repeat(s, n.a, low, high));
}

Expr expr_derive(ExprStore *store, Expr e, uint8_t byte) {
    ExprNode n = store->node[e];
    if (store->over || ++store->work > store->most_work) store->over = true;
    if (store->over) return EXPR_NONE;
    switch ((ExprKind)n.kind) {
    case KIND_BYTES: return byte_set_has(&store->set[n.a], byte) ? EXPR_EMPTY : EXPR_NONE;
    case KIND_CAT: return derive_cat(store, e, byte);
    case KIND_ALT:
    case KIND_AND: return derive_children(store, e, byte);
    case KIND_NOT: return expr_not(store, derive_condition(store, n.a, byte));
    case KIND_REPEAT: return derive_repeat(store, e, byte);
    case KIND_LAZY: return expr_derive(store, unfold(store, e), byte);
    case KIND_NUMBER: {
        uint32_t next = number_step(&store->test[n.a], n.b, byte);
        return next == NUMBER_NEVER ? EXPR_NONE : expr_number(store, n.a, next);
    }
    case KIND_NONE:
    case KIND_EMPTY:
    case KIND_CALL: break;
    }
    return EXPR_NONE;
}

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
            for (const char *c = "0123456789.-+eE"; *c && !k->numbers; c++) {
                ByteSet one = {{0}};
                byte_set_add(&one, (uint8_t)*c);
                split(k, &one);
            }
            k->numbers = true;
            return;
        case KIND_LAZY: split_by(s, k, unfold(s, e)); return;
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

/* Moves with dead ends still in them. */
static const Expr *raw_moves(ExprStore *s, Expr e) {
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
    split_by(s, &kinds, e);
    for (unsigned kind = 0; kind < kinds.count; kind++)
        fill_moves(s, e, &kinds.of[kind], moves, &first);
    note_first(moves, first);
    return s->node[e].moves = moves;
}

/* ------------------------------------------------------------------ after a call */

typedef struct CallList {
    ExprCall *of;
    size_t count, room;
} CallList;

static void add_call(CallList *list, ExprCall call) {
    for (size_t i = 0; i < list->count; i++)
        if (list->of[i].rule == call.rule && list->of[i].rest == call.rest) return;
    if (list->count == list->room) {
        list->room = list->room ? 2 * list->room : 16;
        list->of = realloc(list->of, list->room * sizeof *list->of);
        REQUIRE(list->of, "no memory for a grammar");
    }
    list->of[list->count++] = call;
}

/* The calls of e, each followed by `then`. */
static void collect_calls(ExprStore *s, Expr e, Expr then, CallList *list) {
    for (;; e = s->node[e].b) {
        ExprNode n = s->node[e];
        if (!n.calls) return;
        switch ((ExprKind)n.kind) {
        case KIND_CALL: add_call(list, (ExprCall){n.a, then}); return;
        case KIND_LAZY: collect_calls(s, unfold(s, e), then, list); return;
        case KIND_ALT:
            for (uint32_t i = 0; i < n.b; i++) collect_calls(s, s->child[n.a + i], then, list);
            return;
        case KIND_REPEAT: {
            uint32_t low = n.low && !expr_is_nullable(s, n.a) ? n.low - 1 : 0;
            uint32_t high = n.high == EXPR_FOREVER ? n.high : n.high - 1;
            Expr more = expr_repeat(s, n.a, low, high);
            collect_calls(s, n.a, expr_cat(s, more, then), list);
            return;
        }
        case KIND_CAT:
            if (s->node[n.a].calls) collect_calls(s, n.a, expr_cat(s, n.b, then), list);
            if (!expr_is_nullable(s, n.a)) return;
            break;
        default: return;
        }
    }
}

size_t expr_calls(ExprStore *store, Expr e, const ExprCall **calls) {
    *calls = NULL;
    if (!store->node[e].calls) return 0;
    if (store->calls_first[e] == UINT32_MAX) {
        CallList list = {0};
        collect_calls(store, e, EXPR_EMPTY, &list);
        while (store->n_call + list.count > store->call_room) {
            store->call_room = store->call_room ? store->call_room * 2 : 256;
            store->call = realloc(store->call, store->call_room * sizeof *store->call);
            REQUIRE(store->call, "no memory for a grammar");
        }
        if (list.count)
            memcpy(store->call + store->n_call, list.of, list.count * sizeof *list.of);
        store->calls_first[e] = (uint32_t)store->n_call;
        store->calls_count[e] = (uint32_t)list.count;
        store->n_call += list.count;
        free(list.of);
    }
    *calls = store->call + store->calls_first[e];
    return store->calls_count[e];
}

/* ------------------------------------------------------------------ dead ends */

enum { UNKNOWN, LIVE, DEAD, SEEN };

/* A path of the search: where it is, and which successor comes next. */
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
    search->at[search->depth++] = 0;
    search->seen[search->n_seen++] = e;
    s->node[e].live = SEEN;
}

/* The next successor of e: its moves, then what is left after its calls. */
static bool successor(ExprStore *s, Expr e, uint32_t at, Expr *next) {
    const ExprCall *calls;
    size_t count;
    if (at < 256) return *next = raw_moves(s, e)[at], true;
    count = expr_calls(s, e, &calls);
    if (at - 256 >= count) return false;
    return *next = calls[at - 256].rest, true;
}

static bool search_end(ExprStore *s, Search *search, Expr e) {
    push(s, search, e);
    while (search->depth > 0) {
        Expr here = search->path[search->depth - 1], next;
        if (s->over || expr_is_nullable(s, here)) return true;
        if (!successor(s, here, search->at[search->depth - 1]++, &next)) {
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
    raw_moves(store, e);
    if (!store->node[e].filtered && store->node[e].filters) filter_moves(store, e);
    store->node[e].filtered = true;
    return store->node[e].moves;
}

ByteSet expr_first(ExprStore *store, Expr e) {
    ByteSet first;
    memcpy(&first, expr_moves(store, e) + 256, sizeof first);
    return first;
}
