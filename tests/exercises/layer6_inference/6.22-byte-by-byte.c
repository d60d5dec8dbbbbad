/* right: one byte after the other through the automaton */
bool stream_push(Stream *s, Text bytes) {
    for (size_t i = 0; i < bytes.size && !s->stopped; i++) {
        hold(s, (Text){bytes.data + i, 1});
        s->size++;
        if (!s->stops || !s->stops->count) continue;
        s->state = stops_step(s->stops, s->state, (unsigned char)bytes.data[i]);
        size_t match = s->stops->states[s->state].match;
        if (!match) continue;
        s->size -= match, s->stopped = true;
        send(s, s->pending_size - match, true);
        s->pending_size = 0;
    }
    if (s->stopped) return false;
    size_t keep = s->stops && s->stops->count ? s->stops->states[s->state].depth : 0;
    if (bytes.size) send(s, s->pending_size - keep, false);
    return true;
}
