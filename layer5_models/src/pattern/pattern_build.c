/* pattern_build.c - from the tree of a pattern to its table.  See pattern.h.
 *
 *   1  Characters that no set of the pattern distinguishes form one class; code points look it
 *      up by page of 256.
 *   2  The tree becomes operations: take a character, fork (the preferred branch first), look
 *      ahead, done (Thompson 1968).
 *   3  A state of the table is a list of operations where the search may be, best first; from
 *      each state, for each class of character, the next state.  Operations after one that is
 *      done are dropped: they could only yield worse matches (Cox, "Regular Expression
 *      Matching: the Virtual Machine Approach", 2009).
 *
 * A one-character lookahead is free: following a state already knows the next character. */
#include "pattern.h"
#include "grow.h"

#include <stdlib.h>

enum { MAX_SETS = 64, MAX_STATES = 0x7FFF, MAX_OPERATIONS = 1 << 16 };

typedef enum OpKind { OP_TAKE, OP_FORK, OP_LOOK, OP_LOOK_FAR, OP_END, OP_EDGE, OP_DONE } OpKind;

typedef struct Op {
    OpKind kind;
    /* TAKE, LOOK: a set; FORK: the two branches, a first; DONE: the alternative */
    int32_t a, b;
    bool negative;
} Op;

typedef struct Builder {
    Pattern *pattern;
    const CodeSet *sets[MAX_SETS]; /* (n_sets) the distinct sets of the tree */
    size_t n_sets;
    const RegexNode *far; /* the lookahead of more than a character; NULL: none */
    int32_t word_set;     /* the word characters of \b; -1: no \b */
    Fault *fault;
    bool set_has[256][MAX_SETS]; /* by class */
    Op *ops;                     /* (n_ops) */
    size_t n_ops, op_room;
    /* the states so far: lists of operations, one after the other, each preceded by whether the
     * character before is part of a word */
    int32_t *places; /* (n_places) */
    size_t n_places, place_room;
    size_t from[MAX_STATES + 2]; /* where each state's list begins */
    size_t n_states;
    uint32_t *seen, stamp; /* (n_ops) */
    bool ok;               /* false: out of memory */
} Builder;

/* ------------------------------------------------------------------ the tree */

static bool unusable(const Builder *b, const char *what) {
    return fault_set(b->fault, "a pattern that splits text cannot have %s", what);
}

/* The only atom of a group, if it is of this kind; else NULL. */
static const RegexNode *sole_atom(const RegexNode *group, RegexKind kind) {
    const RegexNode *sequence = group->child[0];
    const RegexNode *atom = sequence->count == 1 ? sequence->child[0] : NULL;
    bool sole = group->count == 1 && atom && atom->kind == kind && atom->low == 1;
    return sole && atom->high == 1 ? atom : NULL;
}

/* The set a lookahead tests the next character for; NULL: it looks further. */
static const RegexNode *one_set(const RegexNode *look) { return sole_atom(look, REGEX_SET); }

static bool number_set(Builder *b, RegexNode *node) {
    size_t i = 0;
    while (i < b->n_sets && !code_set_equal(b->sets[i], &node->set)) i++;
    if (i == MAX_SETS) return unusable(b, "so many classes of characters");
    if (i == b->n_sets) b->sets[b->n_sets++] = &node->set;
    node->number = (int32_t)i;
    return true;
}

/* Number the sets; refuse what a table cannot express. */
static bool number_sets(Builder *b, RegexNode *node, bool in_look) {
    bool look = node->kind == REGEX_LOOK, edge = node->kind == REGEX_EDGE;
    if (node->kind == REGEX_BEGIN) return unusable(b, "a ^");
    if (node->lazy) return unusable(b, "repetitions that are as short as can be");
    if (edge && !in_look) return unusable(b, "a \\b outside a lookahead");
    if ((node->kind == REGEX_SET || edge) && !number_set(b, node)) return false;
    if (edge) b->word_set = node->number;
    if (look && !one_set(node)) {
        if (node->negative || b->far)
            return unusable(b, "a second lookahead of more than a character");
        b->far = node;
    }
    for (size_t i = 0; i < node->count; i++)
        if (!number_sets(b, node->child[i], in_look || look)) return false;
    return true;
}

/* ------------------------------------------------------------------ kinds of characters */

static int by_code(const void *a, const void *b) {
    uint32_t left = *(const uint32_t *)a, right = *(const uint32_t *)b;
    return left < right ? -1 : left > right;
}

