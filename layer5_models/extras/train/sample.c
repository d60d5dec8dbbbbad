/* sample.c - held-out loss, and samples.  See train_runs.h. */
#include "train/trainer.h"
#include "train_runs.h"

#include <math.h>

/* A part of a document has no known entropy: NAN if one may have been cut. */
static double entropy_of(const Trainer *t) {
    const TrainBatch *b = &t->batch;
    for (size_t d = 0; d < b->documents; d++)
        if (b->start[d + 1] - b->start[d] == t->config.ctx) return (double)NAN;
    return b->nats;
}

void trainer_evaluate(Trainer *t, const Corpus *corpus, uint64_t first, size_t count,
                      double *loss, double *floor) {
    double total = 0, nats = 0, tokens = 0;
    for (uint64_t index = first; index < first + count;) {
        train_load_batch(t, corpus, &index, (size_t)(first + count - index));
        total += train_forward(t, false);
        nats += entropy_of(t);
        tokens += (double)t->batch.n;
    }
    *loss = total / tokens;
    *floor = nats / tokens;
}

static int32_t train_sample_draw(const float *logits, size_t vocab, double temperature,
                                 double u) {
    size_t best = 0;
    double sum = 0;
    for (size_t i = 1; i < vocab; i++) best = logits[i] > logits[best] ? i : best;
    if (temperature <= 0) return (int32_t)best;
    for (size_t i = 0; i < vocab; i++)
        sum += exp((double)(logits[i] - logits[best]) / temperature);
    u *= sum;
    for (size_t i = 0; i < vocab; i++)
        if ((u -= exp((double)(logits[i] - logits[best]) / temperature)) < 0) return (int32_t)i;
    return (int32_t)best;
}

/* The whole text is evaluated again for each token: slow, but no new code to get wrong. */
void trainer_sample(Trainer *t, Text prompt, size_t max_tokens, double temperature,
                    uint64_t seed, WorldText *text) {
    TrainBatch *b = &t->batch;
    TokenList tokens = {0};
    REQUIRE(!t->config.shape.bidirectional, "this model does not continue a text");
    token_list_add(&tokens, tokenizer_bos(t->tokenizer));
    if (!tokenizer_encode(t->tokenizer, prompt, true, &tokens, &t->fault)) t->failed = true;
    text->size = 0;
    world_text_append(text, prompt);
    for (size_t i = 0; i < max_tokens && tokens.count < t->config.ctx; i++) {
        b->n = tokens.count, b->documents = 1, b->start[0] = 0, b->start[1] = b->n;
        for (size_t k = 0; k < b->n; k++) b->input[k] = tokens.ids[k], b->target[k] = 0;
        train_forward(t, false);
        int32_t id = train_sample_draw(t->logits + (b->n - 1) * t->config.vocab,
                                       t->config.vocab, temperature, rng_unit(seed, 0, i));
        if (id == tokenizer_bos(t->tokenizer)) break;
        token_list_add(&tokens, id);
        world_text_append(text, tokenizer_piece(t->tokenizer, id, true));
    }
    token_list_free(&tokens);
}
