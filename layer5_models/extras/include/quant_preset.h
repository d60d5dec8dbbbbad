/* quant_preset.h - quantization presets: which number format each matrix of a model gets.
 *
 * Some matrices are more sensitive to quantization than others.  The value projection is small
 * and shared by several heads, the down projection of the feed-forward network sees the largest
 * activations, and the output matrix decides between tokens: a preset (Q4_K_M: "medium") gives
 * these more bits, some of them in some layers only.  llama.cpp calls a preset an ftype.
 *
 * Invariant: vectors and norms are not quantized [files_are_requantized].
 *
 * Source   the rules of llama.cpp's llama-quantize for the files of these names. */
#ifndef STRATA_QUANT_PRESET_H
#define STRATA_QUANT_PRESET_H

#include "linalg.h"

typedef struct QuantPreset {
    const char *name;
    int file_type; /* general.file_type of these files */
    Dtype dtype;   /* of most matrices */
    const char *gloss;
} QuantPreset;

/* All presets; returns their number.  Every format that can be written has one. */
size_t quant_preset_list(const QuantPreset **list);

/* Fails when there is none of that name; the fault says how to list them. */
const QuantPreset *quant_preset_find(const char *name, Fault *fault);

/* The format of a matrix.
 *
 *   name     "blk.3.attn_v.weight"
 *   layers   of the model
 *   pure     the preset's main format for all matrices, without its exceptions
 *
 * A row whose length is not a multiple of the format's block falls back to blocks of 32, or to
 * F16. */
Dtype quant_preset_dtype(const QuantPreset *preset, Text name, size_t layers, size_t row,
                         bool pure);

/* Vectors, norms, positions, router matrices, convolutions of state-space layers, RWKV's
 * low-rank maps, and tensors whose name does not end in ".weight" are not quantized. */
bool quant_preset_keeps(Text name, int ndim);

/* Are scales of the format fitted to the weights, so that importance counts?  Others scale by
 * the largest number or the mean, or have no scale. */
bool quant_preset_is_fitted(Dtype dtype);

/* Refuse a tensor with a number that its format cannot represent (quantize_misfit); returns
 * false. */
bool quant_preset_misfit(const char *tensor, Dtype dtype, Fault *fault);

/* How to rewrite a file. */
typedef struct Requantize {
    const QuantPreset *preset;
    const QuantPreset *output_preset; /* of embedding and output; NULL: as in the preset */
    bool pure;
    /* mean squares of each matrix's inputs, as llama.cpp's llama-imatrix writes them; or
     * NULL */
    const Gguf *importance;
} Requantize;

/* Copy the pairs and tensors of a file into a writer, matrices in their new formats.  Vectors,
 * norms and positions are copied unchanged.
 *
 *   progress   called with the bytes of the old file done so far; NULL: no callback
 *
 * Fails when memory runs out, or when the importance is of another model or would have no
 * effect. */
bool requantize(const Gguf *in, const Requantize *how, Pool *pool, GgufWriter *out,
                void (*progress)(void *context, double bytes), void *context, Fault *fault);

/* What rounding to the new formats does to the weights: *error is the root of the sum of
 * squared errors over the sum of squares, of up to 8 rows of each matrix whose format changes
 * (0: none does).  About 0.005 for 8 bits a weight, 0.08 for 4, 0.3 for Q2_K.
 *
 * Fails when memory runs out. */
bool requantize_error(const Gguf *in, const Requantize *how, double *error, Fault *fault);

/* How many matrices get a fallback format because their rows do not divide into blocks. */
size_t requantize_misfits(const Gguf *in, const Requantize *how);

#endif
