/* trainees.h - two trainers of one shape: one for the work, one for the library. */
#ifndef STRATA_TRAINEES_H
#define STRATA_TRAINEES_H

#include "grader.h"
#include "../src/train/trainer.h"

static World *world;
static Tokenizer *tokenizer;
static Gguf vocab;
static unsigned char *vocab_bytes;
static Corpus corpus;
static Pool *trainee_pool; /* of trainers that are opened; NULL: one thread */

static inline Corpus of_world(void) {
    return (Corpus){.world = world, .seed = fresh_below(1000000)};
}

/* A world, and words that were learned from a little of it. */
static inline void open_world(void) {
    static const char *const specials[] = {"<|endoftext|>", "<|im_start|>", "<|im_end|>"};
    Fault fault;
    size_t size;
    WorldText text = {0};
    Text texts[30];
    world = world_open(&fault);
    NEED(world);
    for (uint64_t i = 0; i < 30; i++) {
        world_write(world, "document", 1, i, &text);
        texts[i] = (Text){strdup(text.bytes), text.size};
    }
    GgufWriter *w = gguf_writer_open(&fault);
    int said = dup(STDERR_FILENO); /* do not print how long it took */
    NEED(freopen("/dev/null", "w", stderr));
    NEED(w && bpe_train(texts, 30, specials, 3, 300, w, &fault));
    fflush(stderr), dup2(said, STDERR_FILENO), close(said);
    NEED(gguf_write_memory(w, &vocab_bytes, &size, &fault) &&
         gguf_parse(&vocab, vocab_bytes, size, &fault));
    tokenizer = tokenizer_open(&vocab, &fault);
    NEED(tokenizer);
    corpus = of_world();
}

/* A file of eight documents, one of them empty. */
static inline Corpus short_documents(void) {
    static char texts[8][40];
    static Text documents[8];
    for (size_t i = 0; i < 8; i++) {
        size_t size = i == 3 ? 0 : 1 + fresh_below(30);
        for (size_t k = 0; k < size; k++) texts[i][k] = (char)('a' + (int)fresh_below(26));
        documents[i] = (Text){texts[i], size};
    }
    return (Corpus){.documents = documents, .count = 8};
}

static inline TrainConfig small(void) {
    TrainConfig c = train_config_storyteller();
    c.shape = (TrainShape){
        .dim = 12, .hidden = 20, .heads = 4, .kv_heads = 2, .head_dim = 4, .eps = 1e-5f};
    c.layers = 3, c.vocab = 300, c.ctx = 60, c.steps = 12, c.warmup = 4, c.batch_tokens = 100;
    c.learning_rate = fresh_between(0.01, 0.02), c.final_rate = fresh_between(0.001, 0.003);
    return c;
}

static inline Trainer *new_trainer(const TrainConfig *c) {
    Fault fault;
    Trainer *t = trainer_open(c, &corpus, tokenizer, &vocab, trainee_pool, &fault);
    NEED(t);
    return t;
}

/* Both get the same weights, and different gradients and moments. */
static inline void shake(Trainer *mine, Trainer *ours) {
    fresh_floats(ours->values, ours->size, -0.5, 0.5),
        fresh_floats(ours->gradients, ours->size, -1, 1);
    fresh_floats(ours->moment1, ours->size, -1, 1),
        fresh_floats(ours->moment2, ours->size, 0, 1);
    memcpy(mine->values, ours->values, ours->size * sizeof(float));
    memcpy(mine->gradients, ours->gradients, ours->size * sizeof(float));
    memcpy(mine->moment1, ours->moment1, ours->size * sizeof(float));
    memcpy(mine->moment2, ours->moment2, ours->size * sizeof(float));
}

static inline bool near(const float *a, const float *b, size_t n, double bound) {
    for (size_t i = 0; i < n; i++)
        if (!close_to((double)a[i], (double)b[i], bound)) return false;
    return true;
}

#endif
