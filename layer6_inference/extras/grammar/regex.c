/* regex.c - from regular expression to automaton: its syntax tree (regex_tree.h) becomes an
 * expression, which expr_derive turns into states.
 *
 * Anchors, \b and (?=X) depend on the text around them.  A group with one is distributed over
 * the rest, one alternative at a time, so that they stand in a sequence over the whole text:
 *
 *     a (?=X) b       a (X anything & b)
 *     a (?!X) b       a (b & ~(X anything))
 *     a \b b          (a that ends in a word)(b that does not begin with one), or the reverse
 *
 * Anchors are allowed only at the edges of the text.
 *
 * Invariant: the expression holds exactly the texts that the pattern matches: as a whole, or in
 * part if it is searched for. */
#include "regex.h"

#include <stdlib.h>
#include <string.h>

typedef bool RegexTest(const RegexNode *node);

static bool regex_has(const RegexNode *node, RegexTest *test) {
    if (test(node)) return true;
    for (size_t i = 0; i < node->count; i++)
        if (regex_has(node->child[i], test)) return true;
    return false;
}

static bool is_anchor(const RegexNode *node) {
    return node->kind == REGEX_BEGIN || node->kind == REGEX_END;
}

static bool is_edge(const RegexNode *node) { return node->kind == REGEX_EDGE; }

/* Does it depend on the text around it? */
static bool is_placed(const RegexNode *node) {
    return is_anchor(node) || is_edge(node) || node->kind == REGEX_LOOK;
}

