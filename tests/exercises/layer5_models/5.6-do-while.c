/* right: a batch is cleared in whole, and documents are counted in a loop that asks at its end */
void train_load_documents(Trainer *t, const Corpus *corpus, uint64_t *index,
                          size_t max_documents) {
    t->batch = (TrainBatch){.input = t->batch.input,
                            .target = t->batch.target,
                            .weight = t->batch.weight,
                            .start = t->batch.start};
    t->batch.start[0] = 0;
    bool more = max_documents > 0;
    while (more) {
        double nats = 0;
        Text text = corpus_document(corpus, *index, &t->scratch, &nats);
        *index += 1;
        add_document(t, text);
        t->batch.nats = t->batch.nats + nats;
        more = t->batch.n < t->config.batch_tokens && t->batch.documents < max_documents &&
               t->batch.documents < TRAIN_MAX_DOCUMENTS;
    }
}
