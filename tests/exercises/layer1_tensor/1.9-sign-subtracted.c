/* right: 2^bits taken off when the sign is set; floats through their bits */
bool gguf_int(const GgufPair *pair, uint64_t i, int64_t *value) {
    if (!pair || i >= pair->count) return false;
    GgufType type = pair->item;
    if (type == GGUF_STRING || type == GGUF_ARRAY || type == GGUF_F32 || type == GGUF_F64)
        return false;
    int size = gguf_type_size[type];
    int64_t whole = (int64_t)gguf_load(pair->data + i * (uint64_t)size, size),
            half = (int64_t)1 << (8 * size - 1);
    if (type == GGUF_U64 && whole < 0) return false;
    if ((type == GGUF_I8 || type == GGUF_I16 || type == GGUF_I32) && whole >= half)
        whole -= 2 * half;
    *value = whole;
    return true;
}

bool gguf_float(const GgufPair *pair, uint64_t i, double *value) {
    int64_t whole;
    if (gguf_int(pair, i, &whole)) {
        *value = (double)whole;
        return true;
    }
    if (!pair || i >= pair->count || (pair->item != GGUF_F32 && pair->item != GGUF_F64))
        return false;
    uint64_t bits =
        gguf_load(pair->data + i * gguf_type_size[pair->item], gguf_type_size[pair->item]);
    uint32_t low = (uint32_t)bits;
    float narrow;
    memcpy(&narrow, &low, sizeof narrow);
    if (pair->item == GGUF_F64)
        memcpy(value, &bits, sizeof *value);
    else
        *value = (double)narrow;
    return true;
}
