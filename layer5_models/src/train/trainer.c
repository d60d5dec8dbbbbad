/* trainer.c - the training run: steps, evaluation, samples.  See train.h. */
#include "trainer.h"

#include <math.h>
#include <stdlib.h>

static bool check_config(const TrainConfig *c, const Tokenizer *tokenizer, Fault *fault) {
    const TrainShape *s = &c->shape;
    if (c->layers < 1 || c->layers > TRAIN_MAX_LAYERS)
        return fault_set(fault, "%zu layers: give 1 to %d", c->layers, TRAIN_MAX_LAYERS);
    if (s->kv_heads < 1 || s->heads % s->kv_heads)
        return fault_set(fault, "%zu heads do not divide among %zu key-value heads", s->heads,
                         s->kv_heads);
    if (s->head_dim % 2 || !s->head_dim || !s->dim || !s->hidden)
        return fault_set(fault, "head_dim %zu must be even, dim %zu and hidden %zu positive",
                         s->head_dim, s->dim, s->hidden);
    if (c->family && !c->family->check(c, fault)) return false;
    if (c->steps < 1 || c->batch_tokens < 1 || c->ctx < 2)
        return fault_set(fault, "steps, batch tokens and context must be positive");
    if (tokenizer_count(tokenizer) != c->vocab)
        return fault_set(fault, "the tokenizer has %zu tokens, the model %zu",
                         tokenizer_count(tokenizer), c->vocab);
    if (s->both_ways && tokenizer_mask(tokenizer) < 0)
        return fault_set(fault, "the tokenizer has no token for an open place");
    if (tokenizer_bos(tokenizer) < 0)
        return fault_set(fault, "the tokenizer has no token to begin documents with");
    return true;
}

Trainer *trainer_open(const TrainConfig *config, const Corpus *corpus,
                      const Tokenizer *tokenizer, const Gguf *vocab, Pool *pool, Fault *fault) {
    if (!check_config(config, tokenizer, fault)) return NULL;
    Trainer *t = calloc(1, sizeof *t);
    if (!t) {
        fault_set(fault, "no memory for a trainer");
        return NULL;
    }
    t->config = *config, t->corpus = corpus, t->tokenizer = tokenizer, t->vocab = vocab,
    t->pool = pool;
    if (config->family) t->config.shape.mixer = config->family->mixer;
    arena_measure(&t->arena);
    train_layout(t);
    if (!arena_init(&t->arena, t->arena.used, fault)) {
        free(t);
        return NULL;
    }
    train_layout(t);
    train_initialize(t);
    t->origin_hash = train_texts_hash(corpus, vocab);
    return t;
}

void trainer_close(Trainer *t) {
    if (!t) return;
    if (t->drop_lora) t->drop_lora(t->lora);
    arena_free(&t->arena);
    world_text_free(&t->scratch);
    token_list_free(&t->tokens);
    free(t);
}

/* The rate of a step (from 0): a straight rise, (step + 1) / warmup of learning_rate; then half a
 * cosine wave down, from learning_rate at step `warmup` to final_rate at step `steps`, where it
 * stays.  Loshchilov & Hutter 2016, arXiv:1608.03983. */
static double rate_at(const TrainConfig *c, size_t step) {
    if (step < c->warmup) return c->learning_rate * (double)(step + 1) / (double)c->warmup;
    double share = (double)(step - c->warmup) / fmax(1, (double)(c->steps - c->warmup));
    return c->final_rate + (c->learning_rate - c->final_rate) * 0.5 *
                               (1 + cos(3.14159265358979 * fmin(share, 1)));
}

TrainStep trainer_step(Trainer *t) {
    train_load_batch(t, t->corpus, &t->next_document, SIZE_MAX);
    TrainStep result = {.rate = rate_at(&t->config, t->step)};
    result.loss = train_forward(t, true) / (double)t->batch.n;
    train_backward(t);
    result.gradient_norm = train_update(t, result.rate);
    result.step = ++t->step;
    result.tokens = t->tokens_seen += t->batch.n;
    return result;
}

double trainer_gradients(Trainer *t, uint64_t first_document) {
    train_load_batch(t, t->corpus, &first_document, SIZE_MAX);
    double loss = train_forward(t, true) / (double)t->batch.n;
    train_backward(t);
    return loss;
}

float *trainer_parameters(Trainer *t) { return t->values; }
float *trainer_parameter_gradients(Trainer *t) { return t->gradients; }
size_t trainer_steps_done(const Trainer *t) { return t->step; }

bool trainer_ok(const Trainer *t, Fault *fault) {
    return !t->failed || fault_set(fault, "a text of the corpus: %s", t->fault.text);
}

/* Nobody knows the entropy of a part: NAN where a document may have been cut. */
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

static int32_t trainer_draw(const float *logits, size_t vocab, double temperature, double u) {
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

/* The whole text goes through the training pass again for each token: slow, and nothing new to
 * get wrong. */
void trainer_sample(Trainer *t, Text prompt, size_t max_tokens, double temperature,
                    uint64_t seed, WorldText *text) {
    TrainBatch *b = &t->batch;
    TokenList tokens = {0};
    REQUIRE(!t->config.shape.both_ways, "this model does not continue a text");
    token_list_add(&tokens, tokenizer_bos(t->tokenizer));
    if (!tokenizer_encode(t->tokenizer, prompt, true, &tokens, &t->fault)) t->failed = true;
    text->size = 0;
    world_text_append(text, prompt);
    for (size_t i = 0; i < max_tokens && tokens.count < t->config.ctx; i++) {
        b->n = tokens.count, b->documents = 1, b->start[0] = 0, b->start[1] = b->n;
        for (size_t k = 0; k < b->n; k++) b->input[k] = tokens.ids[k], b->target[k] = 0;
        train_forward(t, false);
        int32_t id = trainer_draw(t->logits + (b->n - 1) * t->config.vocab, t->config.vocab,
                                  temperature, rng_unit(seed, 0, i));
        if (id == tokenizer_bos(t->tokenizer)) break;
        token_list_add(&tokens, id);
        world_text_append(text, tokenizer_piece(t->tokenizer, id, true));
    }
    token_list_free(&tokens);
}
