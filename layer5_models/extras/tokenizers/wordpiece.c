/* wordpiece.c - WordPiece: normalize and split into words, then longest tokens from the left.
 *
 * A token that begins a word has U+2581 in front, one that continues it nothing (BERT's files:
 * "##"). If a part of a word has no token, or the word is too long, the whole word is unknown.
 * Source   Devlin et al. 2018, arXiv:1810.04805; its tokenization.py; llama.cpp (d8a24cc),
 *          llm_tokenizer_wpm_session. */
#include "kind_data.h"
#include "tokenizers.h"
#include "unicode.h"
#include "unicode_case.h"

#include <string.h>

bool encode_pieces(const Tokenizer *tokenizer, Text word, Scratch *scratch, TokenList *tokens,
                   Fault *fault) {
    size_t first = tokens->count, size;
    (void)scratch;
    for (; word.size; word = (Text){word.data + size, word.size - size}) {
        int32_t id = prefix_tree_longest(&kind_data(tokenizer)->words, word, &size);
        if (!token_list_reserve(tokens, 1, fault)) return false;
        if (id < 0) {
            tokens->count = first;
            if (tokenizer->unknown < 0)
                return fault_set(fault, "the vocabulary has no token for a word, and none that "
                                        "is unknown");
            token_list_add(tokens, tokenizer->unknown);
            return true;
        }
        token_list_add(tokens, id);
    }
    return true;
}

static bool is_ideograph(uint32_t code) {
    return (code >= 0x4E00 && code <= 0x9FFF) || (code >= 0x3400 && code <= 0x4DBF) ||
           (code >= 0x20000 && code <= 0x2A6DF) || (code >= 0x2A700 && code <= 0x2B73F) ||
           (code >= 0x2B740 && code <= 0x2B81F) || (code >= 0x2B920 && code <= 0x2CEAF) ||
           (code >= 0xF900 && code <= 0xFAFF) || (code >= 0x2F800 && code <= 0x2FA1F);
}

/* Is the character a word by itself? */
static bool stands_alone(uint32_t code) {
    UnicodeCategory category = unicode_category(code);
    return category == UNICODE_PUNCTUATION || (category == UNICODE_SYMBOL && code < 0x7F) ||
           is_ideograph(code);
}

/* Control characters; accents if they are stripped. */
static bool is_dropped(const Tokenizer *t, uint32_t code) {
    UnicodeCategory category = unicode_category(code);
    return code == 0 || code == 0xFFFD || category == UNICODE_CONTROL ||
           (kind_data(t)->strip_accents && category == UNICODE_MARK);
}

/* With U+2581 in front. */
static bool is_overlong(const Tokenizer *t, Text word) {
    size_t characters = 0;
    for (size_t i = 3; i < word.size; i++) characters += (word.data[i] & 0xC0) != 0x80;
    return !t->as_llama && t->unknown >= 0 && characters > WORDPIECE_LONGEST;
}

static bool end_word(Encoder *encoder, char *start, char *end, TokenList *tokens,
                     Fault *fault) {
    const Tokenizer *t = encoder->tokenizer;
    Text word = {start, (size_t)(end - start)};
    if (word.size == 3) return true;
    if (!is_overlong(t, word)) return encoder_word(encoder, word, encode_pieces, tokens, fault);
    if (!token_list_reserve(tokens, 1, fault)) return false;
    token_list_add(tokens, t->unknown);
    encoder_report(encoder, word, tokens, tokens->count - 1);
    return true;
}

/* The words are written one after the other, each with U+2581 in front. */
bool encode_wordpiece(Encoder *encoder, Text text, TokenList *tokens, Fault *fault) {
    const Tokenizer *t = encoder->tokenizer;
    if (!encoder_clean(encoder, &text, fault)) return false;
    size_t most = 7 * text.size + 3, taken; /* a 1-byte character may be a word by itself */
    char *out = encoder_room(encoder, most, fault), *start = out, *end = out;
    if (!out) return false;
    for (size_t at = 0; at <= text.size; at += taken) {
        uint32_t code = ' ';
        taken = 1;
        if (end == start) memcpy(end, "\xE2\x96\x81", 3), end += 3;
        if (at < text.size) code = utf8_decode(text.data + at, text.size - at, &taken);
        bool space = unicode_is_space(code);
        if (kind_data(t)->strip_accents) code = unicode_base(code);
        if (!space && is_dropped(t, code)) continue;
        bool alone = !space && stands_alone(code);
        if (kind_data(t)->lowercase) code = unicode_lower(code);
        if (space || alone) {
            if (!end_word(encoder, start, end, tokens, fault)) return false;
            if (end - start > 3) start = end, memcpy(end, "\xE2\x96\x81", 3), end += 3;
        }
        if (!space) end += utf8_encode(code, end);
        if (alone) {
            if (!end_word(encoder, start, end, tokens, fault)) return false;
            start = end;
        }
    }
    encoder_trim(encoder, most - (size_t)(end - out));
    return true;
}
