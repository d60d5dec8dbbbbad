/* bpe.c - BPE: each word's bytes, merged (merge.c) in the order in which the merges were
 * learned. */
#include "encoder.h"

/* A learned pair (vocab_pair) may merge; the earliest learned goes first. */
bool merge_learned(const Tokenizer *tokenizer, const Piece *left, const Piece *right,
                   double *priority, int32_t *merged) {
    const PairEntry *pair = vocab_pair(tokenizer, left->symbol, right->symbol);
    if (!pair) return false;
    *priority = pair->rank;
    *merged = pair->merged;
    return true;
}

/* A symbol that is not a token (`count` or above: it only occurs in merges) is spelled in
 * bytes.  A byte without a token is dropped (drops_bytes) or becomes the unknown token; if
 * there is none, the fault names the byte, as 0x41. */
bool bpe_emit(const Tokenizer *tokenizer, const Piece *piece, TokenList *tokens, Fault *fault) {
    if (!token_list_reserve(tokens, piece->size, fault)) return false;
    if (piece->symbol >= 0 && (size_t)piece->symbol < tokenizer->count) {
        token_list_add(tokens, piece->symbol);
        return true;
    }
    for (uint32_t i = 0; i < piece->size; i++) {
        unsigned char byte = (unsigned char)piece->data[i];
        int32_t id = tokenizer->byte_token[byte];
        if (id < 0 && tokenizer->drops_bytes) continue;
        if (id < 0) id = tokenizer->unknown;
        if (id < 0)
            return fault_set(fault, "the vocabulary has no token for the byte 0x%02X", byte);
        token_list_add(tokens, id);
    }
    return true;
}

int32_t bpe_whole_word(const Tokenizer *tokenizer, Text word) {
    int32_t id = tokenizer->ignore_merges ? vocab_find(tokenizer, word) : -1;
    bool token = id >= 0 && (size_t)id < tokenizer->count;
    return token && tokenizer->types[id] != TOKEN_CONTROL ? id : -1;
}

bool encode_bpe(const Tokenizer *tokenizer, Text word, Scratch *scratch, TokenList *tokens,
                Fault *fault) {
    int32_t whole = bpe_whole_word(tokenizer, word);
    if (whole >= 0)
        return bpe_emit(tokenizer, &(Piece){.size = 1, .symbol = whole}, tokens, fault);
    if (!scratch_reserve(scratch, word.size, fault)) return false;
    int32_t n = (int32_t)word.size;
    for (int32_t i = 0; i < n; i++)
        scratch->pieces[i] =
            (Piece){word.data + i, 1, tokenizer->byte_token[(unsigned char)word.data[i]], i - 1,
                    i + 1 < n ? i + 1 : -1};
    merge_pieces(tokenizer, scratch, word.size, merge_learned);
    for (int32_t i = 0; i < n; i++)
        if (scratch->pieces[i].size && !bpe_emit(tokenizer, &scratch->pieces[i], tokens, fault))
            return false;
    return true;
}
