/* left_recursion.c - left recursion in a grammar.  See gbnf.h.
 *
 *     sum ::= sum "+" term | term       left-recursive: to read a sum, read a sum first
 *     sum ::= term ("+" term)*          the same texts without it
 *
 * Earley parsing handles it; llama.cpp's parser would recurse forever and refuses such a
 * grammar.
 *
 * Invariant: each rule is visited once; a rule met again during its own visit is
 * left-recursive. */
#include "gbnf.h"

#include <stdlib.h>

enum { NEW, OPEN, DONE };

/* Depth-first over the rules a rule can begin with. */
static bool visit(ExprStore *s, uint32_t rule, uint8_t *state, uint32_t depth, Fault *fault) {
    const ExprCall *calls;
    if (state[rule] == DONE) return true;
    if (state[rule] == OPEN)
        return fault_set(fault,
                         "grammar: rule '%s' can begin with itself (left recursion), which "
                         "llama.cpp cannot load: write a repetition, as in sum ::= term (\"+\" "
                         "term)*, or allow it (--left-recursion)",
                         s->rule[rule].name);
    if (depth > 5000) return fault_set(fault, "grammar: the rules are nested too deeply");
    state[rule] = OPEN;
    size_t count = expr_calls(s, s->rule[rule].body, &calls);
    for (size_t i = 0; i < count; i++) {
        expr_calls(s, s->rule[rule].body, &calls); /* reloaded: the list may have moved */
        if (!visit(s, calls[i].rule, state, depth + 1, fault)) return false;
    }
    state[rule] = DONE;
    return true;
}

bool gbnf_check_left_recursion(ExprStore *store, uint32_t root, Fault *fault) {
    uint8_t *state = calloc(store->n_rule + 1, 1);
    NEED_MEMORY(state, "a grammar");
    bool ok = visit(store, root, state, 0, fault);
    free(state);
    return ok;
}
