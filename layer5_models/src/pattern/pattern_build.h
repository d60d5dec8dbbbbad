/* pattern_build.h - a pattern while its table is built; private to src/pattern.
 *
 *     pattern_build.c    the tree as operations
 *     pattern_classes.c  classes of characters
 *     pattern_states.c   the operations as a table */
#ifndef STRATA_PATTERN_BUILD_H
#define STRATA_PATTERN_BUILD_H

#include "pattern.h"
#include "grow.h"

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
    /* the states so far, one list of operations after the other; each list begins with whether
     * the previous character is part of a word */
    int32_t *places; /* (n_places) */
    size_t n_places, place_room;
    size_t from[MAX_STATES + 2]; /* where each state's list begins */
    size_t n_states;
    uint32_t *seen, stamp; /* (n_ops) */
    bool ok;               /* false: out of memory */
} Builder;

/* The fault "a pattern that splits text cannot have <what>"; always false. */
bool pattern_refuse(const Builder *builder, const char *what);

/* Group the characters that no set tells apart into classes: kinds, cells, page, ascii. */
bool pattern_classes(Builder *builder);

/* The table of the operations in ops. */
bool pattern_states(Builder *builder, Machine *machine);

#endif
