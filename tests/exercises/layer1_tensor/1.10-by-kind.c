/* right: the head of a pair by itself, and each dimension put in its place as it is read */
static bool array_head(Reader *reader, GgufPair *pair) {
    uint64_t item = take_int(reader, 4, "array type"), n = take_int(reader, 8, "array length");
    if (item == GGUF_ARRAY) refuse_array(reader, pair->key);
    pair->item = (GgufType)item, pair->count = n;
    return reader->ok;
}

void gguf_take_pair(Reader *reader, GgufPair *pair) {
    Text key = gguf_take_string(reader, "key");
    uint64_t type = take_int(reader, 4, "type");
    if (!reader->ok) return;
    *pair = (GgufPair){key, (GgufType)type, (GgufType)type, 1, NULL};
    if (!key.size && !fail(reader, "a key without letters")) return;
    if (type == GGUF_ARRAY && !array_head(reader, pair)) return;
    if (pair->item >= GGUF_TYPES)
        refuse_type(reader, key, (unsigned)pair->item);
    else
        take_items(reader, pair);
}

uint64_t gguf_take_tensor(Reader *reader, GgufTensor *tensor) {
    Text name = gguf_take_string(reader, "name");
    uint64_t n = take_int(reader, 4, "ndim"), dims[TENSOR_MAX_DIMS] = {0};
    if (reader->ok && n - 1 >= TENSOR_MAX_DIMS) refuse_dimensions(reader, name, n);
    for (uint64_t i = 0; reader->ok && i < n; i++) dims[i] = take_int(reader, 8, "size");
    uint32_t dtype = (uint32_t)take_int(reader, 4, "format");
    uint64_t offset = take_int(reader, 8, "offset");
    if (!reader->ok) return 0;
    tensor->name = name, tensor->ndim = (int)n, tensor->dtype = dtype;
    take_shape(reader, tensor, dims);
    return offset;
}
