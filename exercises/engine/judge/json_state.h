/* json_state.h - the JSON of chapter 12, a byte at a time. */
#ifndef STRATA_ENGINE_JSON_STATE_H
#define STRATA_ENGINE_JSON_STATE_H

/* What is read so far: open brackets, and where in a value one is. */
typedef struct State {
    char open[64], word[8]; /* word: what is left of true, false, null */
    int depth;
    enum {
        VALUE,
        FIRST_ITEM,
        FIRST_KEY,
        KEY,
        IN_KEY,
        COLON,
        STRING,
        MINUS,
        ZERO,
        NUMBER,
        WORD,
        AFTER,
        OVER,
        BAD
    } at;
} State;

void state_take(State *s, int c); /* BAD: it may not come */

/* Bytes of the shortest way to an end: {"":0} and the like. */
int state_left(const State *s);

#endif
