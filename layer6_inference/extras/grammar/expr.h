/* expr.h - what may still come, as an expression.
 *
 * One language for terminals and rules alike:
 *
 *     none            nothing at all             a b      a, then b (cat)
 *     empty           the empty text             a | b    either (alt)
 *     [0-9]           one byte of a set          a & b    both (and)       only without calls
 *     call r          a text of rule r           ~a       anything else    only without calls
 *     a{low,high}     so many times              a test of a decimal number (number.h)
 *                                                an object or array, unfolded on demand (lazy)
 *
 * What is left of an expression after a byte is an expression again, its derivative; so an
 * expression is the state of an automaton, and its table of 256 moves is filled when it is
 * first asked for:
 *
 *     abc|abd  --a-->  bc|bd  --b-->  [cd]  --c-->  empty
 *
 * A call is not a byte.  What an expression may call, and what is left of it after that, is
 * a list.
 *
 * Invariant: in a store, equal expressions are equal numbers (they are interned), and a
 * state from which no text can be completed is EXPR_NONE.
 *
 * Source   Brzozowski 1964, Derivatives of regular expressions; Owens, Reppy & Turon 2009. */
#ifndef STRATA_EXPR_H
#define STRATA_EXPR_H

#include "fault.h"
#include "models.h"
#include <stdint.h>

typedef uint32_t Expr; /* its number in the store */
enum { EXPR_NONE = 0, EXPR_EMPTY = 1, EXPR_ANYTHING = 2 /* ~none */ };

#define EXPR_FOREVER UINT32_MAX /* {low,} */

typedef enum ExprKind {
    KIND_NONE,
    KIND_EMPTY,
    KIND_BYTES,
    KIND_CALL,
    KIND_CAT,
    KIND_ALT,
    KIND_AND,
    KIND_NOT,
    KIND_REPEAT,
    KIND_NUMBER,
    KIND_LAZY
} ExprKind;

typedef struct ByteSet {
    uint64_t word[4];
} ByteSet;

typedef struct ExprNode {
    uint8_t kind;
    bool calls;    /* a rule is called somewhere in it */
    bool filters;  /* an intersection, a complement or a test is in it: it may have dead ends */
    uint8_t live;  /* see expr_is_live */
    uint8_t empty; /* does the empty text belong to it: 0 ask, 1 no, 2 yes */
    /* bytes: number of the set.  call: rule.  cat: left, right.  alt, and: first child, count.
     * not, repeat: child.  number: test, state.  lazy: which, state. */
    uint32_t a, b;
    uint32_t low, high; /* repeat */
    uint32_t hash_next;
    uint32_t unfolded; /* lazy: what it stands for, once asked */
    Expr *moves;   /* (256), then a ByteSet of those that lead on; owns; NULL until asked for */
    bool filtered; /* moves into dead ends are gone */
} ExprNode;

/* A call an expression can begin with, and what is left after it. */
typedef struct ExprCall {
    uint32_t rule;
    Expr rest;
} ExprCall;

typedef struct ExprRule {
    Expr body;
    bool nullable;
    char *name; /* owns; NULL: made by us */
} ExprRule;

/* What is left of a test after a byte (SIZE_MAX: nothing), and whether it may end here. */
typedef struct NumberTest NumberTest;

enum { SET_BUCKETS = 256 };
typedef struct ExprStore ExprStore;
struct ExprStore {
    ExprNode *node;
    size_t room;
    uint32_t count, *buckets, n_buckets;
    uint32_t *child; /* of alt and and */
    size_t n_child, child_room;
    ByteSet *set;
    size_t set_room;
    uint32_t n_set;
    uint32_t *set_next, set_bucket[SET_BUCKETS]; /* lists of equal hashes; numbers + 1 */
    ExprRule *rule;
    uint32_t n_rule;
    size_t rule_room;
    ExprCall *call; /* lists of calls, one after the other */
    size_t n_call, call_room;
    /* (room) where an expression's calls are in `call`; UINT32_MAX: not asked yet */
    uint32_t *calls_first, *calls_count;
    NumberTest *test;
    uint32_t n_test;
    size_t test_room;
    Expr (*unfold)(ExprStore *store, uint32_t which, uint32_t state); /* of lazy ones */
    /* can a lazy one be completed, when of the rules that is known? */
    bool (*lazy_productive)(ExprStore *store, uint32_t which, const bool *known);
    void *unfold_context;
    uint32_t n_tables;      /* of moves */
    size_t work, most_work; /* steps taken; more than that: `over` */
    bool over;              /* a limit was met: what was made since is worth nothing */
};

