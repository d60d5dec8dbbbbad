/* mix.h - which number format each matrix of a quantized model gets.
 *
 * Not all matrices take the same harm.  The value projection is small and every head reads it, the
 * second matrix of the feed-forward network sees the largest numbers, and the output matrix stands
 * before the choice of a token: a mix (Q4_K_M: "medium") gives these more bits, some of them in
 * some layers only.
 *
 * Invariant: vectors and norms stay as they are.
 * Source   the rules of llama.cpp's llama-quantize for the files of these names. */
#ifndef STRATA_MIX_H
#define STRATA_MIX_H

#include "linalg.h"

typedef struct Mix {
    const char *name;
    int file_type; /* general.file_type of such files */
    Dtype dtype;   /* of most matrices */
    const char *gloss;
} Mix;

/* All mixes; returns their number.  Every format that can be written is one. */
size_t mix_list(const Mix **list);

/* Fails when there is none of that name; the fault says how to list them. */
const Mix *mix_find(const char *name, Fault *fault);

/* The format of a matrix.
 *
 *   name     "blk.3.attn_v.weight"
 *   layers   of the model
 *   pure     the mix's main format for all, whatever the rules say
 *
 * A row that does not divide into the format's blocks falls back to one of 32, or to F16. */
Dtype mix_dtype(const Mix *mix, Text name, size_t layers, size_t row, bool pure);

/* How a file is to be rewritten. */
typedef struct Requantize {
    const Mix *mix,
        *output_mix; /* output_mix: of embedding and output; NULL: as the mix says */
    bool pure;
    const Gguf *
        importance; /* mean squares of each matrix's inputs, as llama.cpp's llama-imatrix writes them; NULL: none */
} Requantize;

/* Put the pairs and tensors of a file into a writer, matrices in their new formats.  Vectors, norms
 * and positions stay as they are.
 *
 *   progress   called with the bytes of the old file done; NULL: nobody watches
 *
 * Fails when memory runs out, and when the importance is of another model or would change nothing. */
bool requantize(const Gguf *in, const Requantize *how, Pool *pool, GgufWriter *out,
                void (*progress)(void *context, double bytes), void *context, Fault *fault);

#endif
