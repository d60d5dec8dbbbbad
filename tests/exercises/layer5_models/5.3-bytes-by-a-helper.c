/* right: a helper for one byte; the rule in one line */
static bool emit_byte(const Tokenizer *t, unsigned char byte, TokenList *tokens, Fault *fault) {
    int32_t id = t->byte_token[byte] >= 0 ? t->byte_token[byte] : t->unknown;
    if (t->byte_token[byte] < 0 && t->drops_bytes) return true;
    if (id < 0) return fault_set(fault, "no token for the byte 0x%02X", byte);
    if (!token_list_reserve(tokens, 1, fault)) return false;
    token_list_add(tokens, id);
    return true;
}

bool bpe_emit(const Tokenizer *tokenizer, const Piece *piece, TokenList *tokens, Fault *fault) {
    if (piece->symbol >= 0 && piece->symbol < (int32_t)tokenizer->count) {
        if (!token_list_reserve(tokens, 1, fault)) return false;
        token_list_add(tokens, piece->symbol);
        return true;
    }
    for (const char *byte = piece->data; byte < piece->data + piece->size; byte++)
        if (!emit_byte(tokenizer, (unsigned char)*byte, tokens, fault)) return false;
    return true;
}

bool merge_learned(const Tokenizer *tokenizer, const Piece *left, const Piece *right,
                   double *priority, int32_t *merged) {
    const PairEntry *e = vocab_pair(tokenizer, left->symbol, right->symbol);
    return e && (*priority = (double)e->rank, *merged = e->merged, true);
}
