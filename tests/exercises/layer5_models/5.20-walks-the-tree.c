/* right: walks the tree itself, in one loop over places */
bool encode_longest(Encoder *encoder, Text text, TokenList *tokens, Fault *fault) {
    const Tokenizer *t = encoder->tokenizer;
    for (size_t at = 0, end; at < text.size; at = end) {
        int32_t id = t->unknown;
        uint32_t node = 0;
        end = at + 1;
        for (size_t i = at; i < text.size; i++) {
            node = prefix_tree_next(&kind_data(t)->words, node, (unsigned char)text.data[i]);
            if (!node) break;
            if (kind_data(t)->words.values[node] >= 0)
                id = kind_data(t)->words.values[node], end = i + 1;
        }
        if (id < 0)
            return fault_set(fault, "no token for 0x%02X", (unsigned char)text.data[at]);
        if (!token_list_reserve(tokens, 1, fault)) return false;
        token_list_add(tokens, id);
        encoder_report(encoder, (Text){text.data + at, end - at}, tokens, tokens->count - 1);
    }
    return true;
}
