/* tiny_model.h - a world, a vocabulary of 320 tokens, a model of 16 numbers a token, and the
 * digest of its training, which scalar kernels make the same on every machine. */
#ifndef STRATA_TINY_MODEL_H
#define STRATA_TINY_MODEL_H

#include "../src/train/trainer.h"
#include "hash.h"
#include "train_families.h"

#include <stdlib.h>
#include <string.h>

static World *world;
static Tokenizer *tokenizer;
static Gguf vocab;
static unsigned char *vocab_bytes;

static inline bool tiny_open(void) {
    Fault fault;
    size_t size;
    WorldText text = {0};
    Text texts[200];
    world = world_open(&fault);
    for (uint64_t i = 0; i < 200; i++) {
        world_write(world, "document", 1, i, &text);
        texts[i] = (Text){strdup(text.bytes), text.size};
    }
    GgufWriter *w = gguf_writer_open(&fault);
    bool ok = bpe_train(texts, 200,
                        (const char *const[]){"<|endoftext|>", "<|im_start|>", "<|im_end|>"}, 3,
                        320, w, &fault);
    gguf_put_int(w, "tokenizer.ggml.mask_token_id", GGUF_U32, 2);
    ok = ok && gguf_write_memory(w, &vocab_bytes, &size, &fault) &&
         gguf_parse(&vocab, vocab_bytes, size, &fault);
    gguf_writer_close(w);
    for (int i = 0; i < 200; i++) free((char *)texts[i].data);
    world_text_free(&text);
    return ok && (tokenizer = tokenizer_open(&vocab, &fault));
}

static inline void tiny_close(void) {
    tokenizer_close(tokenizer), gguf_free(&vocab), free(vocab_bytes), world_close(world);
}

static inline TrainConfig tiny(void) {
    TrainConfig c = train_config_storyteller();
    c.shape = (TrainShape){.dim = 16,
                           .hidden = 24,
                           .heads = 4,
                           .kv_heads = 2,
                           .head_dim = 4,
                           .eps = 1e-5f,
                           .taps = 4};
    c.layers = 2, c.vocab = 320, c.ctx = 48, c.steps = 12, c.warmup = 3, c.batch_tokens = 90,
    c.learning_rate = 1e-2;
    return c;
}

typedef struct TrainBits {
    const char *what;
    const struct TrainFamily *family;
    bool masked;
    uint64_t scalar; /* the digest with scalar kernels */
} TrainBits;

static const TrainBits train_bits[] = {
    {"attention", NULL, false, UINT64_C(0xbbb89c111582f0e1)},
    {"delta", &train_delta_family, false, UINT64_C(0x5d52659051752595)},
    {"masked", NULL, true, UINT64_C(0x0709ab0c56ee993c)},
};

/* Of all weights after twelve steps; 0: there is no trainer. */
static inline uint64_t tiny_digest(const TrainBits *bits, Pool *pool) {
    TrainConfig c = tiny();
    c.family = bits->family, c.shape.bidirectional = bits->masked;
    c.hide = bits->masked ? train_hide_tokens : NULL;
    Corpus corpus = {.world = world, .seed = 1};
    Trainer *t = trainer_open(&c, &corpus, tokenizer, &vocab, pool, NULL);
    if (!t) return 0;
    for (size_t i = 0; i < c.steps; i++) trainer_step(t);
    uint64_t hash = hash_bytes(HASH_START, t->values, t->size * sizeof *t->values);
    trainer_close(t);
    return hash;
}

#endif
