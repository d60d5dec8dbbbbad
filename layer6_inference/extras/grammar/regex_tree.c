/* regex_tree.c - from the text of a regular expression to its tree.  See regex_tree.h. */
#include "regex_tree.h"
#include "expr.h"

#include <stdlib.h>

enum { DEPTH = 250, REPEATS = 1000000000 };

static RegexNode *node_new(NodeKind kind) {
    RegexNode *node = calloc(1, sizeof *node);
    REQUIRE(node, "no memory for a regular expression");
    node->kind = kind, node->low = node->high = 1;
    return node;
}

void regex_tree_free(RegexNode *node) {
    if (!node) return;
    for (size_t i = 0; i < node->count; i++) regex_tree_free(node->child[i]);
    free(node->child);
    charset_free(&node->set);
    free(node);
}

static void node_add(RegexNode *node, RegexNode *child) {
    if (node->count == node->room) {
        node->room = node->room ? 2 * node->room : 4;
        node->child = realloc(node->child, node->room * sizeof(RegexNode *));
        REQUIRE(node->child, "no memory for a regular expression");
    }
    node->child[node->count++] = child;
}

static bool is_quantifier(char c) { return c == '*' || c == '+' || c == '?'; }

static bool take_alternatives(RegexReader *r, RegexNode *group);

/* After an opening parenthesis. */
static bool take_group(RegexReader *r, RegexNode *group) {
    if (regex_take(r, '?')) {
        if (regex_take(r, ':')) { /* does not capture: nothing here does */
        } else if (regex_next_is(r, "<") && !regex_next_is(r, "<=") &&
                   !regex_next_is(r, "<!")) {
            while (r->at < r->end && *r->at != '>' && *r->at != ')') r->at++;
            if (!regex_take(r, '>')) return regex_wrong(r, "a group's name without its >");
        } else {
            return regex_wrong(r, "look-around, atomic groups and flags are not supported");
        }
    }
    if (++r->depth > DEPTH) return regex_wrong(r, "groups are nested too deeply");
    if (!take_alternatives(r, group)) return false;
    r->depth--;
    return regex_take(r, ')') || regex_wrong(r, "a ( without its )");
}

static bool take_atom(RegexReader *r, RegexNode *atom) {
    bool many;
    uint32_t c;
    if (regex_take(r, '(')) return atom->kind = NODE_GROUP, take_group(r, atom);
    if (regex_take(r, '^')) return atom->kind = NODE_BEGIN, true;
    if (regex_take(r, '$')) return atom->kind = NODE_END, true;
    if (regex_take(r, '[')) return regex_take_class(r, &atom->set);
    if (regex_take(r, '.')) {
        static const CharRange ends[] = {{10, 10}, {13, 13}, {0x2028, 0x2029}};
        for (int i = 0; i < 3; i++) charset_add(&atom->set, ends[i].first, ends[i].last);
        charset_invert(&atom->set);
        return true;
    }
    if (is_quantifier(*r->at))
        return regex_wrong(r, "nothing stands before this to be repeated");
    if (regex_take(r, '\\')) {
        bool ok = regex_take_escape(r, &atom->set, &many);
        charset_tidy(&atom->set);
        return ok;
    }
    if (!regex_take_char(r, &c)) return false;
    charset_add(&atom->set, c, c);
    charset_tidy(&atom->set);
    return true;
}

/* {m}, {m,}, {m,n}: is it one?  A brace that is none is a character like any other. */
static bool is_braces(const RegexReader *r) {
    const char *c = r->at;
    if (c == r->end || *c++ != '{' || c == r->end || *c < '0' || *c > '9') return false;
    while (c < r->end && *c >= '0' && *c <= '9') c++;
    if (c < r->end && *c == ',') c++;
    while (c < r->end && *c >= '0' && *c <= '9') c++;
    return c < r->end && *c == '}';
}

static bool take_count(RegexReader *r, uint32_t *count) {
    uint64_t n = 0;
    for (; r->at < r->end && *r->at >= '0' && *r->at <= '9'; r->at++) {
        n = n * 10 + (uint64_t)(*r->at - '0');
        if (n > REPEATS) return regex_wrong(r, "repeated more than 1000000000 times");
    }
    *count = (uint32_t)n;
    return true;
}

static bool take_braces(RegexReader *r, RegexNode *atom) {
    r->at++;
    if (!take_count(r, &atom->low)) return false;
    atom->high = atom->low;
    if (regex_take(r, ',')) {
        atom->high = EXPR_FOREVER;
        if (*r->at != '}' && !take_count(r, &atom->high)) return false;
    }
    if (atom->high < atom->low) return regex_wrong(r, "{m,n} with n less than m");
    return regex_take(r, '}');
}

static bool take_quantifier(RegexReader *r, RegexNode *atom) {
    if (r->at == r->end) return true;
    const char *from = r->at;
    if (regex_take(r, '*'))
        atom->low = 0, atom->high = EXPR_FOREVER;
    else if (regex_take(r, '+'))
        atom->high = EXPR_FOREVER;
    else if (regex_take(r, '?'))
        atom->low = 0;
    else if (is_braces(r)) {
        if (!take_braces(r, atom)) return false;
    } else
        return true;
    if (atom->kind == NODE_BEGIN || atom->kind == NODE_END)
        return r->at = from, regex_wrong(r, "^ and $ cannot be repeated");
    regex_take(r, '?'); /* as few as possible: the same texts */
    if (r->at < r->end && (is_quantifier(*r->at) || is_braces(r)))
        return regex_wrong(r, "one quantifier behind another");
    return true;
}

static bool take_sequence(RegexReader *r, RegexNode *sequence) {
    while (r->at < r->end && *r->at != '|' && *r->at != ')') {
        RegexNode *atom = node_new(NODE_SET);
        node_add(sequence, atom);
        if (++r->nodes > REGEX_NODES) return regex_wrong(r, "too long");
        if (!take_atom(r, atom) || !take_quantifier(r, atom)) return false;
    }
    return true;
}

static bool take_alternatives(RegexReader *r, RegexNode *group) {
    do {
        RegexNode *sequence = node_new(NODE_SEQUENCE);
        node_add(group, sequence);
        if (!take_sequence(r, sequence)) return false;
    } while (regex_take(r, '|'));
    return true;
}

RegexNode *regex_tree(Text source, Fault *fault) {
    RegexReader r = {source.data, source.data + source.size, source.data, 0, 0, fault};
    RegexNode *group = node_new(NODE_GROUP);
    bool ok = take_alternatives(&r, group);
    if (ok && r.at < r.end) ok = regex_wrong(&r, "a ) without its (");
    if (ok) return group;
    regex_tree_free(group);
    return NULL;
}
