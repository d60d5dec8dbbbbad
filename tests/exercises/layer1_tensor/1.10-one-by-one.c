/* right: an array's items stepped over one by one, and what is wrong with a tensor asked before it is filled in */
static void take_items(Reader *reader, GgufPair *pair) {
    const unsigned char *begin = reader->at;
    for (uint64_t i = 0; reader->ok && i < pair->count; i++)
        if (pair->item == GGUF_STRING)
            gguf_take_string(reader, "a string");
        else
            take_bytes(reader, gguf_type_size[pair->item], "an item");
    pair->data = begin;
}

static void take_shape(Reader *reader, GgufTensor *tensor, const uint64_t *dims) {
    if (!reader->ok) return;
    const DtypeInfo *info = dtype_info(tensor->dtype);
    uint64_t bytes;
    if (info == NULL) {
        refuse_format(reader, tensor->name, tensor->dtype);
        return;
    }
    if (dims[0] % info->block) {
        refuse_rows(reader, tensor->name, dims[0], info);
        return;
    }
    if (!gguf_shape_bytes(dims, tensor->ndim, info, SIZE_MAX, &bytes)) {
        fail(reader, "a tensor of impossible size");
        return;
    }
    tensor->bytes = (size_t)bytes;
    int i = 0;
    for (int k = tensor->ndim - 1; k >= 0; k--) tensor->shape[i++] = (size_t)dims[k];
    while (i < TENSOR_MAX_DIMS) tensor->shape[i++] = 1;
}
