/* right: every character goes out by itself, and what is left moves to the front once */
static void send(Stream *s, size_t size, bool last) {
    size_t at = 0;
    for (int length; at < size; at += (size_t)(length > 0 ? length : -length)) {
        length = utf8_character((const unsigned char *)s->pending + at, size - at);
        if (length == 0) {
            if (!last) break;
            length = -(int)(size - at);
        }
        Text piece =
            length > 0 ? (Text){s->pending + at, (size_t)length} : (Text){"\xEF\xBF\xBD", 3};
        s->sink(s->context, piece);
    }
    for (size_t i = at; i < s->pending_size; i++) s->pending[i - at] = s->pending[i];
    s->pending_size -= at;
}
