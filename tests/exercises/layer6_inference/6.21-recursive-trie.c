/* right: a string is added from its first byte on, by recursion */
static void add_rest(Stops *s, int32_t state, const char *text, size_t size, size_t done) {
    if (done == size) {
        s->states[state].match = (uint32_t)size;
        return;
    }
    int32_t next = s->states[state].next[(unsigned char)text[done]];
    if (next == -1) {
        next = (int32_t)s->count++;
        s->states[state].next[(unsigned char)text[done]] = next;
        s->states[next] = (StopState){.depth = (uint32_t)(done + 1)};
        for (int b = 0; b < 256; b++) s->states[next].next[b] = -1;
    }
    add_rest(s, next, text, size, done + 1);
}

static void add_text(Stops *s, const char *text, size_t size) { add_rest(s, 0, text, size, 0); }
