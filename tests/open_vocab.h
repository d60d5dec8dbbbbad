/* open_vocab.h - the tokenizer of a file that is being written, for tests. */
#ifndef STRATA_OPEN_VOCAB_H
#define STRATA_OPEN_VOCAB_H

#include "check.h"
#include "models.h"

/* NULL with a fault. */
static inline Tokenizer *open_file(GgufWriter *w, Fault *fault) {
    unsigned char *bytes;
    size_t size;
    Gguf gguf;
    assert_true(gguf_write_memory(w, &bytes, &size, fault));
    gguf_writer_close(w);
    assert_true(gguf_parse(&gguf, bytes, size, fault));
    Tokenizer *t = tokenizer_open(&gguf, fault);
    gguf_free(&gguf);
    free(bytes);
    return t;
}

static inline Tokenizer *opened(GgufWriter *w) {
    Fault fault;
    Tokenizer *t = open_file(w, &fault);
    if (!t) fail_msg("%s", fault.text);
    return t;
}

/* A vocabulary of so many words, without merges. */
static inline GgufWriter *words_file(const char *kind, const Text *words, size_t count) {
    GgufWriter *w = gguf_writer_open(NULL);
    gguf_put_string(w, "tokenizer.ggml.model", text_of(kind));
    gguf_put_strings(w, "tokenizer.ggml.tokens", words, count);
    gguf_put_strings(w, "tokenizer.ggml.merges", NULL, 0);
    return w;
}

#endif
