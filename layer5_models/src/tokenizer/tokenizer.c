/* tokenizer.c - a tokenizer's use: special tokens, encoding, pieces.  See tokenizer.h. */
#include "vocab.h"

#include <stdlib.h>
#include <string.h>

void token_list_add(TokenList *list, int32_t id) {
    if (list->count == list->capacity) {
        size_t capacity = list->capacity ? 2 * list->capacity : 256;
        int32_t *grown = realloc(list->ids, capacity * sizeof *grown);
        REQUIRE(grown, "no memory for %zu tokens", capacity);
        list->ids = grown;
        list->capacity = capacity;
    }
    list->ids[list->count++] = id;
}

void token_list_free(TokenList *list) {
    free(list->ids);
    *list = (TokenList){0};
}

/* The special token whose name stands at the start of `text`; -1: none.  The list is longest
 * first. */
static int32_t special_at(const Tokenizer *tokenizer, Text text, bool special) {
    for (size_t i = 0; i < tokenizer->n_specials; i++) {
        int32_t id = tokenizer->specials[i];
        Text name = tokenizer->symbols[id];
        bool wanted = special || tokenizer->types[id] == TOKEN_USER;
        if (wanted && name.size <= text.size && memcmp(name.data, text.data, name.size) == 0)
            return id;
    }
    return -1;
}

static void encode_plain(const Tokenizer *tokenizer, Text text, bool at_start,
                         TokenList *tokens) {
    if (text.size == 0) return;
    if (tokenizer->sentencepiece)
        encode_sentencepiece(tokenizer, text, at_start, tokens);
    else
        encode_bpe(tokenizer, text, tokens);
}

void tokenizer_encode(const Tokenizer *tokenizer, Text text, bool special, TokenList *tokens) {
    bool at_start = true;
    size_t from = 0, at = 0;
    while (at < text.size) {
        int32_t id = special_at(tokenizer, (Text){text.data + at, text.size - at}, special);
        if (id < 0) {
            at++;
            continue;
        }
        encode_plain(tokenizer, (Text){text.data + from, at - from}, at_start, tokens);
        token_list_add(tokens, id);
        at_start = true;
        at = from = at + tokenizer->symbols[id].size;
    }
    encode_plain(tokenizer, (Text){text.data + from, at - from}, at_start, tokens);
}

void tokenizer_begin(const Tokenizer *tokenizer, TokenList *tokens) {
    if (tokenizer->add_bos && tokenizer->bos >= 0) token_list_add(tokens, tokenizer->bos);
}

Text tokenizer_piece(const Tokenizer *tokenizer, int32_t id, bool special) {
    REQUIRE(id >= 0 && (size_t)id < tokenizer->count, "token %d of %zu", id, tokenizer->count);
    unsigned char type = tokenizer->types[id];
    bool hidden = type == TOKEN_CONTROL || type == TOKEN_UNKNOWN || type == TOKEN_UNUSED;
    if (hidden && !special) return (Text){"", 0};
    return tokenizer
        ->symbols[tokenizer->sentencepiece ? (size_t)id + tokenizer->count : (size_t)id];
}

bool tokenizer_space_prefix(const Tokenizer *tokenizer) {
    return tokenizer->sentencepiece && tokenizer->add_space_prefix;
}
size_t tokenizer_count(const Tokenizer *tokenizer) { return tokenizer->count; }
int32_t tokenizer_bos(const Tokenizer *tokenizer) { return tokenizer->bos; }
bool tokenizer_is_end(const Tokenizer *tokenizer, int32_t id) { return tokenizer->is_end[id]; }

int32_t tokenizer_find(const Tokenizer *tokenizer, const char *name) {
    int32_t id = vocab_find(tokenizer, text_of(name));
    return id >= 0 && (size_t)id < tokenizer->count ? id : -1;
}
