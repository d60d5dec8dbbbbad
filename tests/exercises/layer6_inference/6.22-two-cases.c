/* right: without stop strings first, and what goes out is computed from the end */
bool stream_push(Stream *s, Text bytes) {
    size_t read = bytes.size, stop = 0, depth = 0;
    if (s->stopped) return false;
    if (!bytes.size) return true;
    hold(s, bytes);
    if (s->stops && s->stops->count) {
        stop = stops_read(s->stops, &s->state, bytes, &read);
        depth = s->stops->states[s->state].depth;
    }
    s->size += read - stop;
    if (!stop) {
        send(s, s->pending_size - depth, false);
        return true;
    }
    size_t unread = bytes.size - read;
    send(s, s->pending_size - unread - stop, true);
    s->pending_size = 0, s->stopped = true;
    return false;
}
