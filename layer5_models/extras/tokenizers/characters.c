/* characters.c - BPE on characters: kinds gemma4 and whitespace, and gpt2's rules that write
 * spaces as U+2581. */
#include "kind_data.h"
#include "unicode.h"
#include "unicode_case.h"

#include <string.h>

/* A character with neither a token nor byte tokens is one unknown token. */
static bool emit_character(const Tokenizer *tokenizer, const Piece *piece, TokenList *tokens,
                           Fault *fault) {
    bool spelled = tokenizer->byte_token[(unsigned char)piece->data[0]] >= 0;
    if (piece->symbol >= 0 || spelled || tokenizer->drops_bytes || tokenizer->unknown < 0)
        return bpe_emit(tokenizer, piece, tokens, fault);
    return bpe_emit(tokenizer, &(Piece){.size = 1, .symbol = tokenizer->unknown}, tokens,
                    fault);
}

/* encode_bpe with a piece per character. */
bool encode_characters(const Tokenizer *tokenizer, Text word, Scratch *scratch,
                       TokenList *tokens, Fault *fault) {
    int32_t whole = bpe_whole_word(tokenizer, word), n = 0;
    if (whole >= 0)
        return bpe_emit(tokenizer, &(Piece){.size = 1, .symbol = whole}, tokens, fault);
    if (!scratch_reserve(scratch, word.size, fault)) return false;
    for (size_t at = 0, size; at < word.size; at += size, n++) {
        utf8_decode(word.data + at, word.size - at, &size);
        int32_t symbol = vocab_find(tokenizer, (Text){word.data + at, size});
        scratch->pieces[n] = (Piece){word.data + at, (uint32_t)size, symbol, n - 1, n + 1};
    }
    scratch->pieces[n - 1].after = -1;
    merge_pieces(tokenizer, scratch, (size_t)n, merge_learned);
    for (int32_t i = 0; i < n; i++)
        if (scratch->pieces[i].size &&
            !emit_character(tokenizer, &scratch->pieces[i], tokens, fault))
            return false;
    return true;
}

bool encode_lines_whole(const Tokenizer *tokenizer, Text word, Scratch *scratch,
                        TokenList *tokens, Fault *fault) {
    int32_t id = word.data[0] == '\n' ? vocab_find(tokenizer, word) : -1;
    if (id < 0 || (size_t)id >= tokenizer->count)
        return encode_characters(tokenizer, word, scratch, tokens, fault);
    return bpe_emit(tokenizer, &(Piece){.size = 1, .symbol = id}, tokens, fault);
}

/* ------------------------------------------------------------------ whitespace */

bool encode_between_space(Encoder *encoder, Text text, TokenList *tokens, Fault *fault) {
    size_t taken, size = 0, max;
    if (!encoder_clean(encoder, &text, fault)) return false;
    max = 2 * text.size; /* lower-casing at most doubles the bytes */
    char *out = encoder_room(encoder, max, fault);
    if (!out) return false;
    for (size_t at = 0, from = 0;; at += taken) {
        uint32_t code =
            at < text.size ? utf8_decode(text.data + at, text.size - at, &taken) : ' ';
        if (at == text.size || unicode_is_space(code)) {
            Text word = {out + from, size - from};
            if (word.size && !encoder_word(encoder, word, encode_characters, tokens, fault))
                return false;
            if (at == text.size) break;
            from = size;
        } else if (kind_data(encoder->tokenizer)->lowercase && code != 0xFFFD) {
            size += utf8_encode(unicode_lower(code), out + size);
        } else {
            memcpy(out + size, text.data + at, taken), size += taken;
        }
    }
    encoder_trim(encoder, max - size);
    return true;
}
