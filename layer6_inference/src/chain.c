/* chain.c - see chain.h. */
#include "chain.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char chain_default[] = "top_p:0.9,temp:0.8";

/* Cut the part before `mark` off the front of *rest. */
static Text cut(Text *rest, char mark) {
    const char *at = rest->size ? memchr(rest->data, mark, rest->size) : NULL;
    Text part = {rest->data, at ? (size_t)(at - rest->data) : rest->size};
    size_t skip = part.size + (at != NULL);
    rest->data += skip, rest->size -= skip;
    return part;
}

static int param_count(const StageKind *kind) {
    int n = 0;
    while (n < STAGE_PARAMS && kind->params[n].key) n++;
    return n;
}

static bool unknown_stage(Text name, Fault *fault) {
    const StageKind *const *list;
    char names[300] = "";
    size_t count = stage_list(&list);
    for (size_t i = 0; i < count; i++)
        snprintf(names + strlen(names), sizeof names - strlen(names), "%s%s", i ? ", " : "",
                 list[i]->name);
    return fault_set(fault, "no stage '%.*s' in the chain: there are %s",
                     (int)(name.size < 40 ? name.size : 40), name.data, names);
}

static bool unknown_key(const StageKind *kind, Text key, Fault *fault) {
    char keys[200] = "";
    for (int i = 0; i < param_count(kind); i++)
        snprintf(keys + strlen(keys), sizeof keys - strlen(keys), "%s%s", i ? ", " : "",
                 kind->params[i].key);
    return fault_set(fault, "stage %s has no parameter '%.*s'%s%s", kind->name,
                     (int)(key.size < 40 ? key.size : 40), key.data,
                     *keys ? ": it has " : ": it has none", keys);
}

static bool set_value(Stage *stage, int index, Text value, Fault *fault) {
    const StageParam *p = &stage->kind->params[index];
    char text[64] = "", *end;
    if (value.size < sizeof text) memcpy(text, value.data, value.size);
    double number = strtod(text, &end);
    bool ok =
        value.size > 0 && *end == 0 && end != text && number >= p->low && number <= p->high;
    if (!ok || (p->whole && number != floor(number)))
        return fault_set(fault, "%s: %s is '%.*s', wanted a %snumber from %g to %g",
                         stage->kind->name, p->key, (int)(value.size < 40 ? value.size : 40),
                         value.data, p->whole ? "whole " : "", p->low, p->high);
    stage->value[index] = number;
    return true;
}

static bool parse_param(Stage *stage, Text text, bool first, unsigned *given, Fault *fault) {
    Text value = text, key = cut(&value, '=');
    bool bare = key.size == text.size;
    int index = 0, n = param_count(stage->kind);
    if (bare && (!first || n == 0)) return unknown_key(stage->kind, key, fault);
    while (!bare && index < n && !text_equal(key, text_of(stage->kind->params[index].key)))
        index++;
    if (index == n) return unknown_key(stage->kind, key, fault);
    if (*given & 1u << index)
        return fault_set(fault, "%s: %s is given twice", stage->kind->name,
                         stage->kind->params[index].key);
    *given |= 1u << index;
    return set_value(stage, index, bare ? text : value, fault);
}

static bool parse_stage(Chain *chain, Text text, Fault *fault) {
    Text rest = text, name = cut(&rest, ':');
    const StageKind *kind = stage_find(name);
    unsigned given = 0;
    if (!kind) return unknown_stage(name, fault);
    if (chain->count == CHAIN_STAGES)
        return fault_set(fault, "a chain has at most %d stages", CHAIN_STAGES);
    if (chain->count && chain->stages[chain->count - 1].kind->picks)
        return fault_set(fault, "%s comes after %s, which has picked already: put it before",
                         kind->name, chain->stages[chain->count - 1].kind->name);
    Stage *stage = &chain->stages[chain->count];
    *stage = (Stage){.kind = kind, .index = chain->count};
    for (int i = 0; i < param_count(kind); i++) stage->value[i] = kind->params[i].fallback;
    bool more = name.size < text.size;
    for (bool first = true; more; first = false) {
        size_t before = rest.size;
        Text param = cut(&rest, ':');
        if (!parse_param(stage, param, first, &given, fault)) return false;
        more = param.size < before;
    }
    for (int i = 0; i < param_count(kind); i++)
        if (kind->params[i].needed && !(given & 1u << i))
            return fault_set(fault, "%s needs a value: %s:%g for instance", kind->name,
                             kind->name, kind->params[i].whole ? 40 : 0.8);
    chain->count++;
    return true;
}

bool chain_parse(Chain *chain, const char *spec, Fault *fault) {
    *chain = (Chain){0};
    Text rest = text_of(spec);
    bool more = true;
    if (rest.size == 0)
        return fault_set(fault, "the chain is empty: 'draw' samples from the model as it is, "
                                "'greedy' takes the best");
    while (more) {
        size_t before = rest.size;
        Text stage = cut(&rest, ',');
        if (!parse_stage(chain, stage, fault)) return false;
        more = stage.size < before;
    }
    if (!chain->stages[chain->count - 1].kind->picks)
        return parse_stage(chain, text_of("draw"), fault);
    return true;
}

/* The shortest decimal form that reads back as the same number. */
static void print_number(double value, char *out, size_t size) {
    if (value == floor(value) && fabs(value) < 1e9) {
        snprintf(out, size, "%.0f", value);
        return;
    }
    for (int digits = 1; digits <= 17; digits++) {
        snprintf(out, size, "%.*g", digits, value);
        if (strtod(out, NULL) == value) return;
    }
}

const char *chain_print(const Chain *chain, char *text) {
    char number[40];
    size_t used = 0;
    text[0] = 0;
    for (size_t i = 0; i < chain->count; i++) {
        const Stage *s = &chain->stages[i];
        used += (size_t)snprintf(text + used, CHAIN_TEXT - used, "%s%s", i ? "," : "",
                                 s->kind->name);
        for (int p = 0; p < param_count(s->kind); p++) {
            const StageParam *param = &s->kind->params[p];
            if (!param->needed && s->value[p] == param->fallback) continue;
            print_number(s->value[p], number, sizeof number);
            used += (size_t)snprintf(text + used, CHAIN_TEXT - used,
                                     param->needed ? ":%s%s" : ":%s=%s",
                                     param->needed ? "" : param->key, number);
        }
    }
    return text;
}

int32_t chain_run(const Chain *chain, Candidates *candidates, const Step *step) {
    for (size_t i = 0; i < chain->count; i++)
        chain->stages[i].kind->apply(&chain->stages[i], candidates, step);
    REQUIRE(candidates->chosen >= 0, "no stage picked a token");
    return candidates->chosen;
}
