/* cut.c - documents that are longer than a model reads at once.  See corpus_cut in
 * train_runs.h.
 *
 *     a document   |------------------------------------|
 *     pieces       |-----------=====
 *                              |-----------=====
 *                                          |------------|
 *
 * A piece overlaps the next one (=====) until it has more tokens than are read: so its last
 * token has a target, and an end is learned only where a document ends. */
#include "train_runs.h"

#include <stdlib.h>

typedef struct Cutter {
    const Tokenizer *tokenizer;
    size_t most; /* tokens of a piece, with BOS */
    TokenList tokens;
    Text *pieces;
    size_t count, room;
    Fault *fault;
} Cutter;

static bool cut_add_piece(Cutter *c, Text piece) {
    if (!GROW(c->pieces, c->room, c->count + 1))
        return fault_set(c->fault, "no memory for %zu documents", c->count + 1);
    c->pieces[c->count++] = piece;
    return true;
}

/* Do the first `size` bytes, with BOS, fit?  *tokens: how many they are. */
static bool cut_fits(Cutter *c, Text rest, size_t size, size_t *tokens, bool *fit) {
    c->tokens.count = 0;
    if (!tokenizer_encode(c->tokenizer, (Text){rest.data, size}, true, &c->tokens, c->fault))
        return false;
    *tokens = c->tokens.count + 1;
    *fit = *tokens <= c->most;
    return true;
}

/* The largest size below rest.size that ends before a space, or at least between characters. */
static size_t whole_words(Text rest, size_t size) {
    for (size_t i = size; i > size / 2; i--)
        if (rest.data[i] == ' ' || rest.data[i] == '\n') return i;
    while (size > 1 && ((unsigned char)rest.data[size] & 0xC0) == 0x80) size--;
    return size > 0 ? size : 1;
}

/* The first piece of a text: its bytes, and how many of them precede the next piece. */
static bool first_piece(Cutter *c, Text rest, size_t *bytes, size_t *before) {
    size_t tokens, size = min_size(rest.size, 4 * c->most);
    bool fit;
    if (!cut_fits(c, rest, size, &tokens, &fit)) return false;
    while (fit && size < rest.size) {
        size = min_size(rest.size, 2 * size);
        if (!cut_fits(c, rest, size, &tokens, &fit)) return false;
    }
    *bytes = *before = size;
    while (!fit && *before > 1) {
        double share = (double)c->most / (double)tokens;
        *bytes = *before;
        *before = whole_words(rest, (size_t)((double)*before * share));
        if (!cut_fits(c, rest, *before, &tokens, &fit)) return false;
    }
    return true;
}

static bool cut_one(Cutter *c, Text document) {
    size_t bytes, before;
    for (; document.size; document.data += before, document.size -= before)
        if (!first_piece(c, document, &bytes, &before) ||
            !cut_add_piece(c, (Text){document.data, bytes}))
            return false;
    return true;
}

bool corpus_cut(Corpus *corpus, const Tokenizer *tokenizer, size_t ctx, size_t *cut,
                Fault *fault) {
    Cutter c = {.tokenizer = tokenizer, .most = ctx, .fault = fault};
    bool ok = true;
    *cut = 0;
    for (size_t i = 0; i < corpus->count && ok; i++) {
        size_t before = c.count;
        ok = cut_one(&c, corpus->documents[i]);
        *cut += c.count > before + 1;
    }
    token_list_free(&c.tokens);
    if (!ok || !c.count) return free(c.pieces), ok;
    free(corpus->documents);
    corpus->documents = c.pieces, corpus->count = c.count;
    return true;
}
