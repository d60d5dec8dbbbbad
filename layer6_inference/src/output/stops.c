/* stops.c - see stops.h. */
#include "stops.h"

#include <stdlib.h>
#include <string.h>

/* Add a string's path to the trie.  A new state is s->states[s->count++]; next is -1 where no
 * path leads on.  The last state's match is the string's size. */
static void add_text(Stops *s, const char *text, size_t size) {
    int32_t state = 0;
    for (size_t i = 0; i < size; i++) {
        int32_t *next = &s->states[state].next[(unsigned char)text[i]];
        if (*next < 0) {
            *next = (int32_t)s->count;
            StopState *fresh = &s->states[s->count++];
            memset(fresh->next, -1, sizeof fresh->next);
            fresh->depth = (uint32_t)i + 1;
            fresh->fail = 0, fresh->match = 0;
        }
        state = *next;
    }
    s->states[state].match = (uint32_t)size;
}

/* Complete the automaton breadth first: `fail` is the longest proper suffix that is a state,
 * whose transitions replace the missing ones, and whose match a state without its own takes
 * over.
 *
 *   queue   (s->count) working memory */
static void add_falls(Stops *s, int32_t *queue) {
    size_t head = 0, tail = 0;
    for (int b = 0; b < 256; b++) {
        int32_t *next = &s->states[0].next[b];
        if (*next < 0)
            *next = 0;
        else
            queue[tail++] = *next;
    }
    while (head < tail) {
        StopState *state = &s->states[queue[head++]], *fall = &s->states[state->fail];
        if (!state->match) state->match = fall->match;
        for (int b = 0; b < 256; b++) {
            int32_t next = state->next[b];
            if (next < 0) {
                state->next[b] = fall->next[b];
            } else {
                s->states[next].fail = fall->next[b];
                queue[tail++] = next;
            }
        }
    }
}

bool stops_open(Stops *s, const char *const *texts, size_t n, Fault *fault) {
    size_t max_states = 1;
    *s = (Stops){0};
    for (size_t i = 0; i < n; i++) max_states += strlen(texts[i]);
    if (max_states == 1) return true;
    s->states = malloc(max_states * sizeof *s->states);
    int32_t *queue = malloc(max_states * sizeof *queue);
    if (!s->states || !queue) {
        free(queue), stops_close(s);
        return fault_set(fault, "no memory for %zu bytes of stop strings", max_states);
    }
    memset(s->states, 0, sizeof *s->states);
    memset(s->states[0].next, -1, sizeof s->states[0].next);
    s->count = 1;
    for (size_t i = 0; i < n; i++)
        if (*texts[i]) add_text(s, texts[i], strlen(texts[i]));
    add_falls(s, queue);
    free(queue);
    return true;
}

void stops_close(Stops *s) {
    free(s->states);
    *s = (Stops){0};
}

size_t stops_read(const Stops *s, int32_t *state, Text bytes, size_t *read) {
    for (*read = 0; s->count && *read < bytes.size;) {
        *state = stops_step(s, *state, (unsigned char)bytes.data[(*read)++]);
        if (s->states[*state].match) return s->states[*state].match;
    }
    return 0;
}
