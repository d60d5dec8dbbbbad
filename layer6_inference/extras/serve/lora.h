/* lora.h - adapters that requests choose: --lora NAME=FILE at the start, then
 *
 *     {"model": "pirate"}                          with all its strength
 *     {"lora": [{"id": 0, "scale": 0.5}]}          as many as there are, by number or name
 *
 * They belong to the first model (served_models.h).  A request without either gets the model
 * alone.  Texts with different adapters share batches:
 * before each one, every row learns which adapters act on it (low_rank.h).
 *
 * Invariant: a text is the same as with `strata generate --adapter FILE`, whatever shares its
 * batches; cached prefixes are shared between texts with the same adapters only. */
#ifndef STRATA_LORA_H
#define STRATA_LORA_H

#include "adapter.h"
#include "engine.h"
#include "http_error.h"
#include "json.h"
#include "options.h"

enum { LORAS = 16 };

/* How strongly each adapter acts; 0: not at all. */
typedef struct LoraChoice {
    float scale[LORAS];
} LoraChoice;

typedef struct Lora {
    struct {
        char name[64];
        const char *path;                                   /* borrows: the option's */
        AdapterRows rows;                                   /* of the next batch */
        float tokens[PREFILL_BATCH], wanted[PREFILL_BATCH]; /* its factors */
    } of[LORAS];
    size_t count;
    const LoraChoice **texts; /* (sequences) of the session, in the next batch; owns */
} Lora;

/* Load what the options name, "NAME=FILE".  Close it after the model, even if this failed.
 *
 *   alias   the model's own name: none of them may have it */
bool lora_open(Lora *lora, const OptionList *options, const char *alias, Model *model,
               Fault *fault);
void lora_close(Lora *lora);

/* The adapter with this name, or lora->count. */
size_t lora_find(const Lora *lora, Text name);

/* Read a request's choice.
 *
 *   model   the name in its field "model"
 *   list    its field "lora"; NULL: none */
bool lora_read(const Lora *lora, Text model, const JsonValue *list, LoraChoice *choice,
               HttpError *error);

/* A cache salt for texts with this choice; `salt` itself without an adapter. */
uint64_t lora_salt(const LoraChoice *choice, uint64_t salt);

/* Let the adapters act on all rows of the next batches, as chosen; NULL: on none. */
void lora_act(Lora *lora, const LoraChoice *choice);

/* From now on they act on each text of the engine's batches as its job chose (job.h), and on
 * nothing else. */
bool lora_listen(Lora *lora, Engine *engine, Fault *fault);

#endif
