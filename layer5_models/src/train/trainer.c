/* trainer.c - the training run: steps, evaluation, samples, checkpoints, export.  See
 * train.h. */
#include "trainer.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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
    if (c->steps < 1 || c->batch_tokens < 1 || c->ctx < 2)
        return fault_set(fault, "steps, batch tokens and context must be positive");
    if (tokenizer_count(tokenizer) != c->vocab)
        return fault_set(fault, "the tokenizer has %zu tokens, the model %zu",
                         tokenizer_count(tokenizer), c->vocab);
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
    arena_free(&t->arena);
    world_text_free(&t->scratch);
    token_list_free(&t->tokens);
    free(t);
}

bool trainer_begin_from(Trainer *t, const Gguf *gguf, Fault *fault) {
    for (size_t i = 0; i < t->n_parameters; i++) {
        const Parameter *p = &t->parameters[i];
        const GgufTensor *found = gguf_find_tensor(gguf, p->name);
        if (!found)
            return fault_set(fault, "the model to begin from has no tensor '%s'", p->name);
        size_t rows = found->ndim == 1 ? 1 : found->shape[0],
               cols = found->shape[found->ndim - 1];
        if (found->ndim > 2 || rows != p->rows || cols != p->cols ||
            !dtype_is_computable(found->dtype))
            return fault_set(
                fault, "the model to begin from has '%s' as %zu x %zu (%s), wanted %zu x %zu",
                p->name, rows, cols, dtype_name(found->dtype), p->rows, p->cols);
        size_t bytes = dtype_row_bytes((Dtype)found->dtype, cols);
        for (size_t r = 0; r < rows; r++)
            dequantize_row((Dtype)found->dtype, found->data + r * bytes,
                           t->values + p->offset + r * cols, cols);
    }
    return true;
}

/* A straight rise, then half a cosine wave down.  Loshchilov & Hutter 2016,
 * arXiv:1608.03983. */
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

void trainer_evaluate(Trainer *t, const Corpus *corpus, uint64_t first, size_t count,
                      double *loss, double *floor) {
    double total = 0, nats = 0, tokens = 0;
    for (uint64_t index = first; index < first + count;) {
        train_load_batch(t, corpus, &index, (size_t)(first + count - index));
        total += train_forward(t, false);
        nats += t->batch.nats;
        tokens += (double)t->batch.n;
    }
    *loss = total / tokens;
    *floor = nats / tokens;
}

