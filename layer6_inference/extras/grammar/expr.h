/* expr.h - expressions: what may still come.
 *
 * One language for terminals and productions:
 *
 *     none            no text                        a b      a, then b (cat)
 *     empty           the empty text                 a | b    either (alt)
 *     [0-9]           one byte of a set              a & b    both        only without calls
 *     call r          a text of rule r               ~a       complement  only without calls
 *     a{low,high}     repetition                     test     of a decimal number (number.h)
 *                                                    lazy     object or array, unfolded later
 *
 * The rest of an expression after a byte is its derivative, again an expression.  So an
 * expression is the state of a lazily built DFA; its table of 256 moves is filled on first use:
 *
 *     abc|abd  --a-->  bc|bd  --b-->  [cd]  --c-->  empty
 *
 * A call of a rule (nonterminal) consumes no byte: the calls an expression can begin with, and
 * the rest after each, are a list.
 *
 * Invariant: equal expressions of a store have equal numbers (they are interned), and a state
 * from which no text can be completed is EXPR_NONE.
 *
 * Source   Brzozowski 1964, Derivatives of regular expressions; Owens, Reppy & Turon 2009. */
#ifndef STRATA_EXPR_H
#define STRATA_EXPR_H

#include "budget.h"
#include "fault.h"
#include "models.h"
#include <stdint.h>

typedef uint32_t Expr; /* index in the store */
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
    bool calls;    /* contains a call */
    bool filters;  /* contains an intersection, complement or test: may have dead ends */
    uint8_t live;  /* see expr_is_live */
    uint8_t empty; /* nullable: 0 ask the rules, 1 no, 2 yes */
    /* bytes: number of the set.  call: rule.  cat: left, right.  alt, and: first child, count.
     * not, repeat: child.  number: test, state.  lazy: which, state. */
    uint32_t a, b;
    uint32_t low, high; /* repeat */
    uint32_t hash_next;
    uint32_t unfolded; /* lazy: its expansion, once asked for */
    Expr *moves;   /* (256) moves, then the ByteSet of live ones; owned; NULL until asked for */
    bool filtered; /* moves into dead ends are removed */
} ExprNode;

/* A call an expression can begin with, and the rest after it. */
typedef struct ExprCall {
    uint32_t rule;
    Expr rest;
} ExprCall;

typedef struct ExprRule {
    Expr body;
    bool nullable;
    char *name; /* owned; NULL: generated rule */
} ExprRule;

/* The state of a test after a byte (SIZE_MAX: failed), and whether it accepts there. */
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
    uint32_t *set_next, set_bucket[SET_BUCKETS]; /* hash buckets; numbers + 1 */
    ExprRule *rule;
    uint32_t n_rule;
    size_t rule_room;
    ExprCall *call; /* the lists of calls, concatenated */
    size_t n_call, call_room;
    /* (room) start of an expression's calls in `call`; UINT32_MAX: not asked yet */
    uint32_t *calls_first, *calls_count;
    NumberTest *test;
    uint32_t n_test;
    size_t test_room;
    Expr (*unfold)(ExprStore *store, uint32_t which, uint32_t state); /* expands lazy ones */
    /* can a lazy expression be completed, given the rules known to be productive? */
    bool (*lazy_productive)(ExprStore *store, uint32_t which, const bool *known);
    void *unfold_context;
    uint32_t derived; /* derivatives: four are a step */
    Budget budget;
};

enum {
    EXPR_WORK = 4,        /* steps for a new expression */
    EXPR_TABLE_WORK = 16, /* steps for a table of moves */
    EXPR_BYTES = 112      /* of an expression, with its place in the other tables */
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

/* Alternatives being collected; making the alt empties the list. */
typedef struct ExprList {
    Expr *of; /* owned */
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

/* Store a test; returns its number. */
uint32_t expr_number_test(ExprStore *store, const NumberTest *test);

/* A new rule without a body; the name (may be NULL) is copied. */
uint32_t expr_rule(ExprStore *store, const char *name);

/* ------------------------------------------------------------------ once all rules have
 * bodies */

/* Find the nullable rules. */
void expr_find_nullable(ExprStore *store);

/* The same, and replace calls of unproductive rules by none. */
void expr_close_rules(ExprStore *store);

/* Is the expression nullable?  Known when it was made, unless it has calls: then the rules
 * decide. */
bool expr_is_nullable(const ExprStore *store, Expr e);

/* The expression after each byte: (256) */
const Expr *expr_moves(ExprStore *store, Expr e);

/* The same, dead ends included. */
const Expr *expr_raw_moves(ExprStore *store, Expr e);

/* The bytes with a live move. */
ByteSet expr_first(ExprStore *store, Expr e);

/* The expansion of a lazy expression. */
Expr expr_unfold(ExprStore *store, Expr e);

/* The calls it can begin with; returns how many. */
size_t expr_calls(ExprStore *store, Expr e, const ExprCall **calls);

/* Is the language nonempty?  Only without calls. */
bool expr_is_live(ExprStore *store, Expr e);

/* Serialize an expression without calls and tests: equal bytes mean equal languages, across
 * stores.  Returns the size; writes at most `room` bytes. */
size_t expr_write(const ExprStore *store, Expr e, unsigned char *out, size_t room);

/* One derivative by definition; expr_moves asks for one per class of bytes. */
Expr expr_derive(ExprStore *store, Expr e, uint8_t byte);

static inline bool byte_set_has(const ByteSet *set, unsigned byte) {
    return set->word[byte >> 6] >> (byte & 63) & 1;
}
/* Any byte of a nonempty set. */
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
/* The only byte of a set; -1: none or several. */
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
