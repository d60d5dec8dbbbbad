/* pattern_build.c - from the tree of a pattern to its table.  See pattern.h.
 *
 *   1  characters that no class of the pattern tells apart are of one kind; a page of 256 code points
 *      at a time says which
 *   2  the tree becomes operations: take a character, go on at one of two places (the better one
 *      first), look ahead, done (Thompson 1968)
 *   3  a state of the table is a list of places where the search may be, best first; from each state,
 *      for each kind of character, the next one.  A place behind one that is done is dropped: it could
 *      only give what a better choice has already given (Cox, "Regular Expression Matching: the Virtual
 *      Machine Approach", 2009)
 *
 * Looking ahead costs nothing: a state is followed with the character in hand that comes next. */
#include "pattern.h"

#include <stdlib.h>
#include <string.h>

enum { MAX_STATES = 0x7FFF, MAX_OPERATIONS = 1 << 16 };

typedef enum OpKind { OP_TAKE, OP_FORK, OP_LOOK, OP_LOOK_FAR, OP_END, OP_EDGE, OP_DONE } OpKind;

typedef struct Op {
    OpKind kind;
    int32_t a, b; /* TAKE, LOOK: a set; FORK: where to go on, a first; DONE: the alternative */
    bool negative;
} Op;

typedef struct Builder {
    const Tree *tree;
    Pattern *pattern;
    bool set_has[256][MAX_SETS]; /* by kind */
    Op *ops;                     /* (n_ops) */
    size_t n_ops, op_room;
    /* the states so far: lists of places, one after the other, each led by whether the character before
     * is part of a word */
    int32_t *places; /* (n_places) */
    size_t n_places, place_room;
    size_t from[MAX_STATES + 2]; /* where each state's list begins */
    size_t n_states;
    uint32_t *seen, stamp; /* (n_ops) */
    bool ok;               /* memory has sufficed */
} Builder;

/* ------------------------------------------------------------------ kinds of characters */

static int by_code(const void *a, const void *b) {
    uint32_t left = *(const uint32_t *)a, right = *(const uint32_t *)b;
    return left < right ? -1 : left > right;
}

/* Every place where some set begins or ends, sorted; the last one is LAST_CODE + 1. */
static uint32_t *edges_of(const Tree *tree, size_t *count) {
    size_t n = 2;
    for (size_t i = 0; i < tree->n_sets; i++) n += 2 * tree->sets[i].count;
    uint32_t *edges = malloc(n * sizeof *edges);
    if (!edges) return NULL;
    edges[0] = 0, edges[1] = LAST_CODE + 1;
    n = 2;
    for (size_t i = 0; i < tree->n_sets; i++)
        for (size_t k = 0; k < tree->sets[i].count; k++) {
            edges[n++] = tree->sets[i].ranges[k].first;
            edges[n++] = tree->sets[i].ranges[k].last + 1;
        }
    qsort(edges, n, sizeof *edges, by_code);
    *count = n;
    return edges;
}

/* The kind of the characters with this signature (bit i: in set i); a new one when it is new.
 * -1: more than 256. */
static int kind_of(Builder *b, uint64_t signature, uint64_t *signatures) {
    size_t kind = 0;
    while (kind < b->pattern->kinds && signatures[kind] != signature) kind++;
    if (kind == b->pattern->kinds) {
        if (kind == 256) return -1;
        signatures[b->pattern->kinds++] = signature;
        for (size_t i = 0; i < b->tree->n_sets; i++) b->set_has[kind][i] = signature >> i & 1;
        b->pattern->is_word[kind] =
            b->tree->word_set >= 0 && signature >> b->tree->word_set & 1;
    }
    return (int)kind;
}

/* Write a kind into the pages of first..last - 1.  Pages of one kind throughout are shared: the first
 * 256 pages are theirs. */
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

static bool make_kinds(Builder *b, Fault *fault) {
    size_t count, n_pages = 256, room = 512, at[MAX_SETS] = {0};
    uint64_t signatures[256];
    Pattern *p = b->pattern;
    uint32_t *edges = edges_of(b->tree, &count);
    p->cells = malloc(room * 256);
    bool ok = edges && p->cells;
    for (size_t k = 0; ok && k < 256; k++) memset(p->cells + k * 256, (int)k, 256);
    for (size_t i = 0; ok && i + 1 < count; i++) {
        if (edges[i] == edges[i + 1]) continue;
        uint64_t signature = 0;
        for (size_t s = 0; s < b->tree->n_sets; s++) {
            const CodeSet *set = &b->tree->sets[s];
            while (at[s] < set->count && set->ranges[at[s]].last < edges[i]) at[s]++;
            bool inside = at[s] < set->count && set->ranges[at[s]].first <= edges[i];
            signature |= (uint64_t)inside << s;
        }
        int kind = kind_of(b, signature, signatures);
        if (kind < 0)
            return free(edges), fault_set(fault, "a pattern tells more than 256 kinds apart");
        ok = fill_kind(p, edges[i], edges[i + 1], (unsigned char)kind, &n_pages, &room);
    }
    free(edges);
    for (size_t c = 0; ok && c < 128; c++) p->ascii[c] = p->cells[(size_t)p->page[0] * 256 + c];
    return ok || fault_set(fault, "no memory for a pattern");
}

