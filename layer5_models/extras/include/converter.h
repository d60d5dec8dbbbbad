/* converter.h - a model as its makers publish it, rewritten as a GGUF file.
 *
 *     config.json                      what it is and how large      -> keys
 *     tokenizer.json, tokenizer.model  its words                     -> keys
 *     *.safetensors, pytorch_model.bin its numbers, by other names   -> tensors
 *
 * Three tables say how: families (what a class of models is called here, and which rules name its
 * tensors), rules (a name there, a name here, and what changes on the way), and keys of config.json.
 *
 * Invariant: every tensor and every key of the folder is used, known to change nothing, or refused by name;
 * and what is written is a file that model_open accepts: it has opened it before the first weight is read.
 * Weights go through one block of rows at a time. */
#ifndef STRATA_CONVERTER_H
#define STRATA_CONVERTER_H

#include "quant_preset.h"

typedef struct Convert {
    const QuantPreset *preset;  /* NULL: each matrix as the folder has it, F8 as BF16 */
    const char *const *without; /* (n_without) keys of config.json that may be left out */
    size_t n_without;
    /* Called with the bytes of numbers written so far, and of all; NULL: no callback. */
    void (*progress)(void *context, double bytes, double all);
    /* Called with a sentence about something that GGUF cannot say and that changes little. */
    void (*note)(void *context, const char *sentence);
    void *context;
} Convert;

/* Rewrite the model in a folder.
 *
 *   path   of the GGUF file, which appears when it is complete
 *
 * Fails when a file is missing, damaged or hostile, when the family is not built in, and when the folder
 * says anything that the GGUF file could not say. */
bool convert_folder(const char *folder, const char *path, const Convert *how, Pool *pool,
                    Fault *fault);

/* A class of models that can be converted: its name in config.json and the family here. */
typedef struct ConvertFamily ConvertFamily;

/* Name and family of class number `index`; false: there are no more. */
bool convert_class(size_t index, const char **architecture, const char **arch);

#endif
