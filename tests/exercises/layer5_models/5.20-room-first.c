/* right: room for all of it first; what is unknown in a function of its own */
static bool unknown_byte(const Tokenizer *t, char byte, int32_t *id, Fault *fault) {
    *id = t->unknown;
    return *id >= 0 || fault_set(fault, "the byte 0x%02x (0x%02X) has no token",
                                 (unsigned char)byte, (unsigned char)byte);
}

bool encode_longest(Encoder *encoder, Text text, TokenList *tokens, Fault *fault) {
    if (!token_list_reserve(tokens, text.size, fault)) return false;
    size_t size;
    for (; text.size; text.data += size, text.size -= size) {
        int32_t id = prefix_tree_longest(&kind_data(encoder->tokenizer)->words, text, &size);
        if (id < 0) {
            size = 1;
            if (!unknown_byte(encoder->tokenizer, text.data[0], &id, fault)) return false;
        }
        token_list_add(tokens, id);
        encoder_report(encoder, (Text){text.data, size}, tokens, tokens->count - 1);
    }
    return true;
}
