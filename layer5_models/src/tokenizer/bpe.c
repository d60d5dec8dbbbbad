/* bpe.c - BPE: each word's bytes (or characters), merged in the order the merges were learned. */
#include "unicode.h"
#include "vocab.h"

/* The rule of merge_pieces: a pair that was learned (vocab_pair) may merge, and the one learned
 * first goes first. */
static bool learned_merge(const Tokenizer *tokenizer, const Piece *left, const Piece *right,
                          double *priority, int32_t *merged) {
    const PairEntry *pair = vocab_pair(tokenizer, left->symbol, right->symbol);
    if (!pair) return false;
    *priority = pair->rank;
    *merged = pair->merged;
    return true;
}

/* A symbol that is no token (it only occurs inside merges: `count` or above) is spelled in bytes.  A
 * byte without a token is dropped where llama.cpp drops it (as_llama), else it becomes the unknown one;
 * where there is none the fault names the byte, as 0x41. */
static bool emit(const Tokenizer *tokenizer, const Piece *piece, TokenList *tokens,
                 Fault *fault) {
    if (!token_list_reserve(tokens, piece->size, fault)) return false;
    if (piece->symbol >= 0 && (size_t)piece->symbol < tokenizer->count) {
        token_list_add(tokens, piece->symbol);
        return true;
    }
    for (uint32_t i = 0; i < piece->size; i++) {
        unsigned char byte = (unsigned char)piece->data[i];
        int32_t id = tokenizer->byte_token[byte];
        if (id < 0 && tokenizer->as_llama) continue;
        if (id < 0) id = tokenizer->unknown;
        if (id < 0)
            return fault_set(fault, "the vocabulary has no token for the byte 0x%02X", byte);
        token_list_add(tokens, id);
    }
    return true;
}

/* The token that a whole word is, for vocabularies that ignore merges then; -1: none. */
static int32_t whole_word(const Tokenizer *tokenizer, Text word) {
    int32_t id = tokenizer->ignore_merges ? vocab_find(tokenizer, word) : -1;
    bool token = id >= 0 && (size_t)id < tokenizer->count;
    return token && tokenizer->types[id] != TOKEN_CONTROL ? id : -1;
}

/* A piece for each byte, all linked to their neighbours; merged; what is left becomes tokens. */
bool encode_bpe(const Tokenizer *tokenizer, Text word, MergeRoom *room, TokenList *tokens,
                Fault *fault) {
    int32_t whole = whole_word(tokenizer, word);
    if (whole >= 0) return emit(tokenizer, &(Piece){.size = 1, .symbol = whole}, tokens, fault);
    if (!merge_room(room, word.size, fault)) return false;
    int32_t n = (int32_t)word.size;
    for (int32_t i = 0; i < n; i++)
        room->pieces[i] =
            (Piece){word.data + i, 1, tokenizer->byte_token[(unsigned char)word.data[i]], i - 1,
                    i + 1 < n ? i + 1 : -1};
    merge_pieces(tokenizer, room, word.size, learned_merge);
    for (int32_t i = 0; i < n; i++)
        if (room->pieces[i].size && !emit(tokenizer, &room->pieces[i], tokens, fault))
            return false;
    return true;
}

/* Newlines in a row that are a token, for vocabularies that take them whole. */
static int32_t whole_lines(const Tokenizer *tokenizer, Text word) {
    if (!tokenizer->rule || !tokenizer->rule->whole_lines || word.data[0] != '\n') return -1;
    int32_t id = vocab_find(tokenizer, word);
    return id >= 0 && (size_t)id < tokenizer->count ? id : -1;
}

/* A character without a token of its own, nor tokens for its bytes, is one unknown token. */
static bool emit_character(const Tokenizer *tokenizer, const Piece *piece, TokenList *tokens,
                           Fault *fault) {
    bool spelled = tokenizer->byte_token[(unsigned char)piece->data[0]] >= 0;
    if (piece->symbol >= 0 || spelled || tokenizer->as_llama || tokenizer->unknown < 0)
        return emit(tokenizer, piece, tokens, fault);
    return emit(tokenizer, &(Piece){.size = 1, .symbol = tokenizer->unknown}, tokens, fault);
}

/* The same on characters: a piece for each of them. */
bool encode_characters(const Tokenizer *tokenizer, Text word, MergeRoom *room,
                       TokenList *tokens, Fault *fault) {
    int32_t whole = whole_lines(tokenizer, word), n = 0;
    if (whole < 0) whole = whole_word(tokenizer, word);
    if (whole >= 0) return emit(tokenizer, &(Piece){.size = 1, .symbol = whole}, tokens, fault);
    if (!merge_room(room, word.size, fault)) return false;
    for (size_t at = 0, size; at < word.size; at += size, n++) {
        utf8_decode(word.data + at, word.size - at, &size);
        int32_t symbol = vocab_find(tokenizer, (Text){word.data + at, size});
        room->pieces[n] = (Piece){word.data + at, (uint32_t)size, symbol, n - 1, n + 1};
    }
    room->pieces[n - 1].after = -1;
    merge_pieces(tokenizer, room, (size_t)n, learned_merge);
    for (int32_t i = 0; i < n; i++)
        if (room->pieces[i].size && !emit_character(tokenizer, &room->pieces[i], tokens, fault))
            return false;
    return true;
}

MergeRule *const bpe_merge_rule = learned_merge;