typedef struct Writer {
    ExprStore *store;
    const RegexOptions *options;
    Expr all;      /* any text */
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

/* Where a sequence stands. */
typedef struct Place {
    bool begun, ended; /* a ^ was read; a $ */
    bool middle;       /* something of the text was read before */
    bool after_word;   /* its last character is one of a word */
} Place;

static bool write_placed(Writer *w, RegexNode **atom, size_t count, Place place, Expr *out);

/* Distribute a group: each alternative followed by the rest. */
static bool write_spread(Writer *w, RegexNode **atom, size_t count, size_t which, Place place,
                         Expr *out) {
    const RegexNode *group = atom[which];
    ExprList ways = {0};
    bool ok = true;
    if (group->low != 1 || group->high != 1)
        return fault_set(w->fault,
                         "regular expression: ^, $, \\b or look-ahead inside something "
                         "repeated is not supported");
    for (size_t i = 0; ok && i < group->count; i++) {
        const RegexNode *one = group->child[i];
        size_t all = count - 1 + one->count;
        RegexNode **spread = malloc((all + 1) * sizeof *spread);
        NEED_MEMORY(spread, "a regular expression");
        memcpy(spread, atom, which * sizeof *spread);
        if (one->count) memcpy(spread + which, one->child, one->count * sizeof *spread);
        memcpy(spread + which + one->count, atom + which + 1,
               (count - which - 1) * sizeof *spread);
        Expr e = EXPR_NONE;
        ok = write_placed(w, spread, all, place, &e);
        free(spread);
        expr_list_add(&ways, e);
    }
    *out = expr_list_alt(w->store, &ways);
    return ok;
}

/* The texts of `e` whose last character is one of a word, or is not; empty: as before. */
static Expr ending_in(Writer *w, Expr e, const CodeSet *word, bool in_word, Place before) {
    CodeSet set = {0};
    ExprStore *s = w->store;
    code_set_join(&set, word);
    if (!in_word) code_set_invert(&set);
    Expr last = expr_cat(s, w->all, w->options->write(s, &set));
    code_set_free(&set);
    bool stays = expr_is_nullable(s, e) && before.after_word == in_word;
    return expr_either(s, expr_and(s, e, last), stays ? EXPR_EMPTY : EXPR_NONE);
}

/* What follows a \b: texts that begin with a character of a word, or do not. */
static Expr after_edge(Writer *w, const RegexNode *edge, bool after_word) {
    ExprStore *s = w->store;
    Expr word = expr_cat(s, w->options->write(s, &edge->set), w->all);
    return after_word == edge->negative ? word : expr_not(s, word);
}

/* Texts that begin as a look-ahead wants. */
static bool write_look(Writer *w, const RegexNode *look, Place place, Expr *out) {
    RegexNode group = *look, *all[1] = {&group};
    const Expr before = w->anything;
    group.kind = REGEX_GROUP, place.ended = false, w->anything = w->all;
    bool ok = write_placed(w, all, 1, place, out);
    w->anything = before;
    if (ok && look->negative) *out = expr_not(w->store, *out);
    return ok;
}

/* The rest of a sequence behind a \b or look-ahead. */
static bool write_behind(Writer *w, RegexNode **atom, size_t count, Place place, Expr *out) {
    Expr want = EXPR_NONE;
    if (!write_placed(w, atom + 1, count - 1, place, out)) return false;
    if (is_edge(atom[0]))
        want = after_edge(w, atom[0], place.after_word);
    else if (!write_look(w, atom[0], place, &want))
        return false;
    *out = expr_and(w->store, *out, want);
    return true;
}

static const RegexNode *find_edge(const RegexNode *node) {
    const RegexNode *found = is_edge(node) ? node : NULL;
    for (size_t i = 0; !found && i < node->count; i++) found = find_edge(node->child[i]);
    return found;
}

/* A sequence with a \b or look-ahead at `which`: where a \b follows, once for a text before it
 * that ends in a word, and once for others. */
static bool write_split(Writer *w, RegexNode **atom, size_t count, size_t which, Place place,
                        Expr *out) {
    const RegexNode *edge = NULL;
    Expr left = write_sequence(w, atom, which), rest;
    for (size_t i = which; !edge && i < count; i++) edge = find_edge(atom[i]);
    if (!place.begun) left = expr_cat(w->store, w->anything, left);
    if (atom[which]->low != 1 || atom[which]->high != 1)
        return fault_set(w->fault,
                         "regular expression: a repeated \\b or look-ahead is not supported");
    Place then = {.begun = true, .ended = place.ended, .middle = true};
    *out = EXPR_NONE;
    for (int word = 0; word < (edge ? 2 : 1); word++) {
        then.after_word = word;
        Expr before = edge ? ending_in(w, left, &edge->set, word, place) : left;
        if (!write_behind(w, atom + which, count - which, then, &rest)) return false;
        *out = expr_either(w->store, *out, expr_cat(w->store, before, rest));
    }
    return true;
}

/* A sequence over the whole text, or the rest of it. */
static bool write_placed(Writer *w, RegexNode **atom, size_t count, Place place, Expr *out) {
    if (++w->made > REGEX_NODES)
        return fault_set(w->fault, "regular expression: too many ways");
    while (count > 0 && atom[0]->kind == REGEX_BEGIN && !place.middle)
        place.begun = true, atom++, count--;
    while (count > 0 && atom[count - 1]->kind == REGEX_END) place.ended = true, count--;
    size_t i = 0;
    while (i < count && !regex_has(atom[i], is_placed)) i++;
    if (i < count && is_anchor(atom[i]))
        return fault_set(w->fault,
                         "regular expression: ^ and $ are supported at the ends of an "
                         "alternative, not in the middle");
    if (i < count && atom[i]->kind == REGEX_GROUP)
        return write_spread(w, atom, count, i, place, out);
    if (i < count) return write_split(w, atom, count, i, place, out);
    *out = write_sequence(w, atom, count);
    if (!place.begun) *out = expr_cat(w->store, w->anything, *out);
    if (!place.ended) *out = expr_cat(w->store, *out, w->anything);
    return true;
}

static Expr any_text(ExprStore *store, const RegexOptions *options) {
    CodeSet all = {0};
    code_set_add(&all, 0, LAST_CODE);
    Expr e = expr_repeat(store, options->write(store, &all), 0, EXPR_FOREVER);
    code_set_free(&all);
    return e;
}

bool regex_read(ExprStore *store, Text source, const RegexOptions *options, Expr *expr,
                Fault *fault) {
    RegexNode *group = regex_tree(source, &ecma_notation, fault), *all[1] = {group};
    if (!group) return false;
    Writer w = {.store = store, .options = options, .fault = fault};
    bool ok = true, placed = regex_has(group, is_placed);
    if (placed || options->search) w.all = any_text(store, options);
    w.anything = options->search ? w.all : EXPR_EMPTY;
    if (placed)
        ok = write_placed(&w, all, 1, (Place){0}, expr);
    else
        *expr =
            expr_cat(store, w.anything, expr_cat(store, write_group(&w, group), w.anything));
    regex_tree_free(group);
    return ok;
}
