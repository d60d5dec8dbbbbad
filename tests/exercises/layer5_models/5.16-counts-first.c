/* right: first looks whether the word comes out even, then writes the pieces */
static bool comes_out(const Tokenizer *tokenizer, Text word) {
    while (word.size) {
        size_t size;
        if (prefix_tree_longest(&kind_data(tokenizer)->words, word, &size) < 0) return false;
        word.data += size, word.size -= size;
    }
    return true;
}

bool encode_pieces(const Tokenizer *tokenizer, Text word, Scratch *scratch, TokenList *tokens,
                   Fault *fault) {
    if (!token_list_reserve(tokens, word.size + 1, fault)) return false;
    if (!comes_out(tokenizer, word)) {
        if (tokenizer->unknown < 0)
            return fault_set(fault, "a word is unknown, and nothing says so");
        token_list_add(tokens, tokenizer->unknown);
        return true;
    }
    while (word.size) {
        size_t size;
        token_list_add(tokens, prefix_tree_longest(&kind_data(tokenizer)->words, word, &size));
        word.data += size, word.size -= size;
    }
    return true;
}
