/* regex.c - from regular expression to automaton: its syntax tree (regex_tree.h) becomes an
 * expression, which expr_derive turns into states.
 *
 * Anchors are allowed only at the edges of the text: a group with anchors at an edge is
 * distributed over the rest, one alternative at a time.
 *
 * Invariant: the expression holds exactly the texts that the pattern matches: as a whole, or in
 * part if it is searched for. */
#include "regex.h"

#include <stdlib.h>
#include <string.h>

static bool has_anchor(const RegexNode *node) {
    if (node->kind == REGEX_BEGIN || node->kind == REGEX_END) return true;
    for (size_t i = 0; i < node->count; i++)
        if (has_anchor(node->child[i])) return true;
    return false;
}

typedef struct Writer {
    ExprStore *store;
    const RegexOptions *options;
    Expr anything; /* what may precede and follow, if searched for */
    size_t made;
    Fault *fault;
} Writer;

static Expr write_group(Writer *w, const RegexNode *group);

static Expr write_atom(Writer *w, const RegexNode *atom) {
    Expr e = atom->kind == REGEX_GROUP ? write_group(w, atom)
                                       : w->options->write(w->store, &atom->set);
    return expr_repeat(w->store, e, atom->low, atom->high);
}

static Expr write_sequence(Writer *w, RegexNode *const *atom, size_t count) {
    Expr e = EXPR_EMPTY;
    while (count > 0) e = expr_cat(w->store, write_atom(w, atom[--count]), e);
    return e;
}

static Expr write_group(Writer *w, const RegexNode *group) {
    ExprList ways = {0};
    for (size_t i = 0; i < group->count; i++)
        expr_list_add(&ways, write_sequence(w, group->child[i]->child, group->child[i]->count));
    return expr_list_alt(w->store, &ways);
}

static bool write_edges(Writer *w, RegexNode **atom, size_t count, bool begun, bool ended,
                        Expr *out);

/* Distribute a group with anchors at an edge: each alternative followed by the rest. */
static bool write_spread(Writer *w, RegexNode **atom, size_t count, size_t which, bool begun,
                         bool ended, Expr *out) {
    const RegexNode *group = atom[which];
    ExprList ways = {0};
    bool ok = true;
    if (group->low != 1 || group->high != 1)
        return fault_set(w->fault,
                         "regular expression: ^ or $ inside something repeated is not "
                         "supported");
    for (size_t i = 0; ok && i < group->count; i++) {
        const RegexNode *one = group->child[i];
        size_t all = count - 1 + one->count;
        RegexNode **spread = malloc((all + 1) * sizeof *spread);
        REQUIRE(spread, "no memory for a regular expression");
        memcpy(spread, atom, which * sizeof *spread);
        if (one->count) memcpy(spread + which, one->child, one->count * sizeof *spread);
        memcpy(spread + which + one->count, atom + which + 1,
               (count - which - 1) * sizeof *spread);
        Expr e = EXPR_NONE;
        ok = write_edges(w, spread, all, begun, ended, &e);
        free(spread);
        expr_list_add(&ways, e);
    }
    *out = expr_list_alt(w->store, &ways);
    return ok;
}

/* A sequence over the whole text; begun: a ^ was read; ended: a $. */
static bool write_edges(Writer *w, RegexNode **atom, size_t count, bool begun, bool ended,
                        Expr *out) {
    if (++w->made > REGEX_NODES)
        return fault_set(w->fault, "regular expression: too many ways");
    while (count > 0 && atom[0]->kind == REGEX_BEGIN) begun = true, atom++, count--;
    while (count > 0 && atom[count - 1]->kind == REGEX_END) ended = true, count--;
    for (size_t i = 0; i < count; i++) {
        if (!has_anchor(atom[i])) continue;
        if (atom[i]->kind == REGEX_GROUP && (i == 0 || i == count - 1))
            return write_spread(w, atom, count, i, begun, ended, out);
        return fault_set(w->fault,
                         "regular expression: ^ and $ are supported at the ends of an "
                         "alternative, not in the middle");
    }
    *out = write_sequence(w, atom, count);
    if (!begun) *out = expr_cat(w->store, w->anything, *out);
    if (!ended) *out = expr_cat(w->store, *out, w->anything);
    return true;
}

static Expr anything(ExprStore *store, const RegexOptions *options) {
    CodeSet all = {0};
    if (!options->search) return EXPR_EMPTY;
    code_set_add(&all, 0, LAST_CODE);
    Expr e = expr_repeat(store, options->write(store, &all), 0, EXPR_FOREVER);
    code_set_free(&all);
    return e;
}

bool regex_read(ExprStore *store, Text source, const RegexOptions *options, Expr *expr,
                Fault *fault) {
    RegexNode *group = regex_tree(source, &ecma_notation, fault), *all[1] = {group};
    if (!group) return false;
    Writer w = {store, options, anything(store, options), 0, fault};
    bool ok = true;
    if (has_anchor(group))
        ok = write_edges(&w, all, 1, false, false, expr);
    else
        *expr =
            expr_cat(store, w.anything, expr_cat(store, write_group(&w, group), w.anything));
    regex_tree_free(group);
    return ok;
}