/* All positions where a set begins or ends, sorted; the last one is LAST_CODE + 1. */
static uint32_t *edges_of(const Builder *b, size_t *count) {
    size_t n = 2;
    for (size_t i = 0; i < b->n_sets; i++) n += 2 * b->sets[i]->count;
    uint32_t *edges = malloc(n * sizeof *edges);
    if (!edges) return NULL;
    edges[0] = 0, edges[1] = LAST_CODE + 1;
    n = 2;
    for (size_t i = 0; i < b->n_sets; i++)
        for (size_t k = 0; k < b->sets[i]->count; k++) {
            edges[n++] = b->sets[i]->ranges[k].first;
            edges[n++] = b->sets[i]->ranges[k].last + 1;
        }
    qsort(edges, n, sizeof *edges, by_code);
    *count = n;
    return edges;
}

/* The class of the characters with this signature (bit i: in set i), added if new; -1: more
 * than 256. */
static int kind_of_signature(Builder *b, uint64_t signature, uint64_t *signatures) {
    size_t kind = 0;
    while (kind < b->pattern->kinds && signatures[kind] != signature) kind++;
    if (kind == b->pattern->kinds) {
        if (kind == 256) return -1;
        signatures[b->pattern->kinds++] = signature;
        for (size_t i = 0; i < b->n_sets; i++) b->set_has[kind][i] = signature >> i & 1;
        b->pattern->is_word[kind] = b->word_set >= 0 && signature >> b->word_set & 1;
    }
    return (int)kind;
}

/* Write a class into the pages of first..last - 1.  Pages of a single class are shared: the
 * first 256 pages. */
static bool fill_kind(Pattern *p, uint32_t first, uint32_t last, unsigned char kind,
                      size_t *n_pages, size_t *room) {
    while (first < last) {
        uint32_t page = first >> 8, end = (page + 1) << 8;
        if (end > last) end = last;
        if (first == page << 8 && end == (page + 1) << 8) {
            p->page[page] = kind;
        } else {
            if (first == page << 8) p->page[page] = (uint16_t)(*n_pages)++;
            if (*n_pages > *room) {
                unsigned char *cells = realloc(p->cells, 2 * *room * 256);
                if (!cells) return false;
                p->cells = cells, *room *= 2;
            }
            memset(p->cells + (size_t)p->page[page] * 256 + (first & 255), kind, end - first);
        }
        first = end;
    }
    return true;
}

static bool make_kinds(Builder *b) {
    size_t count, n_pages = 256, room = 512, at[MAX_SETS] = {0};
    uint64_t signatures[256];
    Pattern *p = b->pattern;
    uint32_t *edges = edges_of(b, &count);
    p->cells = malloc(room * 256);
    bool ok = edges && p->cells;
    for (size_t k = 0; ok && k < 256; k++) memset(p->cells + k * 256, (int)k, 256);
    for (size_t i = 0; ok && i + 1 < count; i++) {
        if (edges[i] == edges[i + 1]) continue;
        uint64_t signature = 0;
        for (size_t s = 0; s < b->n_sets; s++) {
            const CodeSet *set = b->sets[s];
            while (at[s] < set->count && set->ranges[at[s]].last < edges[i]) at[s]++;
            bool inside = at[s] < set->count && set->ranges[at[s]].first <= edges[i];
            signature |= (uint64_t)inside << s;
        }
        int kind = kind_of_signature(b, signature, signatures);
        if (kind < 0) return free(edges), unusable(b, "more than 256 kinds of characters");
        ok = fill_kind(p, edges[i], edges[i + 1], (unsigned char)kind, &n_pages, &room);
    }
    free(edges);
    for (size_t c = 0; ok && c < 128; c++) p->ascii[c] = p->cells[(size_t)p->page[0] * 256 + c];
    return ok || fault_set(b->fault, "no memory for a pattern");
}

/* ------------------------------------------------------------------ operations */

static int32_t emit_op(Builder *b, Op op) {
    if (b->n_ops == MAX_OPERATIONS || !GROW(b->ops, b->op_room, b->n_ops + 1))
        return b->ok = false, 0;
    b->ops[b->n_ops] = op;
    return (int32_t)b->n_ops++;
}

static void emit_sequence(Builder *b, const RegexNode *sequence);

/* A fork between the next operation, which is preferred, and one that is patched in later. */
static int32_t emit_fork(Builder *b) {
    int32_t fork = emit_op(b, (Op){.kind = OP_FORK});
    if (b->ok) b->ops[fork].a = fork + 1;
    return fork;
}

static void fork_leads_here(Builder *b, int32_t fork) {
    if (b->ok) b->ops[fork].b = (int32_t)b->n_ops;
}

