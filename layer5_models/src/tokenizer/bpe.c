/* bpe.c - byte-level BPE: each word's bytes, merged in the order the merges were learned. */
#include "unicode.h"
#include "vocab.h"

#include <stdlib.h>

uint32_t byte_to_visible(unsigned char byte) {
    bool visible = (byte >= 33 && byte <= 126) || (byte >= 161 && byte != 173);
    if (visible) return byte;
    return byte < 33 ? 256u + byte : byte < 161 ? 256u + 33 + (byte - 127u) : 256u + 67;
}

int visible_to_byte(uint32_t code_point) {
    for (int byte = 0; byte < 256; byte++)
        if (byte_to_visible((unsigned char)byte) == code_point) return byte;
    return -1;
}

static bool learned_merge(const Tokenizer *tokenizer, const Piece *left, const Piece *right,
                          double *priority, int32_t *merged) {
    const PairEntry *pair = vocab_pair(tokenizer, left->symbol, right->symbol);
    if (!pair) return false;
    *priority = pair->rank;
    *merged = pair->merged;
    return true;
}

/* A symbol that is no token (it only occurs inside merges) is spelled in bytes. */
static void emit(const Tokenizer *tokenizer, const Piece *piece, TokenList *tokens) {
    if (piece->symbol >= 0 && (size_t)piece->symbol < tokenizer->count) {
        token_list_add(tokens, piece->symbol);
        return;
    }
    for (uint32_t i = 0; i < piece->size; i++) {
        int32_t id = tokenizer->byte_token[(unsigned char)piece->data[i]];
        if (id >= 0) token_list_add(tokens, id);
    }
}

static void encode_word(const Tokenizer *tokenizer, Text word, Piece *pieces,
                        TokenList *tokens) {
    int32_t n = (int32_t)word.size;
    for (int32_t i = 0; i < n; i++)
        pieces[i] =
            (Piece){word.data + i, 1, tokenizer->byte_token[(unsigned char)word.data[i]], i - 1,
                    i + 1 < n ? i + 1 : -1};
    merge_pieces(tokenizer, pieces, word.size, learned_merge);
    for (int32_t i = 0; i < n; i++)
        if (pieces[i].size) emit(tokenizer, &pieces[i], tokens);
}

void encode_bpe(const Tokenizer *tokenizer, Text text, TokenList *tokens) {
    Piece small[64], *large = NULL;
    size_t room = 64;
    for (size_t at = 0; at < text.size;) {
        Text word = {text.data + at,
                     split_word(tokenizer->split, text.data + at, text.size - at)};
        if (word.size > room) {
            room = word.size * 2;
            free(large);
            large = malloc(room * sizeof *large);
            REQUIRE(large, "no memory for a word of %zu bytes", word.size);
        }
        encode_word(tokenizer, word, large ? large : small, tokens);
        at += word.size;
    }
    free(large);
}
