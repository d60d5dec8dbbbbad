/* stops.h - many stop strings in one pass: the Aho-Corasick automaton.
 *
 * A state is the longest suffix of the text that is a prefix of some stop string.  Its depth is
 * the number of bytes that must stay pending:
 *
 *     stops "END", "\n\n"      text "... the E"  -> state "E", depth 1: "E" is pending
 *                              text "... the EX" -> state "",  depth 0: send all
 *
 * Invariant: after any text the state depends on its last depth bytes alone; a byte costs one
 * table look-up [the_automaton_is_right].
 *
 * Source   Aho & Corasick 1975, doi:10.1145/360825.360855. */
#ifndef STRATA_STOPS_H
#define STRATA_STOPS_H

#include "models.h"

typedef struct StopState {
    int32_t next[256];
    int32_t fail;
    uint32_t depth;
    uint32_t match; /* length of the longest stop string that ends here; 0: none */
} StopState;

typedef struct Stops {
    StopState *states; /* owns; state 0: nothing yet */
    size_t count;
} Stops;

/* Build the automaton; empty strings are ignored.
 *
 * Fails when memory runs out. */
bool stops_open(Stops *stops, const char *const *texts, size_t n, Fault *fault);
void stops_close(Stops *stops);

static inline int32_t stops_step(const Stops *stops, int32_t state, unsigned char byte) {
    return stops->count ? stops->states[state].next[byte] : 0;
}

/* Read bytes until a stop string is complete.
 *
 *   state   updated; 0 before the text begins
 *   read    bytes read: up to the end of the stop string, or all; 0 without stop strings
 *
 * Returns the length of the stop string (of several that end there, the longest), or 0. */
size_t stops_read(const Stops *stops, int32_t *state, Text bytes, size_t *read);

#endif
