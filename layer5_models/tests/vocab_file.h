/* vocab_file.h - small vocabularies of the kind gpt2, for tests. */
#ifndef STRATA_VOCAB_FILE_H
#define STRATA_VOCAB_FILE_H

#include "open_vocab.h"
#include "unicode.h"
#include "../src/vocab/vocab.h"

typedef struct Extra {
    const char *name;
    int type;
} Extra;

/* A gpt2 vocabulary: the 256 bytes, then `extras`; no pre when NULL. */
static inline GgufWriter *bpe_file(const char *pre, const Extra *extras, size_t n,
                                   const Text *merges, size_t n_merges) {
    static char names[256][4];
    Text *tokens = calloc(256 + n, sizeof *tokens);
    int64_t *types = calloc(256 + n, sizeof *types);
    for (size_t b = 0; b < 256; b++) {
        tokens[b] = (Text){names[b], utf8_encode(byte_to_visible((unsigned char)b), names[b])};
        types[b] = TOKEN_NORMAL;
    }
    for (size_t i = 0; i < n; i++)
        tokens[256 + i] = text_of(extras[i].name), types[256 + i] = extras[i].type;
    GgufWriter *w = gguf_writer_open(NULL);
    gguf_put_string(w, "tokenizer.ggml.model", text_of("gpt2"));
    if (pre) gguf_put_string(w, "tokenizer.ggml.pre", text_of(pre));
    gguf_put_strings(w, "tokenizer.ggml.tokens", tokens, 256 + n);
    gguf_put_ints(w, "tokenizer.ggml.token_type", GGUF_I32, types, 256 + n);
    gguf_put_strings(w, "tokenizer.ggml.merges", merges, n_merges);
    free(tokens), free(types);
    return w;
}

/* token names joined by | */
static inline void check_tokens(const Tokenizer *t, const char *text, bool special,
                                const char *want) {
    TokenList list = {0};
    Fault fault;
    char got[400] = "";
    if (!tokenizer_encode(t, text_of(text), special, &list, &fault)) fail_msg("%s", fault.text);
    for (size_t i = 0; i < list.count; i++) {
        Text piece = tokenizer_piece(t, list.ids[i], true);
        strcat(got, i ? "|" : "");
        strncat(got, piece.data, piece.size);
    }
    assert_string_equal(got, want);
    token_list_free(&list);
}

#endif
