/* right: cases in place of conditions, and the pieces by shorter and shorter beginnings */
static bool stands_alone(uint32_t code) {
    switch (unicode_category(code)) {
    case UNICODE_PUNCTUATION: return true;
    case UNICODE_SYMBOL: return code <= '~';
    default: return is_ideograph(code);
    }
}

static bool is_dropped(const Tokenizer *t, uint32_t code) {
    if (code == 0 || code == 0xFFFD) return true;
    switch (unicode_category(code)) {
    case UNICODE_CONTROL: return true;
    case UNICODE_MARK: return kind_data(t)->strip_accents;
    default: return false;
    }
}

bool encode_pieces(const Tokenizer *tokenizer, Text word, Scratch *scratch, TokenList *tokens,
                   Fault *fault) {
    size_t first = tokens->count, at = 0;
    while (at < word.size) {
        size_t n = word.size - at, taken;
        int32_t id = -1;
        for (; n > 0 && id < 0; n--) {
            id = prefix_tree_longest(&kind_data(tokenizer)->words, (Text){word.data + at, n},
                                     &taken);
            if (id >= 0 && taken != n) id = -1;
            if (id >= 0) break;
        }
        if (id < 0) {
            tokens->count = first;
            id = tokenizer->unknown;
            if (id < 0)
                return fault_set(fault, "no token for \"%.*s\"", (int)word.size, word.data);
            n = word.size - at;
        }
        if (!token_list_reserve(tokens, 1, fault)) return false;
        token_list_add(tokens, id);
        at += n;
    }
    return true;
}
