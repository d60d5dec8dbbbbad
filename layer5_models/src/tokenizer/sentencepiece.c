/* sentencepiece.c - SentencePiece BPE: characters merged best score first, with bytes to fall
 * back on. */
#include "unicode.h"
#include "vocab.h"

#include <stdlib.h>
#include <string.h>

static bool scored_merge(const Tokenizer *tokenizer, const Piece *left, const Piece *right,
                         double *priority, int32_t *merged) {
    *merged = vocab_find(
        tokenizer, (Text){left->data, left->size + right->size}); /* they lie side by side */
    if (*merged < 0) return false;
    *priority = -(double)tokenizer->scores[*merged];
    return true;
}

/* Spaces become U+2581; one is put in front when the file says so. */
static Text escape_spaces(Text text, bool prefix) {
    char *out = malloc(3 * (text.size + 1)), *p = out;
    REQUIRE(out, "no memory for a text of %zu bytes", text.size);
    if (prefix) memcpy(p, "\xe2\x96\x81", 3), p += 3;
    for (size_t i = 0; i < text.size; i++) {
        if (text.data[i] == ' ')
            memcpy(p, "\xe2\x96\x81", 3), p += 3;
        else
            *p++ = text.data[i];
    }
    return (Text){out, (size_t)(p - out)};
}

static void emit(const Tokenizer *tokenizer, const Piece *piece, TokenList *tokens) {
    if (piece->symbol >= 0) {
        token_list_add(tokens, piece->symbol);
        return;
    }
    for (uint32_t i = 0; i < piece->size; i++) {
        int32_t id = tokenizer->byte_token[(unsigned char)piece->data[i]];
        token_list_add(tokens, id >= 0 ? id : tokenizer->unknown);
        if (id < 0) return; /* no byte tokens: one unknown for the piece */
    }
}

void encode_sentencepiece(const Tokenizer *tokenizer, Text text, bool at_start,
                          TokenList *tokens) {
    Text escaped = escape_spaces(text, at_start && tokenizer->add_space_prefix);
    Piece *pieces = malloc((escaped.size + 1) * sizeof *pieces);
    REQUIRE(pieces, "no memory for a text of %zu bytes", text.size);
    size_t n = 0;
    for (size_t at = 0; at < escaped.size; n++) {
        size_t size = utf8_length((unsigned char)escaped.data[at]);
        if (size > escaped.size - at) size = escaped.size - at;
        int32_t symbol = vocab_find(tokenizer, (Text){escaped.data + at, size});
        pieces[n] =
            (Piece){escaped.data + at, (uint32_t)size, symbol, (int32_t)n - 1, (int32_t)n + 1};
        at += size;
    }
    if (n) pieces[n - 1].after = -1;
    merge_pieces(tokenizer, pieces, n, scored_merge);
    for (size_t i = 0; i < n; i++)
        if (pieces[i].size) emit(tokenizer, &pieces[i], tokens);
    free(pieces);
    free((char *)escaped.data);
}
