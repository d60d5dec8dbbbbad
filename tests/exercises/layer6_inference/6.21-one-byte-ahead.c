/* wrong: crashed | the next byte is read before it is known that there is one */
size_t stops_read(const Stops *s, int32_t *state, Text bytes, size_t *read) {
    *read = 0;
    if (!s->count) return 0;
    char next = bytes.data[0];
    while (*read < bytes.size) {
        *state = stops_step(s, *state, (unsigned char)next);
        next = bytes.data[++*read];
        if (s->states[*state].match) return s->states[*state].match;
    }
    return 0;
}
