/* interventions.c - see interventions.h. */
#include "interventions.h"

#include <stdlib.h>
#include <string.h>

/* The part before a number: "L.N=" or "L="; heat may omit it. */
typedef enum Address { ADDRESS_TWO, ADDRESS_ONE, ADDRESS_ANY } Address;

static const struct {
    const char *name, *form;
    ActKind kind;
    Address address;
} kinds[] = {{"head", "LAYER.HEAD=FACTOR, 1.3=0", ACT_HEAD, ADDRESS_TWO},
             {"layer", "LAYER=FACTOR, 2=0", ACT_LAYER, ADDRESS_ONE},
             {"neuron", "LAYER.NEURON=FACTOR, 0.17=0", ACT_NEURON, ADDRESS_TWO},
             {"heat", "T, LAYER=T or LAYER.HEAD=T, 1.3=2", ACT_HEAT, ADDRESS_ANY}};

enum { KINDS = sizeof kinds / sizeof *kinds };

static bool read_count(const char **at, size_t *value) {
    char *end;
    if (**at < '0' || **at > '9') return false;
    unsigned long long number = strtoull(*at, &end, 10);
    *value = (size_t)number, *at = end;
    return number < ACT_ALL;
}

/* LAYER, LAYER.INDEX or nothing, then a number up to the end. */
static bool read_act(const char *at, Address address, Act *act) {
    char *end;
    act->layer = act->index = ACT_ALL;
    if (address != ADDRESS_ANY || strchr(at, '=')) {
        if (!read_count(&at, &act->layer)) return false;
        bool two = *at == '.';
        if (two ? address == ADDRESS_ONE : address == ADDRESS_TWO) return false;
        if (two && (at++, !read_count(&at, &act->index))) return false;
        if (*at++ != '=') return false;
    }
    if (!*at || strspn(at, "+-.0123456789eE") != strlen(at)) return false;
    act->value = strtof(at, &end);
    return !*end;
}

static bool interventions_has(const Interventions *list, const Act *act) {
    for (const Act *a = list->acts; a < list->acts + list->count; a++)
        if (a->kind == act->kind && a->layer == act->layer && a->index == act->index)
            return true;
    return false;
}

bool interventions_add(Interventions *list, const char *kind, const char *text, Fault *fault) {
    for (size_t k = 0; k < KINDS; k++) {
        if (strcmp(kinds[k].name, kind) != 0) continue;
        Act act = {.kind = kinds[k].kind};
        if (!read_act(text, kinds[k].address, &act))
            return fault_set(fault, "%s '%.60s': wanted %s", kind, text, kinds[k].form);
        if (interventions_has(list, &act))
            return fault_set(fault, "%s '%.60s': already changed", kind, text);
        if (list->count == INTERVENTIONS)
            return fault_set(fault, "more than %d interventions", INTERVENTIONS);
        list->acts[list->count++] = act;
        return true;
    }
    return fault_set(fault, "no intervention '%.40s': there are head, layer, neuron and heat",
                     kind);
}

bool interventions_read(Interventions *list, const char *text, Fault *fault) {
    *list = (Interventions){.count = 0};
    while (*text) {
        char item[80];
        size_t n = strcspn(text, ",");
        if (n >= sizeof item)
            return fault_set(fault, "an intervention of %zu characters: '%.60s...'", n, text);
        memcpy(item, text, n), item[n] = 0;
        char *colon = strchr(item, ':');
        if (!colon) return fault_set(fault, "intervention '%s': wanted head:1.3=0", item);
        *colon = 0;
        if (!interventions_add(list, item, colon + 1, fault)) return false;
        text += n + (text[n] == ',');
    }
    return true;
}
