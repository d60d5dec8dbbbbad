/* adapter.h - small corrections to a model's matrices, from files of their own (LoRA).
 *
 *     GGUF      general.type "adapter", adapter.type "lora", adapter.lora.alpha
 *               blk.0.attn_q.weight.lora_a (rank, in), blk.0.attn_q.weight.lora_b (out, rank)
 *     PEFT      a folder with adapter_config.json and adapter_model.safetensors
 *               base_model.model.model.layers.0.self_attn.q_proj.lora_A.weight, ...lora_B.weight
 *
 *     y = W x + strength * alpha / rank * B (A x)
 *
 * Several files may act at once: what they add is added up.
 *
 * Invariant: every tensor and key of a file acts or is refused by name, and the model's own weights stay what
 * they are: after model_adapt the model is the one with the file's correction, to the last tensor.
 *
 * Source   Hu et al. 2021, arXiv:2106.09685; llama.cpp's llama-adapter.cpp for the names in GGUF files. */
#ifndef STRATA_ADAPTER_H
#define STRATA_ADAPTER_H

#include "model.h"

/* Let an adapter act on a model, until it is closed.
 *
 *   path       a GGUF file, or a folder as PEFT writes it
 *   strength   1: as it was trained; 0.5: half of it; negative: away from it
 *
 * Fails when the file is of another family, or has a matrix that the model has not, or not in that shape; the
 * model is then to be closed. */
bool model_adapt(Model *model, const char *path, double strength, Fault *fault);

#endif