/* The alternatives of a group, best first; in the whole pattern each ends in its own DONE, so
 * that a match knows which it was. */
static void emit_group(Builder *b, const RegexNode *group, bool whole) {
    int32_t jump = -1; /* the last of a chain of jumps to the end */
    for (size_t i = 0; b->ok && i < group->count; i++) {
        bool last = i + 1 == group->count;
        int32_t fork = last ? -1 : emit_fork(b);
        emit_sequence(b, group->child[i]);
        if (whole)
            emit_op(b, (Op){.kind = OP_DONE, .a = (int32_t)i});
        else if (!last)
            jump = emit_op(b, (Op){.kind = OP_FORK, .a = jump});
        if (!last) fork_leads_here(b, fork);
    }
    while (b->ok && jump >= 0) {
        int32_t before = b->ops[jump].a;
        b->ops[jump].a = b->ops[jump].b = (int32_t)b->n_ops;
        jump = before;
    }
}

static void emit_once(Builder *b, const RegexNode *atom) {
    switch (atom->kind) {
    case REGEX_SET: emit_op(b, (Op){.kind = OP_TAKE, .a = atom->number}); break;
    case REGEX_GROUP: emit_group(b, atom, false); break;
    case REGEX_LOOK: {
        const RegexNode *set = one_set(atom);
        emit_op(b, set ? (Op){.kind = OP_LOOK, .a = set->number, .negative = atom->negative}
                       : (Op){.kind = OP_LOOK_FAR});
        break;
    }
    case REGEX_END: emit_op(b, (Op){.kind = OP_END}); break;
    case REGEX_EDGE: emit_op(b, (Op){.kind = OP_EDGE}); break;
    case REGEX_SEQUENCE:
    case REGEX_BEGIN: break; /* not supported in patterns */
    }
}

/* low times; then optional repetitions: each a fork between another one and leaving */
static void emit_atom(Builder *b, const RegexNode *atom) {
    for (uint32_t i = 0; b->ok && i < atom->low; i++) emit_once(b, atom);
    if (atom->high == REGEX_FOREVER) {
        int32_t fork = emit_fork(b);
        emit_once(b, atom);
        emit_op(b, (Op){.kind = OP_FORK, .a = fork, .b = fork});
        fork_leads_here(b, fork);
        return;
    }
    int32_t forks[64];
    uint32_t n = 0;
    for (uint32_t i = atom->low; b->ok && i < atom->high && n < 64; i++) {
        forks[n++] = emit_fork(b);
        emit_once(b, atom);
    }
    b->ok = b->ok && n == atom->high - atom->low;
    for (uint32_t i = 0; i < n; i++) fork_leads_here(b, forks[i]);
}

static void emit_sequence(Builder *b, const RegexNode *sequence) {
    for (size_t i = 0; b->ok && i < sequence->count; i++) emit_atom(b, sequence->child[i]);
}

/* ------------------------------------------------------------------ states */

static void add_place(Builder *b, int32_t place) {
    if (GROW(b->places, b->place_room, b->n_places + 1))
        b->places[b->n_places++] = place;
    else
        b->ok = false;
}

/* The next character's class, and the one before. */
typedef struct Ahead {
    size_t kind; /* `kinds`: the end of the text */
    bool end, far, word_before;
} Ahead;

static bool look_holds(const Builder *b, const Op *op, Ahead ahead) {
    bool inside = !ahead.end && b->set_has[ahead.kind][op->a];
    bool word_next = !ahead.end && b->pattern->is_word[ahead.kind];
    switch (op->kind) {
    case OP_LOOK: return inside != op->negative;
    case OP_LOOK_FAR: return ahead.far;
    case OP_END: return ahead.end;
    default: return word_next != ahead.word_before;
    }
}

/* Follow an operation to those that take characters; true: done, which ends the list. */
static bool follow_place(Builder *b, int32_t at, Ahead ahead, uint16_t *match) {
    while (b->ok && b->seen[at] != b->stamp) {
        const Op *op = &b->ops[at];
        b->seen[at] = b->stamp;
        if (op->kind == OP_DONE) return *match = (uint16_t)(op->a + 1), true;
        if (op->kind == OP_TAKE) {
            if (!ahead.end && b->set_has[ahead.kind][op->a]) add_place(b, at + 1);
            return false;
        }
        if (op->kind == OP_FORK) {
            if (follow_place(b, op->a, ahead, match)) return true;
            at = op->b;
        } else {
            if (!look_holds(b, op, ahead)) return false;
            at++;
        }
    }
    return false;
}

