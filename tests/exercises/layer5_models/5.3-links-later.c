/* right: pieces first, links in a second loop; what is left is walked by its links */
bool encode_bpe(const Tokenizer *tokenizer, Text word, Scratch *scratch, TokenList *tokens,
                Fault *fault) {
    int32_t whole = bpe_whole_word(tokenizer, word);
    if (whole >= 0) {
        if (!token_list_reserve(tokens, 1, fault)) return false;
        token_list_add(tokens, whole);
        return true;
    }
    if (!scratch_reserve(scratch, word.size, fault)) return false;
    Piece *p = scratch->pieces;
    for (size_t i = 0; i < word.size; i++)
        p[i].data = word.data + i, p[i].size = 1,
        p[i].symbol = tokenizer->byte_token[(unsigned char)word.data[i]];
    for (size_t i = 0; i < word.size; i++)
        p[i].before = (int32_t)i - 1, p[i].after = (int32_t)i + 1;
    p[word.size - 1].after = -1;
    merge_pieces(tokenizer, scratch, word.size, merge_learned);
    for (int32_t i = 0; i >= 0; i = p[i].after)
        if (!bpe_emit(tokenizer, p + i, tokens, fault)) return false;
    return true;
}
