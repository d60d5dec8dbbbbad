/* lora.c - see lora.h. */
#include "lora.h"

#include "fields.h"
#include "job.h"
#include "on_machines.h"

#include <stdlib.h>
#include <string.h>

/* ------------------------------------------------------------------ at the start */

static bool lora_add(Lora *lora, const char *option, const char *alias, Model *model,
                     Fault *fault) {
    Text name;
    const char *path;
    if (!named_file(option, &name, &path) || name.size >= sizeof lora->of->name)
        return fault_set(fault, "--lora %.200s: wanted NAME=FILE, a name of 1 to %zu bytes",
                         option, sizeof lora->of->name - 1);
    if (lora->count == LORAS)
        return fault_set(fault, "--lora %.200s: wanted at most %d", option, LORAS);
    if (lora_find(lora, name) < lora->count || text_equal(name, text_of(alias)))
        return fault_set(fault, "--lora %.200s: the name is taken", option);
    const size_t i = lora->count++;
    snprintf(lora->of[i].name, sizeof lora->of[i].name, "%.*s", (int)name.size, name.data);
    lora->of[i].path = path;
    return model_adapt_rows(model, lora->of[i].path, &lora->of[i].rows, fault) ||
           fault_prefix(fault, "--lora");
}

bool lora_open(Lora *lora, const OptionList *options, const char *alias, Model *model,
               Fault *fault) {
    if (options->count && machines_by_layers())
        return fault_set(fault, "--lora: other machines have the file's weights only: wanted "
                                "--split rows");
    for (size_t i = 0; i < options->count; i++)
        if (!lora_add(lora, options->items[i], alias, model, fault)) return false;
    return true;
}

void lora_close(Lora *lora) {
    free(lora->texts);
    lora->texts = NULL, lora->count = 0;
}

size_t lora_find(const Lora *lora, Text name) {
    size_t i = 0;
    while (i < lora->count && !text_equal(name, text_of(lora->of[i].name))) i++;
    return i;
}

/* ------------------------------------------------------------------ a request */

static bool lora_wrong(HttpError *error) {
    return http_error(error, 400, "lora",
                      "lora: wanted objects with an id (a number or a name of "
                      "/lora-adapters), once each, and a scale from -1000 to 1000");
}

/* {"id": 0, "scale": 0.5} */
static bool lora_read_one(const Lora *lora, const JsonValue *one, bool *seen,
                          LoraChoice *choice, HttpError *error) {
    const JsonValue *id = json_get(one, "id"), *scale = json_get(one, "scale");
    double i = (double)lora->count, x = 0;
    if (one->kind != JSON_OBJECT || one->count != 2 || !id || !scale ||
        !value_as_number(scale, &x) || x < -1000 || x > 1000)
        return lora_wrong(error);
    if (id->kind == JSON_STRING) i = (double)lora_find(lora, id->text);
    if ((id->kind != JSON_STRING && !value_as_int(id, 0, LORAS, &i)) ||
        i >= (double)lora->count || seen[(size_t)i])
        return lora_wrong(error);
    seen[(size_t)i] = true, choice->scale[(size_t)i] = (float)x;
    return true;
}

bool lora_read(const Lora *lora, Text model, const JsonValue *list, LoraChoice *choice,
               HttpError *error) {
    const size_t named = lora_find(lora, model);
    bool seen[LORAS] = {false};
    *choice = (LoraChoice){0};
    if (list && list->count && named < lora->count)
        return http_error(error, 400, "lora", "lora: the model %s is an adapter already",
                          lora->of[named].name);
    if (list && list->count && !lora->count)
        return http_error(error, 400, "lora", "lora: this server was started without --lora");
    for (size_t i = 0; list && i < list->count; i++)
        if (!lora_read_one(lora, &list->items[i], seen, choice, error)) return false;
    if (named < lora->count) choice->scale[named] = 1;
    return true;
}

uint64_t lora_salt(const LoraChoice *choice, uint64_t salt) {
    for (uint64_t i = 0; i < LORAS; i++) {
        uint32_t bits;
        memcpy(&bits, &choice->scale[i], sizeof bits);
        if (choice->scale[i] != 0) salt = rng_hash(salt, i + 1, bits);
    }
    return salt;
}

/* ------------------------------------------------------------------ batches */

/* Adapter i acts as its factors say, or on nothing. */
static void lora_set(Lora *lora, size_t i, bool any) {
    lora->of[i].rows.tokens.factor = any ? lora->of[i].tokens : NULL;
    lora->of[i].rows.wanted.factor = any ? lora->of[i].wanted : NULL;
}

void lora_act(Lora *lora, const LoraChoice *choice) {
    for (size_t i = 0; i < lora->count; i++) {
        for (size_t k = 0; choice && k < PREFILL_BATCH; k++)
            lora->of[i].tokens[k] = lora->of[i].wanted[k] = choice->scale[i];
        lora_set(lora, i, choice && choice->scale[i] != 0);
    }
}

/* Which choice each sequence of the session has. */
static void lora_look(Lora *lora, const Engine *e) {
    const size_t sequences = e->runners[0].session->kv.config.sequences;
    memset(lora->texts, 0, sequences * sizeof *lora->texts);
    for (const Sequence *s = e->sequences; s < e->sequences + e->room; s++)
        for (size_t k = 0; s->tokens && k < s->n_slots; k++)
            lora->texts[s->slot[k].id] = &((const Answer *)s->options.context)->job->lora;
}

static void lora_before_forward(Engine *e, size_t number) {
    Lora *lora = e->hooks.state;
    const ModelRunner *runner = &e->runners[number];
    lora_look(lora, e);
    for (size_t i = 0; i < lora->count; i++) {
        size_t wanted = 0;
        bool any = false;
        for (size_t k = 0; k < runner->count; k++) {
            const LoraChoice *choice = lora->texts[runner->sequence[k]];
            const float scale = choice ? choice->scale[i] : 0;
            lora->of[i].tokens[k] = scale, any |= scale != 0;
            if (runner->wanted[k]) lora->of[i].wanted[wanted++] = scale;
        }
        lora_set(lora, i, any);
    }
}

bool lora_listen(Lora *lora, Engine *e, Fault *fault) {
    if (!lora->count) return true;
    lora->texts = calloc(e->runners[0].session->kv.config.sequences, sizeof *lora->texts);
    if (!lora->texts) return fault_set(fault, "no memory for the adapters of texts");
    e->hooks.before_forward = lora_before_forward, e->hooks.state = lora;
    return true;
}
