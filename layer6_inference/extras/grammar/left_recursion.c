/* left_recursion.c - can a rule begin with itself?  See gbnf.h.
 *
 *     sum ::= sum "+" term | term       it can: to read a sum, read a sum first
 *     sum ::= term ("+" term)*          the same texts, and it cannot
 *
 * Our recogniser does not mind; llama.cpp's would go round for ever, and refuses such a
 * grammar.
 *
 * Invariant: a rule is visited once; one that is met while its own visit is open can begin
 * with itself. */
#include "gbnf.h"

#include <stdlib.h>

enum { NEW, OPEN, DONE };

/* Visit the rules a rule can begin with; `depth` is how far the way here is. */
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
        expr_calls(s, s->rule[rule].body, &calls); /* the list may have moved */
        if (!visit(s, calls[i].rule, state, depth + 1, fault)) return false;
    }
    state[rule] = DONE;
    return true;
}

bool gbnf_check_left_recursion(ExprStore *store, uint32_t root, Fault *fault) {
    uint8_t *state = calloc(store->n_rule + 1, 1);
    REQUIRE(state, "no memory for a grammar");
    bool ok = visit(store, root, state, 0, fault);
    free(state);
    return ok;
}
