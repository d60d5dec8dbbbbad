/* pattern_states.c - from the operations of a pattern to the states of its table.  See
 * pattern_build.h. */
#include "pattern_build.h"

#include <stdlib.h>
#include <string.h>

static void add_place(Builder *b, int32_t place) {
    if (GROW(b->places, b->place_room, b->n_places + 1))
        b->places[b->n_places++] = place;
    else
        b->ok = false;
}

/* The next character's class, and the one before. */
typedef struct Ahead {
    size_t kind; /* `kinds`: the end of the text */
    bool end, far, word_before;
} Ahead;

static bool look_holds(const Builder *b, const Op *op, Ahead ahead) {
    bool inside = !ahead.end && b->set_has[ahead.kind][op->a];
    bool word_next = !ahead.end && b->pattern->is_word[ahead.kind];
    switch (op->kind) {
    case OP_LOOK: return inside != op->negative;
    case OP_LOOK_FAR: return ahead.far;
    case OP_END: return ahead.end;
    default: return word_next != ahead.word_before;
    }
}

/* Follow an operation to those that take characters; true: done, which ends the list. */
static bool follow_place(Builder *b, int32_t at, Ahead ahead, uint16_t *match) {
    while (b->ok && b->seen[at] != b->stamp) {
        const Op *op = &b->ops[at];
        b->seen[at] = b->stamp;
        if (op->kind == OP_DONE) return *match = (uint16_t)(op->a + 1), true;
        if (op->kind == OP_TAKE) {
            if (!ahead.end && b->set_has[ahead.kind][op->a]) add_place(b, at + 1);
            return false;
        }
        if (op->kind == OP_FORK) {
            if (follow_place(b, op->a, ahead, match)) return true;
            at = op->b;
        } else {
            if (!look_holds(b, op, ahead)) return false;
            at++;
        }
    }
    return false;
}

/* The state whose list was just written at the end of `places`. */
static uint16_t state_of(Builder *b) {
    size_t start = b->from[b->n_states], size = b->n_places - start;
    if (size == 1) return b->n_places = start, 0;
    for (size_t s = 1; s < b->n_states; s++)
        if (b->from[s + 1] - b->from[s] == size &&
            memcmp(b->places + b->from[s], b->places + start, size * sizeof *b->places) == 0)
            return b->n_places = start, (uint16_t)s;
    if (b->n_states == MAX_STATES) return b->ok = false, 0;
    b->from[++b->n_states] = b->n_places;
    return (uint16_t)(b->n_states - 1);
}

static TableStep step_from(Builder *b, size_t state, Ahead ahead) {
    TableStep step = {0, 0};
    size_t from = b->from[state], to = b->from[state + 1];
    bool word = b->word_set >= 0 && !ahead.end && b->pattern->is_word[ahead.kind];
    ahead.word_before = b->places[from];
    b->stamp++;
    add_place(b, word);
    for (size_t i = from + 1; b->ok && i < to; i++)
        if (follow_place(b, b->places[i], ahead, &step.match)) break;
    step.next = state_of(b);
    return step;
}

static void begin_states(Builder *b, Machine *machine) {
    b->n_places = 0;
    b->from[0] = b->from[1] = 0;
    b->n_states = 1; /* state 0: dead */
    for (int word = 0; word < 2; word++) {
        add_place(b, b->word_set >= 0 && word);
        add_place(b, 0);
        machine->start[word] = b->ok ? state_of(b) : 0;
    }
}

bool pattern_states(Builder *b, Machine *machine) {
    size_t symbols = b->pattern->symbols, ends = b->pattern->kinds;
    b->seen = b->ok ? calloc(b->n_ops + 1, sizeof *b->seen) : NULL;
    b->ok = b->ok && b->seen;
    b->stamp = 0;
    if (b->ok) begin_states(b, machine);
    machine->steps = b->ok ? calloc(symbols, sizeof *machine->steps) : NULL;
    for (size_t s = 1; b->ok && s < b->n_states; s++) {
        TableStep *steps = realloc(machine->steps, (s + 1) * symbols * sizeof *steps);
        if (steps) machine->steps = steps;
        b->ok = steps != NULL;
        for (size_t i = 0; b->ok && i < symbols; i++) {
            size_t kind = i % (ends + 1);
            steps[s * symbols + i] =
                step_from(b, s, (Ahead){kind, kind == ends, i > ends, false});
        }
    }
    machine->states = b->n_states;
    free(b->seen), b->seen = NULL;
    return b->ok || fault_set(b->fault, "no memory for a pattern, or it is too large");
}
