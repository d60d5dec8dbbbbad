/* converter.h - a published model, rewritten as a GGUF file.
 *
 *     config.json                      architecture and sizes  -> keys
 *     tokenizer.json, tokenizer.model  vocabulary              -> keys
 *     *.safetensors, pytorch_model.bin weights                 -> tensors
 *
 * Three tables drive it: families (a class's name here, and which rules name its tensors),
 * rules (a name there, a name here, and what changes in between), and keys of config.json.
 *
 * Invariant: every tensor and key of the folder is used, known to change nothing, or refused by
 * name; the result is opened with model_open before the first weight is read.  Weights are
 * converted one block of rows at a time [refuses_folders, takes_harmless_keys, every_class]. */
#ifndef STRATA_CONVERTER_H
#define STRATA_CONVERTER_H

#include "quant_preset.h"

typedef struct Convert {
    const QuantPreset *preset;  /* NULL: each matrix in the folder's format, F8 as BF16 */
    const char *const *without; /* (n_without) keys of config.json to ignore */
    size_t n_without;
    const char *target; /* the folder of the model that a draft head is for; NULL: none */
    bool vision; /* the vision tower and its projector (mmproj), not the language model */
    /* Called with the bytes written so far, and of all; NULL: no callback. */
    void (*progress)(void *context, double bytes, double all);
    /* Called with a sentence about something that GGUF cannot express and that matters
     * little. */
    void (*note)(void *context, const char *sentence);
    void *context;
} Convert;

/* Convert the model in a folder.
 *
 *   path   of the GGUF file, which appears when it is complete
 *
 * Fails when a file is missing, damaged or hostile, the family is not supported, or the folder
 * says anything that a GGUF file cannot express. */
bool convert_folder(const char *folder, const char *path, const Convert *how, Pool *pool,
                    Fault *fault);

/* A class of models: its name in config.json and its family here. */
typedef struct ConvertFamily ConvertFamily;

/* Name and family of class number `index`; false: the end.
 *
 * Invariant  every family of recipe.h has a class [every_family] */
bool convert_class(size_t index, Text *name, const char **arch);

#endif
