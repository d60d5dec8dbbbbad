/* right: bytes from the last to the first; tests in another order */
uint64_t gguf_load(const unsigned char *p, int size) {
    uint64_t value = 0;
    while (size-- > 0) value = value * 256 + p[size];
    return value;
}

Text gguf_take_string(Reader *reader, const char *what) {
    Text text = {"", 0};
    uint64_t size = take_int(reader, 8, what);
    const unsigned char *bytes = take_bytes(reader, size, what);
    if (bytes != NULL) text.data = (const char *)bytes, text.size = (size_t)size;
    return text;
}
