/* right: stops_read walks by pointer and leaves one return at its end */
size_t stops_read(const Stops *s, int32_t *state, Text bytes, size_t *read) {
    const char *at = bytes.data, *end = at + (s->count ? bytes.size : 0);
    size_t match = 0;
    while (match == 0 && at < end) {
        *state = stops_step(s, *state, (unsigned char)*at++);
        match = s->states[*state].match;
    }
    *read = (size_t)(at - bytes.data);
    return match;
}
