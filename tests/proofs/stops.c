/* stops.c
 *
 * Proves    stops_read keeps any automaton inside its table: it reads only the text, at most all
 *           of it, ends in one of the states and returns one of their matches
 * Bound     4 states with any transitions among them, text of 0 to 8 bytes
 * Source    layer6_inference/src/output/stops.c
 * Options   -eva-precision 2 -eva-auto-loop-unroll 256
 * Mutant    layer6_inference/src/output/stops.c | *read < bytes.size | *read <= bytes.size
 * Mutant    layer6_inference/src/output/stops.c | if (s->states[*state].match) return | if (s->states[*state + 1].match) return */
#include "proof.h"
#include "stops.h"

enum { STATES = 4, BYTES = 8 };

int main(void) {
    static StopState states[STATES];
    char text[BYTES];
    for (int s = 0; s < STATES; s++) {
        for (int b = 0; b < 256; b++) states[s].next[b] = Frama_C_int_interval(0, STATES - 1);
        states[s].match = Frama_C_unsigned_int_interval(0, STATES - 1);
    }
    ANY(text);
    size_t n = ANY_SIZE(0, BYTES), read;
    //@ split n;
    int32_t state = Frama_C_int_interval(0, STATES - 1);
    const Stops stops = {states, STATES};
    size_t match = stops_read(&stops, &state, (Text){text + BYTES - n, n}, &read);
    PROVE(match < STATES && read <= n);
    PROVE(state >= 0 && state < STATES);
    END();
}