/* ------------------------------------------------------------------ operations */

static int32_t emit(Builder *b, Op op) {
    if (b->n_ops == b->op_room) {
        size_t room = b->op_room ? 2 * b->op_room : 64;
        Op *ops = room <= MAX_OPERATIONS ? realloc(b->ops, room * sizeof *ops) : NULL;
        if (!ops) return b->ok = false, 0;
        b->ops = ops, b->op_room = room;
    }
    b->ops[b->n_ops] = op;
    return (int32_t)b->n_ops++;
}

static void emit_node(Builder *b, int32_t index);

/* min times; then as often as allowed: each time the choice between once more and going on */
static void emit_repeat(Builder *b, const Node *node) {
    for (int i = 0; i < node->min; i++) emit_node(b, node->a);
    if (node->max < 0) {
        int32_t fork = emit(b, (Op){.kind = OP_FORK});
        emit_node(b, node->a);
        emit(b, (Op){.kind = OP_FORK, .a = fork, .b = fork});
        if (b->ok) b->ops[fork].a = fork + 1, b->ops[fork].b = (int32_t)b->n_ops;
        return;
    }
    int32_t forks[64];
    int n = 0;
    for (int i = node->min; i < node->max && n < 64; i++) {
        forks[n++] = emit(b, (Op){.kind = OP_FORK});
        emit_node(b, node->a);
    }
    b->ok = b->ok && n == node->max - node->min;
    for (int i = 0; b->ok && i < n; i++)
        b->ops[forks[i]].a = forks[i] + 1, b->ops[forks[i]].b = (int32_t)b->n_ops;
}

static void emit_either(Builder *b, const Node *node) {
    int32_t fork = emit(b, (Op){.kind = OP_FORK});
    emit_node(b, node->a);
    int32_t jump = emit(b, (Op){.kind = OP_FORK});
    if (b->ok) b->ops[fork].a = fork + 1, b->ops[fork].b = (int32_t)b->n_ops;
    emit_node(b, node->b);
    if (b->ok) b->ops[jump].a = b->ops[jump].b = (int32_t)b->n_ops;
}

static void emit_node(Builder *b, int32_t index) {
    const Node *node = &b->tree->nodes[index];
    if (!b->ok) return;
    switch (node->kind) {
    case NODE_EMPTY: break;
    case NODE_SET: emit(b, (Op){.kind = OP_TAKE, .a = node->a}); break;
    case NODE_THEN: emit_node(b, node->a), emit_node(b, node->b); break;
    case NODE_EITHER: emit_either(b, node); break;
    case NODE_REPEAT: emit_repeat(b, node); break;
    case NODE_LOOK:
        emit(b, (Op){.kind = OP_LOOK, .a = node->a, .negative = node->negative});
        break;
    case NODE_LOOK_FAR: emit(b, (Op){.kind = OP_LOOK_FAR}); break;
    case NODE_END: emit(b, (Op){.kind = OP_END}); break;
    case NODE_EDGE: emit(b, (Op){.kind = OP_EDGE}); break;
    }
}

/* Each alternative at the top ends in a DONE of its own, so that a match knows which it was. */
static void emit_alternatives(Builder *b, int32_t root) {
    int32_t alternative = 0;
    b->n_ops = 0;
    for (; b->tree->nodes[root].kind == NODE_EITHER; alternative++) {
        int32_t fork = emit(b, (Op){.kind = OP_FORK});
        emit_node(b, b->tree->nodes[root].a);
        emit(b, (Op){.kind = OP_DONE, .a = alternative});
        if (b->ok) b->ops[fork].a = fork + 1, b->ops[fork].b = (int32_t)b->n_ops;
        root = b->tree->nodes[root].b;
    }
    emit_node(b, root);
    emit(b, (Op){.kind = OP_DONE, .a = alternative});
}

/* ------------------------------------------------------------------ states */

