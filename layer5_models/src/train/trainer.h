/* trainer.h - the inside of a Trainer; private to layer 5. */
#ifndef STRATA_TRAINER_H
#define STRATA_TRAINER_H

#include "train.h"

/* TRAIN_CHUNK: numbers per partial sum of the gradient's norm */
enum { TRAIN_MAX_LAYERS = 64, TRAIN_MAX_DOCUMENTS = 4096, TRAIN_CHUNK = 4096 };

/* A learned tensor: a range of the flat parameter array. */
typedef struct Parameter {
    char name[48];
    size_t offset, rows, cols; /* rows = 1: a vector */
    /* of a convolution, learned as a vector; in files (cols / taps, taps) */
    size_t taps;
    bool rate; /* learned as a logarithm; files have -exp of it, so it stays below 0 */
} Parameter;

/* A family to train in place of a llama: another mixer than attention. */
typedef struct TrainFamily {
    const char *arch;
    const TrainMixer *mixer;
    bool (*check)(const TrainConfig *config, Fault *fault);
    /* adds the tensors of a block before its network: train_add, train_point */
    void (*add_mixer)(Trainer *trainer, size_t layer, size_t *used);
    void (*layout_saved)(Trainer *trainer, TrainSaved *saved);
    float (*first_of_vector)(const Parameter *p, double u); /* u uniform, 0 to 1 */
    /* the projections through which heads copy at first */
    void (*values_and_output)(const TrainShape *shape, const TrainBlock *block, const float **v,
                              float **out);
    void (*put_keys)(GgufWriter *out, const TrainConfig *config);
} TrainFamily;

/* The weights as pointers into a flat array; gradients have the same layout. */
typedef struct TrainWeights {
    float *embedding, *out_norm; /* (vocab, dim), also the head; (dim) */
    TrainBlock blocks[TRAIN_MAX_LAYERS];
} TrainWeights;

/* A batch of whole documents. */
typedef struct TrainBatch {
    int32_t *input, *target; /* (n) */
    float *weight;           /* (n) of each row in the loss: 1, unless tokens are hidden */
    size_t *start;           /* (documents + 1) */
    size_t n, documents;
    double nats; /* entropy of the documents */
} TrainBatch;

struct Trainer {
    TrainConfig config;
    const Corpus *corpus;
    const Tokenizer *tokenizer;
    const Gguf *vocab;
    Pool *pool;
    Arena arena;
    Parameter *parameters;
    size_t n_parameters, size;                     /* tensors, numbers */
    float *values, *gradients, *moment1, *moment2; /* (size) */
    TrainWeights weights, grads;
    /* buffers of a batch */
    size_t rows; /* capacity: tokens of the largest batch */
    TrainBatch batch;
    TrainRun run;
    TrainSaved saved[TRAIN_MAX_LAYERS];
    float *cosine, *sine, *x, *normed, *logits;
    double *losses, *partial; /* (rows); (size / TRAIN_CHUNK + 1) */
    struct {
        float *update, *product; /* the largest matrix */
        float *gram, *power;     /* the square of its shorter side */
    } muon;
    /* a LoRA that is trained in place of the weights (train_lora.h), and how to free it; NULL:
     * none */
    struct TrainLora *lora;
    void (*drop_lora)(struct TrainLora *lora);
    /* finds the loss and the gradients of a loaded batch in another way (train_parts.h); NULL:
     * forward_backward.c */
    double (*elsewhere)(Trainer *trainer);
    struct TrainParts *parts; /* borrows */
    WorldText scratch;
    TokenList tokens;
    bool failed; /* a text could not be encoded: see `fault` */
    Fault fault;
    /* hash of the corpus, the vocabulary and, if the run began with another model
     * (train_runs.h), its weights */
    uint64_t origin_hash;
    /* progress */
    size_t step, tokens_seen;
    uint64_t next_document;
};

/* params.c: add the next tensor to the flat array; returns its offset.  train_point sets its
 * pointers in the structs of weights and gradients. */
size_t train_add(Trainer *trainer, size_t *used, const char *name, size_t rows, size_t cols);
void train_point(Trainer *trainer, void *weights, void *gradients, size_t field, size_t offset);

/* params.c: lay out all memory; run on a measuring arena, then on the real one. */
void train_layout(Trainer *trainer);
void train_initialize(Trainer *trainer);

/* data.c: fill the batch with 1 to max_documents documents from *index on. */
void train_load_documents(Trainer *trainer, const Corpus *corpus, uint64_t *index,
                          size_t max_documents);

/* data.c: the same, each row with its weight. */
void train_load_batch(Trainer *trainer, const Corpus *corpus, uint64_t *index,
                      size_t max_documents);

/* export.c: a parameter's shape in a file, and the family and keys of a trained model. */
const char *train_family(const TrainConfig *config);
void train_file_shape(const Parameter *p, size_t shape[2]);
void train_put_metadata(GgufWriter *out, const TrainConfig *config, const char *name,
                        Dtype dtype);

/* forward_backward.c: the loss of the batch, in nats summed over rows; backward needs what
 * forward saves.  With gradients, `elsewhere` (if set) finds them and the loss instead. */
double train_forward(Trainer *trainer, bool gradients);
void train_backward(Trainer *trainer);

/* adamw.c: take one step; returns the norm of all gradients together before clipping.  A longer
 * gradient than config.clip is scaled to that length.  Matrices inside the blocks go to
 * train_update_matrix with that scale. */
double train_update(Trainer *trainer, double rate);

/* muon.c: the step of one matrix inside a block, by the formulas at the head of that file.
 *
 *   parameter   its offset in values, gradients and moment1 (momentum), and its shape
 *   scale       multiplies every gradient first (clipping)
 *   rate        of this step; u is written to muon.update and applied with
 *               rate * 0.2 * sqrt(max(rows, cols)) */
void train_update_matrix(Trainer *trainer, const Parameter *parameter, float scale,
                         double rate);

/* muon.c: make all singular values of x (rows, cols) about 1, in place: scale its Frobenius
 * norm to 1, then five rounds of the polynomial. */
void train_orthogonalize(Trainer *trainer, float *x, size_t rows, size_t cols);

/* The gradients of one batch by index, without an update; for tests.  Returns the loss. */
double trainer_gradients(Trainer *trainer, uint64_t first_document);

#endif
