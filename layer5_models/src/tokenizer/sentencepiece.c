/* sentencepiece.c - SentencePiece BPE: characters merged, best score first, with bytes as
 * fallback. */
#include "encoder.h"
#include "unicode.h"

bool merge_scored(const Tokenizer *tokenizer, const Piece *left, const Piece *right,
                  double *priority, int32_t *merged) {
    *merged = vocab_find(tokenizer,
                         (Text){left->data, left->size + right->size}); /* they are adjacent */
    if (*merged < 0) return false;
    *priority = -(double)tokenizer->scores[*merged];
    return true;
}

static bool emit_piece(const Tokenizer *tokenizer, const Piece *piece, TokenList *tokens,
                       Fault *fault) {
    if (!token_list_reserve(tokens, piece->size, fault)) return false;
    if (piece->symbol >= 0) {
        token_list_add(tokens, piece->symbol);
        return true;
    }
    for (uint32_t i = 0; i < piece->size; i++) {
        int32_t id = tokenizer->byte_token[(unsigned char)piece->data[i]];
        token_list_add(tokens, id >= 0 ? id : tokenizer->unknown);
        if (id < 0) return true; /* no byte tokens: one unknown for the piece */
    }
    return true;
}

static size_t character(const Tokenizer *t, Text text, size_t at) {
    unsigned char first = (unsigned char)text.data[at];
    size_t size = t->as_llama ? t->as_llama->character(first) : utf8_length(first);
    return size < text.size - at ? size : text.size - at;
}

/* Can a token contain both the character before `at` and the one there? */
static bool tokens_join(const Tokenizer *t, Text text, size_t at, bool after_space) {
    if (!t->joins[(unsigned char)text.data[at - 1]][(unsigned char)text.data[at]]) return false;
    return !t->space_begins || after_space || !is_escaped_space(text, at);
}

size_t sentencepiece_word(const Tokenizer *tokenizer, Text text) {
    bool space = is_escaped_space(text, 0);
    size_t at = character(tokenizer, text, 0);
    while (at < text.size && tokens_join(tokenizer, text, at, space)) {
        space = is_escaped_space(text, at);
        at += character(tokenizer, text, at);
    }
    return at;
}

bool encode_sentencepiece(const Tokenizer *tokenizer, Text word, Scratch *scratch,
                          TokenList *tokens, Fault *fault) {
    size_t n = 0;
    for (size_t at = 0; at < word.size; n++) at += character(tokenizer, word, at);
    if (!scratch_reserve(scratch, n, fault)) return false;
    n = 0;
    for (size_t at = 0; at < word.size; n++) {
        size_t size = character(tokenizer, word, at);
        int32_t symbol = vocab_find(tokenizer, (Text){word.data + at, size});
        scratch->pieces[n] =
            (Piece){word.data + at, (uint32_t)size, symbol, (int32_t)n - 1, (int32_t)n + 1};
        at += size;
    }
    scratch->pieces[n - 1].after = -1;
    merge_pieces(tokenizer, scratch, n, merge_scored);
    for (size_t i = 0; i < n; i++)
        if (scratch->pieces[i].size &&
            !emit_piece(tokenizer, &scratch->pieces[i], tokens, fault))
            return false;
    return true;
}
