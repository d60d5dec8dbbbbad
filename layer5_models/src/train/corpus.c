/* corpus.c - documents, and a vocabulary learned from them.  See train.h. */
#include "train.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

void corpus_close(Corpus *corpus) {
    free(corpus->documents);
    file_close(&corpus->file);
    *corpus = (Corpus){0};
}

Text corpus_document(const Corpus *corpus, uint64_t index, WorldText *scratch, double *nats) {
    *nats = (double)NAN;
    if (!corpus->world) return corpus->documents[index % corpus->count];
    world_write(corpus->world, "document", corpus->seed, index, scratch);
    *nats = scratch->nats;
    return (Text){scratch->bytes, scratch->size};
}

enum { VOCAB_DOCUMENTS = 20000 };

static bool copy_documents(const Corpus *corpus, Text *texts, size_t n) {
    WorldText scratch = {0};
    double nats;
    bool ok = true;
    for (size_t i = 0; ok && i < n; i++) {
        Text text = corpus_document(corpus, i, &scratch, &nats);
        char *copy = malloc(text.size + 1);
        if ((ok = copy != NULL)) memcpy(copy, text.data, text.size);
        texts[i] = (Text){copy, text.size};
    }
    world_text_free(&scratch);
    return ok;
}

bool corpus_learn_vocab(const Corpus *corpus, size_t tokens, bool mask, unsigned char **bytes,
                        Gguf *vocab, Fault *fault) {
    enum { MASK = 3 };
    static const char *const specials[] = {"<|endoftext|>", "<|im_start|>",
                                           "<|im_end|>", [MASK] = "<|mask|>"};
    size_t n = corpus->world ? VOCAB_DOCUMENTS : min_size(corpus->count, VOCAB_DOCUMENTS), size;
    Text *texts = calloc(n, sizeof *texts);
    GgufWriter *writer = gguf_writer_open(fault);
    bool ok = writer != NULL;
    if (ok && (!texts || !copy_documents(corpus, texts, n)))
        ok = fault_set(fault, "no memory for %zu documents", n);
    ok = ok && bpe_train(texts, n, specials, mask ? 4 : 3, tokens, writer, fault);
    if (ok && mask) gguf_put_int(writer, "tokenizer.ggml.mask_token_id", GGUF_U32, MASK);
    ok = ok && gguf_write_memory(writer, bytes, &size, fault) &&
         gguf_parse(vocab, *bytes, size, fault);
    for (size_t i = 0; texts && i < n; i++) free((char *)texts[i].data);
    free(texts);
    if (writer) gguf_writer_close(writer);
    return ok;
}