/* The state whose list was just written at the end of `places`. */
static uint16_t state_of(Builder *b) {
    size_t start = b->from[b->n_states], size = b->n_places - start;
    if (size == 1) return b->n_places = start, 0;
    for (size_t s = 1; s < b->n_states; s++)
        if (b->from[s + 1] - b->from[s] == size &&
            memcmp(b->places + b->from[s], b->places + start, size * sizeof *b->places) == 0)
            return b->n_places = start, (uint16_t)s;
    if (b->n_states == MAX_STATES) return b->ok = false, 0;
    b->from[++b->n_states] = b->n_places;
    return (uint16_t)(b->n_states - 1);
}

static TableStep step_from(Builder *b, size_t state, Ahead ahead) {
    TableStep step = {0, 0};
    size_t from = b->from[state], to = b->from[state + 1];
    bool word = b->word_set >= 0 && !ahead.end && b->pattern->is_word[ahead.kind];
    ahead.word_before = b->places[from];
    b->stamp++;
    add_place(b, word);
    for (size_t i = from + 1; b->ok && i < to; i++)
        if (follow_place(b, b->places[i], ahead, &step.match)) break;
    step.next = state_of(b);
    return step;
}

static void begin_states(Builder *b, Machine *machine) {
    b->n_places = 0;
    b->from[0] = b->from[1] = 0;
    b->n_states = 1; /* state 0: dead */
    for (int word = 0; word < 2; word++) {
        add_place(b, b->word_set >= 0 && word);
        add_place(b, 0);
        machine->start[word] = b->ok ? state_of(b) : 0;
    }
}

static bool make_machine(Builder *b, const RegexNode *root, Machine *machine) {
    size_t symbols = b->pattern->symbols, ends = b->pattern->kinds;
    b->n_ops = 0;
    emit_group(b, root, true);
    b->seen = b->ok ? calloc(b->n_ops + 1, sizeof *b->seen) : NULL;
    b->ok = b->ok && b->seen;
    b->stamp = 0;
    if (b->ok) begin_states(b, machine);
    machine->steps = b->ok ? calloc(symbols, sizeof *machine->steps) : NULL;
    for (size_t s = 1; b->ok && s < b->n_states; s++) {
        TableStep *steps = realloc(machine->steps, (s + 1) * symbols * sizeof *steps);
        if (steps) machine->steps = steps;
        b->ok = steps != NULL;
        for (size_t i = 0; b->ok && i < symbols; i++) {
            size_t kind = i % (ends + 1);
            steps[s * symbols + i] =
                step_from(b, s, (Ahead){kind, kind == ends, i > ends, false});
        }
    }
    machine->states = b->n_states;
    free(b->seen), b->seen = NULL;
    return b->ok || fault_set(b->fault, "no memory for a pattern, or it is too large");
}

/* ASCII characters whose first step is dead. */
static void pattern_skips(Pattern *p) {
    const TableStep *first = p->machine.steps + p->machine.start[0] * p->symbols;
    for (size_t c = 0; c < 128; c++) {
        p->skips[c] = true;
        for (size_t s = p->ascii[c]; s < p->symbols; s += p->kinds + 1)
            p->skips[c] = p->skips[c] && !first[s].next && !first[s].match;
    }
}

static bool build_table(Builder *b, RegexNode *tree) {
    Pattern *p = b->pattern;
    if (!number_sets(b, tree, false) || !make_kinds(b)) return false;
    p->symbols = p->kinds + 1;
    if (b->far && !make_machine(b, b->far, &p->far)) return false;
    if (b->far) p->symbols *= 2;
    const RegexNode *root = tree, *inner;
    while ((inner = sole_atom(root, REGEX_GROUP)))
        root = inner; /* its alternatives are the ones reported */
    if (!make_machine(b, root, &p->machine)) return false;
    pattern_skips(p);
    return true;
}

Pattern *pattern_open(const char *source, const RegexNotation *notation, Fault *fault) {
    Builder *b = calloc(1, sizeof *b);
    Pattern *p = calloc(1, sizeof *p);
    RegexNode *tree = regex_tree(text_of(source), notation, fault);
    bool ok = tree && ((b && p) || fault_set(fault, "no memory for a pattern"));
    if (ok) {
        b->pattern = p, b->word_set = -1, b->ok = true, b->fault = fault;
        ok = build_table(b, tree);
    }
    if (b) free(b->ops), free(b->places), free(b);
    regex_tree_free(tree);
    if (ok) return p;
    pattern_close(p);
    return NULL;
}

void pattern_close(Pattern *pattern) {
    if (!pattern) return;
    free(pattern->machine.steps), free(pattern->far.steps), free(pattern->cells);
    free(pattern);
}
