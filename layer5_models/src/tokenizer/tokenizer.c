/* tokenizer.c - using a tokenizer: special tokens, encoding, pieces.  See tokenizer.h. */
#include "tokenizer_kinds.h"

#include <stdlib.h>
#include <string.h>

bool token_list_reserve(TokenList *list, size_t more, Fault *fault) {
    size_t need = list->count + more;
    return GROW(list->ids, list->capacity, need) ||
           fault_set(fault, "no memory for %zu tokens", need);
}

void token_list_add(TokenList *list, int32_t id) {
    NEED_MEMORY(GROW(list->ids, list->capacity, list->count + 1), "%zu tokens",
                list->count + 1);
    list->ids[list->count++] = id;
}

void token_list_free(TokenList *list) {
    free(list->ids);
    *list = (TokenList){0};
}

static bool is_white(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

static bool encode_plain(Encoder *encoder, Text text, TokenList *tokens, Fault *fault) {
    const Tokenizer *t = encoder->tokenizer;
    if (text.size == 0) return true;
    return (!t->form || t->form->rewrite(t->form, encoder, &text, fault)) &&
           t->kind->encode(encoder, text, tokens, fault);
}

/* The special token at the start of a text, or -1.  A control token only if a user wrote none
 * of its bytes. */
static int32_t special_here(const Tokenizer *t, Text text, const unsigned char *user,
                            bool control) {
    if (!t->special_begins[(unsigned char)text.data[0]]) return -1;
    const unsigned char *theirs = user ? memchr(user, 1, text.size) : NULL;
    if (!control || !theirs) return special_at(t, text, control);
    size_t ours = (size_t)(theirs - user);
    int32_t plain = special_at(t, text, false);
    int32_t marked = ours ? special_at(t, (Text){text.data, ours}, true) : -1;
    return marked >= 0 && (plain < 0 || t->symbols[marked].size > t->symbols[plain].size)
               ? marked
               : plain;
}

static bool encode_parts(Encoder *encoder, const Tokenizer *t, Text text,
                         const unsigned char *user, bool special, TokenList *tokens,
                         Fault *fault) {
    size_t from = 0, at = 0;
    while (at < text.size) {
        int32_t id = special_here(t, (Text){text.data + at, text.size - at},
                                  user ? user + at : NULL, special);
        if (id < 0) {
            at++;
            continue;
        }
        if (!encode_plain(encoder, (Text){text.data + from, at - from}, tokens, fault) ||
            !token_list_reserve(tokens, 1, fault))
            return false;
        token_list_add(tokens, id);
        if (encoder->report) encoder->report->special(encoder, id);
        at += t->symbols[id].size;
        while (t->eats_space && t->eats_space[id] && at < text.size && is_white(text.data[at]))
            at++;
        from = at;
    }
    return encode_plain(encoder, (Text){text.data + from, at - from}, tokens, fault);
}

bool encoder_run(const Tokenizer *tokenizer, Text text, const unsigned char *user, bool special,
                 const EncodeReport *report, TokenList *tokens, Fault *fault) {
    size_t before = tokens->count;
    Encoder *encoder = encoder_open(tokenizer, text.size, fault);
    if (encoder) encoder->report = report;
    bool ok = encoder && encode_parts(encoder, tokenizer, text, user, special, tokens, fault);
    encoder_close(encoder);
    if (!ok) tokens->count = before;
    return ok;
}

bool tokenizer_encode(const Tokenizer *tokenizer, Text text, bool special, TokenList *tokens,
                      Fault *fault) {
    return encoder_run(tokenizer, text, NULL, special, NULL, tokens, fault);
}

bool tokenizer_encode_marked(const Tokenizer *tokenizer, Text text, const unsigned char *user,
                             TokenList *tokens, Fault *fault) {
    return encoder_run(tokenizer, text, user, true, NULL, tokens, fault);
}

void tokenizer_begin(const Tokenizer *tokenizer, TokenList *tokens) {
    if (tokenizer->add_bos && tokenizer->bos >= 0) token_list_add(tokens, tokenizer->bos);
}

void tokenizer_end(const Tokenizer *tokenizer, TokenList *tokens) {
    if (tokenizer->ending >= 0) token_list_add(tokens, tokenizer->ending);
}

Text tokenizer_piece(const Tokenizer *tokenizer, int32_t id, bool special) {
    REQUIRE(id >= 0, "token %d of %zu", id, tokenizer->count);
    if ((size_t)id >= tokenizer->count) return (Text){"", 0}; /* an image patch */
    unsigned char type = tokenizer->types[id];
    bool hidden = type == TOKEN_CONTROL || type == TOKEN_UNKNOWN || type == TOKEN_UNUSED;
    return hidden && !special ? (Text){"", 0} : tokenizer->pieces[id];
}

bool tokenizer_space_prefix(const Tokenizer *tokenizer) { return tokenizer->add_space_prefix; }
size_t tokenizer_count(const Tokenizer *tokenizer) { return tokenizer->count; }
int32_t tokenizer_bos(const Tokenizer *tokenizer) { return tokenizer->bos; }
int32_t tokenizer_eos(const Tokenizer *tokenizer) { return tokenizer->eos; }
int32_t tokenizer_mask(const Tokenizer *tokenizer) { return tokenizer->mask; }
bool tokenizer_is_end(const Tokenizer *tokenizer, int32_t id) { return tokenizer->is_end[id]; }

int32_t tokenizer_find(const Tokenizer *tokenizer, const char *name) {
    int32_t id = vocab_find(tokenizer, text_of(name));
    return id >= 0 && (size_t)id < tokenizer->count ? id : -1;
}
