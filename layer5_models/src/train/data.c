/* data.c - batches of whole documents.  A document of tokens c1 .. cL becomes L + 1 rows:
 *
 *     input    BOS  c1  c2 ... cL
 *     target   c1   c2  c3 ... EOS  */
#include "trainer.h"

/* Append a document, cut at ctx rows.  The last target is the next token of the document if it
 * was cut, else its end.  A text that cannot be encoded counts as empty and sets t->failed. */
static void add_document(Trainer *t, Text text) {
    TrainBatch *b = &t->batch;
    int32_t end = tokenizer_bos(t->tokenizer); /* BOS both begins and ends documents */
    t->tokens.count = 0;
    token_list_add(&t->tokens, end);
    if (!tokenizer_encode(t->tokenizer, text, true, &t->tokens, &t->fault)) t->failed = true;
    size_t rows = t->tokens.count < t->config.ctx ? t->tokens.count : t->config.ctx;
    for (size_t i = 0; i < rows; i++) {
        b->input[b->n + i] = t->tokens.ids[i];
        b->target[b->n + i] = i + 1 < t->tokens.count ? t->tokens.ids[i + 1] : end;
    }
    b->n += rows;
    b->start[++b->documents] = b->n;
}

void train_load_documents(Trainer *t, const Corpus *corpus, uint64_t *index,
                          size_t max_documents) {
    TrainBatch *b = &t->batch;
    b->n = b->documents = 0;
    b->start[0] = 0;
    b->nats = 0;
    while (b->n < t->config.batch_tokens && b->documents < max_documents &&
           b->documents < TRAIN_MAX_DOCUMENTS) {
        double nats;
        add_document(t, corpus_document(corpus, (*index)++, &t->scratch, &nats));
        b->nats += nats;
    }
}

void train_load_batch(Trainer *t, const Corpus *corpus, uint64_t *index, size_t max_documents) {
    uint64_t first = *index;
    train_load_documents(t, corpus, index, max_documents);
    for (size_t i = 0; i < t->batch.n; i++) t->batch.weight[i] = 1;
    if (t->config.hide) t->config.hide(t, first);
}
