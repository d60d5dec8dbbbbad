/* right: the fail of a state is found by following those of its parent */
static void add_falls(Stops *s, int32_t *queue) {
    size_t head = 0, tail = 0;
    queue[tail++] = 0;
    while (head < tail) {
        int32_t at = queue[head++];
        for (int b = 0; b < 256; b++) {
            int32_t child = s->states[at].next[b];
            int32_t fall = at ? s->states[s->states[at].fail].next[b] : 0;
            if (child < 0) {
                s->states[at].next[b] = fall;
                continue;
            }
            s->states[child].fail = fall;
            if (!s->states[child].match) s->states[child].match = s->states[fall].match;
            queue[tail++] = child;
        }
    }
}
