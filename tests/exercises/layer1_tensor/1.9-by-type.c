/* right: a case for each type, the sign by a cast */
bool gguf_int(const GgufPair *pair, uint64_t i, int64_t *value) {
    if (pair == NULL || i >= pair->count || gguf_type_size[pair->item] == 0) return false;
    const unsigned char *p = pair->data + i * gguf_type_size[pair->item];
    uint64_t bits = gguf_load(p, gguf_type_size[pair->item]);
    switch (pair->item) {
    case GGUF_I8: *value = (int8_t)bits; return true;
    case GGUF_I16: *value = (int16_t)bits; return true;
    case GGUF_I32: *value = (int32_t)bits; return true;
    case GGUF_F32:
    case GGUF_F64: return false;
    default: *value = (int64_t)bits; return pair->item != GGUF_U64 || *value >= 0;
    }
}

Text gguf_next_string(const unsigned char **cursor) {
    const unsigned char *p = *cursor;
    size_t size = (size_t)gguf_load(p, 8);
    *cursor = p + 8 + size;
    return (Text){(const char *)p + 8, size};
}
