/* model.h - a file's tensors as a model.
 *
 *     GGUF keys --sizes--> ModelSizes, LayerSizes[layers] --roles--> Block[layers], embedding,
 *     head
 *
 * Weights stay in the mapped file; only 16-bit vectors are copied to f32, and quantized
 * matrices by model_pack.
 *
 * Invariant: every tensor a Model points at has the shape its metadata promises and a format
 * with kernels; every tensor of the file and every key of its family is used
 * [every_tensor_is_missed, left_over_tensors_are_refused]. */
#ifndef STRATA_MODEL_H
#define STRATA_MODEL_H

#include "recipe.h"
#include "tokenizer.h"

enum { MODEL_LAYERS = 1024 };

typedef struct ModelSizes {
    size_t layers, dim, ctx, vocab;
    size_t blocks; /* layers, plus draft heads after them */
    size_t stream; /* width of the residual stream between layers: dim, or several times dim */
    size_t key;    /* the longest key of a layer */
} ModelSizes;

typedef struct Model {
    GgufFile file; /* owns, when opened by path */
    Gguf gguf;     /* owns */
    Arena arena;   /* owns: blocks, ropes, converted vectors */
    const Recipe *recipe;
    ModelSizes sizes;
    LayerSizes *layers; /* (blocks) owns */
    float eps, embedding_scale, residual_scale, logit_softcap;
    Tensor embedding;      /* (vocab, dim) */
    Tensor positions;      /* (ctx, dim); data NULL: none */
    Linear head;           /* (vocab, dim), perhaps the embedding */
    Norm out_norm;         /* or none */
    Rope ropes[2];         /* of layers without a window, and with one */
    Block *blocks;         /* (blocks) */
    Tokenizer *tokenizer;  /* owns */
    PackedWeights *packed; /* owns, and their data; NULL: not packed */
    unsigned char *packed_data;
    size_t packed_size;
    /* the adapters' data (adapter.h), and how to free it; NULL: none */
    struct AdapterParts *adapters;
    void (*drop_adapters)(struct Model *model);
    /* of families beyond plain decoders (families.h); NULL: a plain one */
    struct ModelExtras *extras; /* owns */
    const struct FamilyHooks *hooks;
} Model;

/* Open a model file (the first one of a split), or one in memory (borrowed, at 8 bytes).
 *
 * Fails when the file is damaged, the family unknown, a tensor missing, of the wrong shape or
 * in an unsupported format, a key of the wrong type or out of range, or when the file has
 * anything that would be ignored.  The fault names the tensor or key, what it is, what was
 * wanted and why. */
bool model_open(Model *model, const char *path, Fault *fault);
bool model_open_memory(Model *model, const void *bytes, size_t size, Fault *fault);
void model_close(Model *model);

/* How many of a text's first tokens form an encoder's source, read in one batch
 * (families.h). */
size_t model_source(const Model *model, const int32_t *tokens, size_t count);

/* Can the model continue these tokens?  With an encoder: a source that fits into one batch,
 * then the start token. */
bool model_check_prompt(const Model *model, const int32_t *tokens, size_t count, size_t batch,
                        Fault *fault);

/* Rearrange the quantized matrices for speed (packed.h); the results keep their bits.
 *
 *   progress   called with the bytes done so far; NULL: no callback
 *
 * Fails when there is no memory for a second copy of them: model_packed_bytes. */
bool model_pack(Model *model, Pool *pool, void (*progress)(void *context, double bytes),
                void *context, Fault *fault);
size_t model_packed_bytes(const Model *model);

#endif