/* Limits of a store: nodes, tables of moves (a thousand bytes each, which are work, too),
 * and steps of work, until its grammar is compiled and then from there on.  Steps, not
 * seconds: what is refused on one machine is refused on all. */
enum {
    EXPR_MOST = 4000000,
    EXPR_TABLES = 500000,
    EXPR_TABLE_WORK = 16,
    EXPR_COMPILE = 10000000,
    EXPR_WORK = 40000000
};

void expr_store_init(ExprStore *store);
void expr_store_free(ExprStore *store);

/* ------------------------------------------------------------------ making expressions */

Expr expr_bytes(ExprStore *store, const ByteSet *set);
Expr expr_byte(ExprStore *store, uint8_t byte);
Expr expr_text(ExprStore *store, const char *text, size_t size);
Expr expr_cat(ExprStore *store, Expr a, Expr b);
Expr expr_alt(ExprStore *store, const Expr *of, size_t count);
Expr expr_either(ExprStore *store, Expr a, Expr b);

/* Alternatives on their way into one; it is empty again when they are one. */
typedef struct ExprList {
    Expr *of; /* owns */
    size_t count, room;
} ExprList;

void expr_list_add(ExprList *list, Expr e);
Expr expr_list_alt(ExprStore *store, ExprList *list);

Expr expr_and(ExprStore *store, Expr a, Expr b);
Expr expr_not(ExprStore *store, Expr a);
Expr expr_repeat(ExprStore *store, Expr a, uint32_t low, uint32_t high);
Expr expr_optional(ExprStore *store, Expr a);
Expr expr_call(ExprStore *store, uint32_t rule);
Expr expr_lazy(ExprStore *store, uint32_t which, uint32_t state);
Expr expr_number(ExprStore *store, uint32_t test, uint32_t state);

/* Keep a test; returns its number. */
uint32_t expr_number_test(ExprStore *store, const NumberTest *test);

/* A rule without a body yet; the name (may be NULL) is copied. */
uint32_t expr_rule(ExprStore *store, const char *name);

/* ------------------------------------------------------------------ once all rules have
 * bodies */

/* Find out which rules may be empty. */
void expr_find_nullable(ExprStore *store);

/* The same, and take away those that can never be completed (their calls become none). */
void expr_close_rules(ExprStore *store);

/* Does the empty text belong to it?  Without calls this was found when it was made; with
 * calls the rules are asked. */
bool expr_is_nullable(const ExprStore *store, Expr e);

/* The expression after a byte, for all bytes: (256) */
const Expr *expr_moves(ExprStore *store, Expr e);

/* The same with dead ends still in it. */
const Expr *expr_raw_moves(ExprStore *store, Expr e);

/* The bytes that lead on from it. */
ByteSet expr_first(ExprStore *store, Expr e);

/* What a lazy one stands for. */
Expr expr_unfold(ExprStore *store, Expr e);

/* The calls it can begin with; returns how many. */
size_t expr_calls(ExprStore *store, Expr e, const ExprCall **calls);

/* Whether any text at all belongs to it (only without calls). */
bool expr_is_live(ExprStore *store, Expr e);

/* Write an expression without calls and tests, so that equal texts mean equal languages,
 * whatever the store; returns the size, and writes nothing beyond `room`. */
size_t expr_write(const ExprStore *store, Expr e, unsigned char *out, size_t room);

/* One derivative, by the textbook; expr_moves asks it once for each kind of byte. */
Expr expr_derive(ExprStore *store, Expr e, uint8_t byte);

static inline bool byte_set_has(const ByteSet *set, unsigned byte) {
    return set->word[byte >> 6] >> (byte & 63) & 1;
}
/* One of its bytes.  Needs a set that is not empty. */
static inline int byte_set_any(const ByteSet *set) {
    int w = 0;
    while (!set->word[w]) w++;
    return 64 * w + __builtin_ctzll(set->word[w]);
}
static inline int byte_set_count(ByteSet set) {
    int bytes = 0;
    for (int w = 0; w < 4; w++) bytes += __builtin_popcountll(set.word[w]);
    return bytes;
}
/* The only byte of a set; -1: there are none, or several. */
static inline int byte_set_only(const ByteSet *set) {
    int only = -1;
    for (int w = 0; w < 4; w++) {
        if (!set->word[w]) continue;
        if (only >= 0 || set->word[w] & (set->word[w] - 1)) return -1;
        only = 64 * w + __builtin_ctzll(set->word[w]);
    }
    return only;
}
static inline void byte_set_add(ByteSet *set, unsigned byte) {
    set->word[byte >> 6] |= (uint64_t)1 << (byte & 63);
}

#endif