static int32_t draw(const float *logits, size_t vocab, double temperature, double u) {
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
void trainer_sample(Trainer *t, Text prompt, size_t most, double temperature, uint64_t seed,
                    WorldText *text) {
    TrainBatch *b = &t->batch;
    TokenList tokens = {0};
    token_list_add(&tokens, tokenizer_bos(t->tokenizer));
    if (!tokenizer_encode(t->tokenizer, prompt, true, &tokens, &t->fault)) t->failed = true;
    text->size = 0;
    world_text_append(text, prompt);
    for (size_t i = 0; i < most && tokens.count < t->config.ctx; i++) {
        b->n = tokens.count, b->documents = 1, b->start[0] = 0, b->start[1] = b->n;
        for (size_t k = 0; k < b->n; k++) b->input[k] = tokens.ids[k], b->target[k] = 0;
        train_forward(t, false);
        int32_t id = draw(t->logits + (b->n - 1) * t->config.vocab, t->config.vocab,
                          temperature, rng_unit(seed, 0, i));
        if (id == tokenizer_bos(t->tokenizer)) break;
        token_list_add(&tokens, id);
        world_text_append(text, tokenizer_piece(t->tokenizer, id, true));
    }
    token_list_free(&tokens);
}

/* ------------------------------------------------------------------ checkpoints */

static const char magic[8] = "STRATA1";

typedef struct CheckpointHead {
    char magic[8];
    uint64_t size, step, tokens_seen, next_document, config_hash;
} CheckpointHead;

/* What must be the same for a run to be the same run. */
static uint64_t config_hash(const TrainConfig *c) {
    const uint64_t numbers[] = {c->shape.dim,
                                c->shape.hidden,
                                c->shape.heads,
                                c->shape.kv_heads,
                                c->shape.head_dim,
                                c->layers,
                                c->vocab,
                                c->ctx,
                                c->seed,
                                c->steps,
                                c->warmup,
                                c->batch_tokens,
                                (uint64_t)(c->learning_rate * 1e9),
                                (uint64_t)(c->final_rate * 1e9),
                                (uint64_t)(c->weight_decay * 1e9),
                                (uint64_t)(c->clip * 1e9),
                                (uint64_t)(c->momentum * 1e9),
                                (uint64_t)(c->beta1 * 1e9),
                                (uint64_t)(c->beta2 * 1e9)};
    uint64_t hash = 0;
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        hash = rng_hash(hash, numbers[i], i);
    return hash;
}

bool trainer_save(const Trainer *t, const char *path, Fault *fault) {
    CheckpointHead head = {
        {0}, t->size, t->step, t->tokens_seen, t->next_document, config_hash(&t->config)};
    memcpy(head.magic, magic, sizeof magic);
    size_t part = t->size * sizeof(float);
    char *bytes = malloc(sizeof head + 3 * part);
    if (!bytes) return fault_set(fault, "no memory for a checkpoint");
    memcpy(bytes, &head, sizeof head);
    memcpy(bytes + sizeof head, t->values, part);
    memcpy(bytes + sizeof head + part, t->moment1, part);
    memcpy(bytes + sizeof head + 2 * part, t->moment2, part);
    bool ok = file_write(path, bytes, sizeof head + 3 * part, fault);
    free(bytes);
    return ok;
}

bool trainer_load(Trainer *t, const char *path, Fault *fault) {
    FileMap map;
    CheckpointHead head;
    size_t part = t->size * sizeof(float);
    if (!file_open(&map, path, fault)) return false;
    bool ok = map.size >= sizeof head;
    if (ok) memcpy(&head, map.data, sizeof head);
    ok = ok && memcmp(head.magic, magic, sizeof magic) == 0 && head.size == t->size &&
         map.size == sizeof head + 3 * part;
    if (!ok)
        fault_set(
            fault,
            "%s is not a checkpoint of this model: give the options the run was started with",
            path);
    if (ok && head.config_hash != config_hash(&t->config))
        ok = fault_set(
            fault, "%s was written with other options: a resumed run must have the same ones",
            path);
    if (ok) {
        memcpy(t->values, map.data + sizeof head, part);
        memcpy(t->moment1, map.data + sizeof head + part, part);
        memcpy(t->moment2, map.data + sizeof head + 2 * part, part);
        t->step = head.step, t->tokens_seen = head.tokens_seen,
        t->next_document = head.next_document;
    }
    file_close(&map);
    return ok;
}

/* ------------------------------------------------------------------ export */

static void put_metadata(GgufWriter *out, const TrainConfig *c, const char *name, Dtype dtype) {
    const struct {
        const char *key;
        size_t value;
    } numbers[] = {
        {"llama.context_length", c->ctx},
        {"llama.embedding_length", c->shape.dim},
        {"llama.block_count", c->layers},
        {"llama.feed_forward_length", c->shape.hidden},
        {"llama.attention.head_count", c->shape.heads},
        {"llama.attention.head_count_kv", c->shape.kv_heads},
        {"llama.attention.key_length", c->shape.head_dim},
        {"llama.attention.value_length", c->shape.head_dim},
        {"llama.rope.dimension_count", c->shape.head_dim},
        {"llama.vocab_size", c->vocab},
        {"general.file_type", dtype == DTYPE_F16 ? 1 : 0},
    };
    gguf_put_string(out, "general.architecture", text_of("llama"));
    gguf_put_string(out, "general.name", text_of(name));
    gguf_put_string(out, "general.license", text_of("mit"));
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        gguf_put_int(out, numbers[i].key, GGUF_U32, (int64_t)numbers[i].value);
    gguf_put_float(out, "llama.attention.layer_norm_rms_epsilon", GGUF_F32,
                   (double)c->shape.eps);
    gguf_put_float(out, "llama.rope.freq_base", GGUF_F32, c->rope_theta);
}

static bool put_parameter(GgufWriter *out, const Trainer *t, const Parameter *p, Dtype dtype,
                          Fault *fault) {
    Dtype stored = p->rows == 1 ? DTYPE_F32 : dtype;
    size_t row = dtype_row_bytes(stored, p->cols);
    char *bytes = malloc(p->rows * row);
    if (!bytes) return fault_set(fault, "no memory to export '%s'", p->name);
    for (size_t i = 0; i < p->rows; i++)
        quantize_row(stored, t->values + p->offset + i * p->cols, NULL, bytes + i * row,
                     p->cols);
    const size_t shape[2] = {p->rows, p->cols};
    Tensor view = p->rows == 1 ? tensor_view(stored, 1, shape + 1, bytes)
                               : tensor_view(stored, 2, shape, bytes);
    gguf_put_tensor(out, p->name, &view);
    free(bytes);
    return true;
}

bool trainer_export(const Trainer *t, const char *name, Dtype dtype, const char *path,
                    Fault *fault) {
    GgufWriter *out = gguf_writer_open(fault);
    if (!out) return false;
    put_metadata(out, &t->config, name, dtype);
    for (size_t i = 0; i < t->vocab->n_pairs; i++) {
        Text key = t->vocab->pairs[i].key;
        if (key.size > 10 && memcmp(key.data, "tokenizer.", 10) == 0)
            gguf_put_pair(out, &t->vocab->pairs[i]);
    }
    bool ok = true;
    for (size_t i = 0; ok && i < t->n_parameters; i++)
        ok = put_parameter(out, t, &t->parameters[i], dtype, fault);
    ok = ok && gguf_write_file(out, path, fault);
    gguf_writer_close(out);
    return ok;
}
