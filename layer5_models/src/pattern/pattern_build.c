/* pattern_build.c - from the tree of a pattern to its table.  See pattern.h.
 *
 *   1  Characters that no set of the pattern tells apart form a class; a code point finds its
 *      class in a page of 256.
 *   2  The tree becomes operations: take a character, fork (the preferred branch first), look
 *      ahead, done (Thompson 1968).
 *   3  A state of the table is a list of operations, best first; each class of character leads
 *      from it to the next state.  Operations after one that is done are dropped: they could
 *      only yield worse matches (Cox, "Regular Expression Matching: the Virtual Machine
 *      Approach", 2009).
 *
 * A one-character lookahead is free: the step already knows the next character. */
#include "pattern_build.h"

#include <stdlib.h>

/* ------------------------------------------------------------------ the tree */

bool pattern_refuse(const Builder *b, const char *what) {
    return fault_set(b->fault, "a pattern that splits text cannot have %s", what);
}

/* The only atom of a group, if it is of this kind; else NULL. */
static const RegexNode *sole_atom(const RegexNode *group, RegexKind kind) {
    const RegexNode *sequence = group->child[0];
    const RegexNode *atom = sequence->count == 1 ? sequence->child[0] : NULL;
    bool sole = group->count == 1 && atom && atom->kind == kind && atom->low == 1;
    return sole && atom->high == 1 ? atom : NULL;
}

/* The set of a lookahead that tests only the next character; NULL: it looks further. */
static const RegexNode *one_set(const RegexNode *look) { return sole_atom(look, REGEX_SET); }

static bool number_set(Builder *b, RegexNode *node) {
    size_t i = 0;
    while (i < b->n_sets && !code_set_equal(b->sets[i], &node->set)) i++;
    if (i == MAX_SETS) return pattern_refuse(b, "more than 64 sets of characters");
    if (i == b->n_sets) b->sets[b->n_sets++] = &node->set;
    node->number = (int32_t)i;
    return true;
}

/* Number the sets; refuse what a table cannot express. */
static bool number_sets(Builder *b, RegexNode *node, bool in_look) {
    bool look = node->kind == REGEX_LOOK, edge = node->kind == REGEX_EDGE;
    if (node->kind == REGEX_BEGIN) return pattern_refuse(b, "a ^");
    if (node->lazy) return pattern_refuse(b, "lazy repetitions");
    if (edge && !in_look) return pattern_refuse(b, "a \\b outside a lookahead");
    if ((node->kind == REGEX_SET || edge) && !number_set(b, node)) return false;
    if (edge) b->word_set = node->number;
    if (look && !one_set(node)) {
        if (node->negative || b->far)
            return pattern_refuse(b, "a second lookahead of more than a character");
        b->far = node;
    }
    for (size_t i = 0; i < node->count; i++)
        if (!number_sets(b, node->child[i], in_look || look)) return false;
    return true;
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

/* `low` times; then optional repetitions, each a fork: once more, or leave. */
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

/* ------------------------------------------------------------------ all of it */

static bool build_machine(Builder *b, const RegexNode *root, Machine *machine) {
    b->n_ops = 0;
    emit_group(b, root, true);
    return pattern_states(b, machine);
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
    if (!number_sets(b, tree, false) || !pattern_classes(b)) return false;
    p->symbols = p->kinds + 1;
    if (b->far && !build_machine(b, b->far, &p->far)) return false;
    if (b->far) p->symbols *= 2;
    const RegexNode *root = tree, *inner;
    while ((inner = sole_atom(root, REGEX_GROUP)))
        root = inner; /* matches report its alternatives */
    if (!build_machine(b, root, &p->machine)) return false;
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
