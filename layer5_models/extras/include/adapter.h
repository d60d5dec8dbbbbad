/* adapter.h - low-rank corrections to a model's matrices, in files of their own (LoRA).
 *
 *     GGUF      general.type "adapter", adapter.type "lora", adapter.lora.alpha
 *               blk.0.attn_q.weight.lora_a (rank, in), blk.0.attn_q.weight.lora_b (out, rank)
 *     PEFT      a folder with adapter_config.json and adapter_model.safetensors
 *               base_model.model.model.layers.0.self_attn.q_proj.lora_A.weight,
 *               ...lora_B.weight
 *
 *     y = W x + strength * alpha / rank * B (A x)
 *
 * Several files may act at once; their corrections add up.
 *
 * Invariant: every tensor and key of a file is applied or refused by name; the model's own
 * weights do not change [refuses_what_does_not_fit, acts_as_changed_weights].
 *
 * Source   Hu et al. 2021, arXiv:2106.09685; llama.cpp's llama-adapter.cpp for the names in
 *          GGUF files. */
#ifndef STRATA_ADAPTER_H
#define STRATA_ADAPTER_H

#include "model.h"

/* Apply an adapter to a model, until it is closed.
 *
 *   path       a GGUF file, or a folder as PEFT writes it
 *   strength   1: as trained; 0.5: half of it; negative: the opposite
 *
 * Fails when the file is for another family, or has a matrix that the model does not have in
 * that shape; then close the model. */
bool model_adapt(Model *model, const char *path, double strength, Fault *fault);

/* The rows of a batch that an adapter acts on: all tokens' of the batch, and those of the head,
 * which has only the wanted ones.  The caller of the batch sets them. */
typedef struct AdapterRows {
    LowRankRows tokens, wanted;
} AdapterRows;

/* The same, as trained, on some rows only: texts with and without it share a batch
 * [texts_share_a_batch].
 *
 *   rows   borrowed until the model is closed
 *
 * Fails, too, for matrices whose rows are not the batch's: those of experts, recurrent layers,
 * latent attention and encoders. */
bool model_adapt_rows(Model *model, const char *path, const AdapterRows *rows, Fault *fault);

#endif
