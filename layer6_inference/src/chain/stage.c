/* stage.c - find a stage by name; register a program's own.  The list: stage_kinds.c. */
#include "chain.h"

#include <string.h>

size_t stage_list(const StageKind *const **list) {
    size_t count = 0;
    while (stage_kinds[count]) count++;
    *list = stage_kinds;
    return count;
}

const StageKind *stage_find(Text name) {
    const StageKind *const *list;
    size_t count = stage_list(&list);
    for (size_t i = 0; i < count; i++)
        if (text_equal(name, text_of(list[i]->name))) return list[i];
    return NULL;
}

/* ------------------------------------------------------------------ a program's own stages */

/* Other characters may have a meaning in the syntax of chains. */
static bool is_word(const char *text) {
    size_t size = text ? strspn(text, "abcdefghijklmnopqrstuvwxyz0123456789_") : 0;
    return size > 0 && size < STAGE_NAME && !text[size];
}

static bool is_taken(const char *name) {
    const ChainPreset *presets;
    size_t count = chain_presets(&presets);
    for (size_t i = 0; i < count; i++)
        if (strcmp(name, presets[i].name) == 0) return true;
    return stage_find(text_of(name)) != NULL;
}

static bool check_params(const StageKind *kind, Fault *fault) {
    for (int i = 0; i < STAGE_PARAMS && kind->params[i].key; i++) {
        const StageParam *p = &kind->params[i];
        if (!is_word(p->key))
            return fault_set(fault, "stage %s: '%.40s' is no key: wanted a-z, 0-9 and _",
                             kind->name, p->key);
        for (int k = 0; k < i; k++)
            if (strcmp(p->key, kind->params[k].key) == 0)
                return fault_set(fault, "stage %s has two parameters '%s'", kind->name, p->key);
        double value = p->required ? p->low : p->default_value;
        if (!(value >= p->low && value <= p->high))
            return fault_set(fault, "stage %s: %s is %g unless given, wanted %g to %g",
                             kind->name, p->key, value, p->low, p->high);
    }
    return true;
}

static bool stage_check_kind(const StageKind *kind, Fault *fault) {
    if (!is_word(kind->name))
        return fault_set(fault,
                         "'%.40s' is no name for a stage: wanted 1 to %d of a-z, 0-9 and _",
                         kind->name ? kind->name : "", STAGE_NAME - 1);
    if (is_taken(kind->name))
        return fault_set(fault, "a stage or preset '%s' is there already: choose another name",
                         kind->name);
    const char *lacks = !kind->gloss                                     ? "gloss"
                        : !kind->example                                 ? "example"
                        : !kind->apply                                   ? "apply"
                        : kind->memory && !(kind->begin && kind->accept) ? "begin or accept"
                                                                         : NULL;
    if (lacks) return fault_set(fault, "stage %s has no %s", kind->name, lacks);
    return check_params(kind, fault);
}

bool stage_register(const StageKind *kind, Fault *fault) {
    const StageKind *const *list;
    size_t count = stage_list(&list);
    if (!stage_check_kind(kind, fault)) return false;
    if (count == STAGES)
        return fault_set(fault, "no room for the stage %s: there are %d", kind->name, STAGES);
    stage_kinds[count] = kind;
    return true;
}

bool stage_is_off(const Stage *stage) {
    const StageParam *main = &stage->kind->params[0];
    if (stage->kind->is_off) return stage->kind->is_off(stage);
    return main->key && main->has_off && stage->value[0] == main->off;
}

bool stage_takes_off(const StageKind *kind) {
    Stage stage = {.kind = kind};
    for (int i = 0; i < STAGE_PARAMS; i++) stage.value[i] = kind->params[i].default_value;
    if (kind->params[0].has_off) stage.value[0] = kind->params[0].off;
    return stage_is_off(&stage);
}

const double *stage_memory(const Stage *stage) {
    return stage->rows + (stage->n_rows - 1) * stage->kind->memory;
}
