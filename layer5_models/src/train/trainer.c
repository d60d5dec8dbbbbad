/* trainer.c - the training run.  See train.h. */
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
    if (c->steps < 1 || c->batch_tokens < 1 || c->ctx < 2 || !(c->beta1 > 0 && c->beta2 > 0))
        return fault_set(fault, "steps, batch tokens, context and betas must be positive");
    if (tokenizer_count(tokenizer) != c->vocab)
        return fault_set(fault, "the tokenizer has %zu tokens, the model %zu",
                         tokenizer_count(tokenizer), c->vocab);
    if (s->bidirectional && tokenizer_mask(tokenizer) < 0)
        return fault_set(fault, "the tokenizer has no mask token");
    if (tokenizer_bos(tokenizer) < 0) return fault_set(fault, "the tokenizer has no BOS token");
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

/* Linear warmup, (step + 1) / warmup of learning_rate; then a half cosine from learning_rate at
 * step `warmup` down to final_rate at step `steps`, where it stays.
 * Source   Loshchilov & Hutter 2016, arXiv:1608.03983 */
static double rate_at(const TrainConfig *c, size_t step) {
    if (step < c->warmup) return c->learning_rate * (double)(step + 1) / (double)c->warmup;
    double share = (double)(step - c->warmup) / fmax(1, (double)(c->steps - c->warmup)), cosine,
           sine;
    real_turn(3.14159265358979 * fmin(share, 1), &cosine, &sine);
    return c->final_rate + (c->learning_rate - c->final_rate) * 0.5 * (1 + cosine);
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

size_t trainer_steps_done(const Trainer *t) { return t->step; }

bool trainer_ok(const Trainer *t, Fault *fault) {
    return !t->failed || fault_set(fault, "a text of the corpus: %s", t->fault.text);
}
