/* model.h - a file's tensors as a model.
 *
 *     GGUF metadata --sizes--> ModelSizes, LayerSizes[layers] --roles--> Block[layers], embedding, head
 *
 * Weights stay where they are, in the mapped file; only vectors in 16-bit formats are copied to f32,
 * and quantized matrices by model_pack.
 *
 * Invariant: every tensor a Model points at has the shape its metadata promises and a format
 * that can be computed with; every tensor of the file and every key of its family is used. */
#ifndef STRATA_MODEL_H
#define STRATA_MODEL_H

#include "recipe.h"
#include "eye.h"
#include "text_head.h"
#include "tokenizer.h"

enum { MODEL_LAYERS = 1024 };

typedef struct ModelSizes {
    size_t layers, dim, ctx, vocab;
    /* of the layers, the first ones: they read a source; 0: the model has none */
    size_t encoder;
    /* blocks behind the layers, each a draft head; the first one is used (draft_head.h) */
    size_t drafts;
} ModelSizes;

/* Between what a draft head shares with its model: where it has its own; else data NULL, kind NORM_NONE. */
typedef struct DraftEnds {
    Tensor embedding;
    Norm out_norm;
    Linear head;
} DraftEnds;

enum { GUESS_DEPTHS = 3 };

/* Of a draft head in a file of its own: what it reads of its model, and which tokens it can guess. */
typedef struct Guesses {
    const struct Model *model; /* the one that it was fitted to (draft_head_fit); or NULL */
    size_t layers[GUESS_DEPTHS], width; /* rows that go into these, of so many numbers each */
    size_t count;                       /* tokens that it can guess: rows of its head */
    /* (vocab) which row is a token's; -1: none; NULL: it can guess all, in their order */
    int32_t *row_of;
} Guesses;

typedef struct Model {
    GgufFile file; /* owns, when opened by path */
    Gguf gguf;     /* owns */
    Arena arena;   /* owns: blocks, ropes, converted vectors */
    const Recipe *recipe;
    ModelSizes sizes;
    LayerSizes *layers; /* (layers + drafts) owns */
    float eps, embedding_scale, residual_scale, logit_scale, logit_softcap;
    float attention_scale; /* in place of 1 / sqrt(head_dim); 0: not */
    float latent_scale;    /* of scores, times 1 / sqrt(length of a query), with latents */
    float max_bias, clamp; /* of all layers; 0: none */
    int32_t start;         /* with an encoder: the token between a source and what is written */
    bool shift_logits;     /* of a diffusion model: the logits of a place are of the next one */
    Tensor embedding;      /* (vocab, dim) */
    Norm embedding_norm;   /* or none */
    Tensor positions;      /* (ctx, dim); data NULL: none */
    Tensor types;          /* (1 or 2, dim) of the first text and of the second; or none */
    Linear head;           /* (vocab, dim), perhaps the embedding; not there in an encoder */
    TextHead text_head;    /* what a whole text becomes */
    Eye eye;               /* of a model that reads pictures; or not there */
    Norm out_norm;         /* or none */
    Norm source_norm;      /* behind the last block of an encoder */
    LayerTable layer_table; /* inputs of layers; or not there */
    AltUpEnds altup;        /* of a stream in parts; streams 0: it has one */
    size_t streams;
    Rope ropes[3];         /* of full and of windowed layers; of full ones in long sessions */
    size_t long_ctx;       /* sessions of more positions turn by the last of them; 0: none do */
    Block *blocks;         /* (layers + drafts) */
    DraftEnds draft;       /* of the first draft head */
    Guesses guesses;       /* of a draft head in a file of its own */
    Tokenizer *tokenizer;  /* owns */
    PackedWeights *packed; /* owns, and their data; NULL: not packed */
    unsigned char *packed_data;
    size_t packed_size;
    /* what adapters brought along (adapter.h), and how it is given back; NULL: there are none */
    struct AdapterParts *adapters;
    void (*drop_adapters)(struct Model *model);
} Model;

/* Open a model file (of a split one the first), or one that lies in memory (borrowed).
 *
 * Fails when the file is damaged, the family is unknown, a tensor is missing, of the wrong shape
 * or in a format that is not built in, a key is of the wrong type or out of its range, or the file
 * says anything that would not be computed with: it is used or refused, never ignored.  The fault
 * names the tensor or key, what was got and wanted, and where the wish came from. */
bool model_open(Model *model, const char *path, Fault *fault);
bool model_open_memory(Model *model, const void *bytes, size_t size, Fault *fault);
void model_close(Model *model);

/* Where the row stands that belongs to no patch of a picture. */
typedef enum ClassPlace {
    CLASS_FIRST, /* as the encoders were trained */
    /* behind the patches, as llama.cpp has it (issue 25814); so that both can be compared, all else is as there, too:
     * the number of blocks, the norm behind them, GELU by tanh */
    CLASS_LAST
} ClassPlace;

/* The same as model_open_memory for the eye of another model: a file that reads pictures (mmproj), which that one
 * refuses. */
bool model_open_eye(Model *model, const void *bytes, size_t size, ClassPlace place,
                    Fault *fault);

/* Has it logits, and so can write?  Else texts become vectors or scores (pooling.h). */
bool model_writes(const Model *model);

/* What comes behind the tokens of a prompt: nothing, or, with an encoder, the end of the source and the start
 * token. */
void model_end_prompt(const Model *model, TokenList *tokens);

/* How many of a text's tokens an encoder reads: those before the first start token; 0: there is no encoder. */
size_t model_source(const Model *model, const int32_t *tokens, size_t count);

/* Can the model go on with these tokens?  With an encoder they are a source that fits into one batch, and the
 * start token. */
bool model_check_prompt(const Model *model, const int32_t *tokens, size_t count, size_t batch,
                        Fault *fault);

/* Fails when a companion ("the draft", "the amateur") numbers other words than the model: what it says of a token would be
 * taken for another one.  Up to a hundredth of the tokens may differ, such as names of ids that no text has. */
bool model_shares_words(const Model *model, const Model *companion, const char *name,
                        Fault *fault);

/* Rearrange the quantized matrices for speed (packed.h); the results do not change by a bit.
 *
 *   progress   called with the bytes done so far; NULL: no callback
 *
 * Fails when there is no memory for a second copy of them: model_packed_bytes. */
bool model_pack(Model *model, Pool *pool, void (*progress)(void *context, double bytes),
                void *context, Fault *fault);
size_t model_packed_bytes(const Model *model);

#endif
