/* model_names.h - models by name: ten that are published, and the folder in which `strata
 * pull` keeps them.
 *
 *     -m smollm2-360m  -->  ~/.local/share/strata/models/smollm2-360m.gguf */
#ifndef STRATA_MODEL_NAMES_H
#define STRATA_MODEL_NAMES_H

#include "fault.h"

#include <stddef.h>
#include <stdint.h>

typedef struct PublishedModel {
    const char *name;
    uint64_t bytes;
    const char *licence, *use;
    const char *file;   /* on huggingface.co: OWNER/REPOSITORY/PATH */
    const char *sha256; /* lower case */
} PublishedModel;

const PublishedModel *published_models(size_t *count);

/* Look up a published model by name, ignoring case.  Fails with the nearest name. */
bool published_want(const char *name, const PublishedModel **model, Fault *fault);

/* $STRATA_MODELS, else $XDG_DATA_HOME/strata/models, else ~/.local/share/strata/models.
 *
 * Fails when none of the variables is set, or the path is too long.  The folder may not
 * exist. */
bool models_folder(char *text, size_t size, Fault *fault);

/* Call with the name of each file *.gguf in the folder, without the ending, in order. */
void models_in_folder(const char *folder, void (*each)(void *context, const char *name),
                      void *context);

/* "386 MB", "1.2 MB" */
const char *megabytes_text(char text[24], double bytes);

/* Turn a model's name, with or without .gguf, into its path in `text`.  Existing files and
 * names with a slash stay as they are.
 *
 * Fails if there is no such file or model, naming the nearest, or the command that downloads
 * it. */
bool model_find(const char **model, char *text, size_t size, Fault *fault);

#endif