static void add_place(Builder *b, int32_t place) {
    if (b->n_places == b->place_room) {
        size_t room = b->place_room ? 2 * b->place_room : 1024;
        int32_t *places = realloc(b->places, room * sizeof *places);
        if (!places) {
            b->ok = false;
            return;
        }
        b->places = places, b->place_room = room;
    }
    b->places[b->n_places++] = place;
}

/* What comes next, and what came before. */
typedef struct Ahead {
    size_t kind; /* `kinds` at the end of the text */
    bool end, far, word_before;
} Ahead;

static bool look(const Builder *b, const Op *op, Ahead ahead) {
    bool inside = !ahead.end && b->set_has[ahead.kind][op->a];
    bool word_next = !ahead.end && b->pattern->is_word[ahead.kind];
    switch (op->kind) {
    case OP_LOOK: return inside != op->negative;
    case OP_LOOK_FAR: return ahead.far;
    case OP_END: return ahead.end;
    default: return word_next != ahead.word_before;
    }
}

/* Follow a place to where characters are taken; true when it is done, which ends the list. */
static bool follow(Builder *b, int32_t at, Ahead ahead, uint16_t *match) {
    while (b->ok && b->seen[at] != b->stamp) {
        const Op *op = &b->ops[at];
        b->seen[at] = b->stamp;
        if (op->kind == OP_DONE) return *match = (uint16_t)(op->a + 1), true;
        if (op->kind == OP_TAKE) {
            if (!ahead.end && b->set_has[ahead.kind][op->a]) add_place(b, at + 1);
            return false;
        }
        if (op->kind == OP_FORK) {
            if (follow(b, op->a, ahead, match)) return true;
            at = op->b;
        } else {
            if (!look(b, op, ahead)) return false;
            at++;
        }
    }
    return false;
}

/* The state whose list was just written at the end of `places`, behind the last one's. */
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
    bool word = b->tree->word_set >= 0 && !ahead.end && b->pattern->is_word[ahead.kind];
    ahead.word_before = b->places[from];
    b->stamp++;
    add_place(b, word);
    for (size_t i = from + 1; b->ok && i < to; i++)
        if (follow(b, b->places[i], ahead, &step.match)) break;
    step.next = state_of(b);
    return step;
}

static void begin_states(Builder *b, Machine *machine) {
    b->n_places = 0;
    b->from[0] = b->from[1] = 0;
    b->n_states = 1; /* state 0: nothing can match */
    for (int word = 0; word < 2; word++) {
        add_place(b, b->tree->word_set >= 0 && word);
        add_place(b, 0);
        machine->start[word] = b->ok ? state_of(b) : 0;
    }
}

static bool make_machine(Builder *b, int32_t root, Machine *machine, Fault *fault) {
    size_t symbols = b->pattern->symbols, ends = b->pattern->kinds;
    emit_alternatives(b, root);
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
    return b->ok || fault_set(fault, "no memory for a pattern, or it is too large");
}

/* Where the first step already leads nowhere, whatever follows. */
static void find_skips(Pattern *p) {
    const TableStep *first = p->machine.steps + p->machine.start[0] * p->symbols;
    for (size_t c = 0; c < 128; c++) {
        p->skips[c] = true;
        for (size_t s = p->ascii[c]; s < p->symbols; s += p->kinds + 1)
            p->skips[c] = p->skips[c] && !first[s].next && !first[s].match;
    }
}

Pattern *pattern_open(const char *source, bool collapsed, Fault *fault) {
    Tree tree;
    Builder *b = calloc(1, sizeof *b);
    Pattern *p = calloc(1, sizeof *p);
    bool ok = pattern_read(&tree, source, collapsed, fault);
    if (ok && (!b || !p)) ok = fault_set(fault, "no memory for a pattern");
    if (ok) {
        b->tree = &tree, b->pattern = p, b->ok = true;
        ok = make_kinds(b, fault);
        p->symbols = p->kinds + 1;
        if (ok && tree.far >= 0) ok = make_machine(b, tree.far, &p->far, fault);
        if (ok && tree.far >= 0) p->symbols *= 2;
        ok = ok && make_machine(b, tree.root, &p->machine, fault);
        if (ok) find_skips(p);
    }
    if (b) free(b->ops), free(b->places), free(b);
    pattern_tree_free(&tree);
    if (ok) return p;
    pattern_close(p);
    return NULL;
}

void pattern_close(Pattern *pattern) {
    if (!pattern) return;
    free(pattern->machine.steps), free(pattern->far.steps), free(pattern->cells);
    free(pattern);
}
