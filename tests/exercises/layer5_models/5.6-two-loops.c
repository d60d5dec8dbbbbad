/* right: inputs and targets in loops of their own, from the list of tokens with its end */
static void add_document(Trainer *t, Text text) {
    int32_t end = tokenizer_bos(t->tokenizer);
    t->tokens.count = 0;
    token_list_add(&t->tokens, end);
    if (!tokenizer_encode(t->tokenizer, text, true, &t->tokens, &t->fault)) t->failed = true;
    token_list_add(&t->tokens, end);
    size_t rows = t->tokens.count - 1, first = t->batch.n;
    if (rows > t->config.ctx) rows = t->config.ctx;
    for (size_t i = 0; i < rows; i++) t->batch.input[first + i] = t->tokens.ids[i];
    for (size_t i = 0; i < rows; i++) t->batch.target[first + i] = t->tokens.ids[i + 1];
    t->batch.documents++;
    t->batch.start[t->batch.documents] = t->batch.n = first + rows;
}
