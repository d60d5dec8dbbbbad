/* chain_parse.c - a text becomes a chain.  See chain.h. */
#include "chain_read.h"
#include "nearest.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int param_count(const StageKind *kind) {
    int n = 0;
    while (n < STAGE_PARAMS && kind->params[n].key) n++;
    return n;
}

static int param_find(const StageKind *kind, Text key) {
    int i = 0, n = param_count(kind);
    while (i < n && !text_equal(key, text_of(kind->params[i].key))) i++;
    return i < n ? i : -1;
}

static bool unknown_stage(Text name, Fault *fault) {
    const StageKind *const *list;
    const ChainPreset *presets;
    char names[700] = "", meant[80];
    if (chain_meant(name, meant, sizeof meant)) {
        size_t size = strlen(meant);
        return fault_set(
            fault, "no stage '%.*s' in the chain; did you mean %.*s? strata samplers lists all",
            chain_shown(name), name.data, (int)(size - (meant[size - 1] == ':')), meant);
    }
    size_t count = stage_list(&list), n_presets = chain_presets(&presets);
    for (size_t i = 0; i < count; i++)
        snprintf(names + strlen(names), sizeof names - strlen(names), "%s%s", i ? ", " : "",
                 list[i]->name);
    for (size_t i = 0; i < n_presets; i++)
        snprintf(names + strlen(names), sizeof names - strlen(names), "%s%s",
                 i ? ", " : "; presets ", presets[i].name);
    return fault_set(fault, "no stage '%.*s' in the chain: there are %s", chain_shown(name),
                     name.data, names);
}

static bool unknown_key(const StageKind *kind, Text key, Fault *fault) {
    char keys[200] = "", hint[80];
    for (int i = 0; i < param_count(kind); i++)
        snprintf(keys + strlen(keys), sizeof keys - strlen(keys), "%s%s", i ? ", " : "",
                 kind->params[i].key);
    if (kind->list == LIST_BREAKS)
        snprintf(keys + strlen(keys), sizeof keys - strlen(keys), ", break");
    return fault_set(fault, "stage %s has no parameter '%.*s'%s%s%s", kind->name,
                     chain_shown(key), key.data, *keys ? ": it has " : ": it has none", keys,
                     nearest_hint(hint, sizeof hint, key, keys));
}

static bool set_value(Stage *stage, int index, Text text, Fault *fault) {
    const StageParam *p = &stage->kind->params[index];
    double number;
    bool ok = chain_read_number(text, &number) && number >= p->low && number <= p->high &&
              !(p->exclusive_min && number == p->low) &&
              !(p->integer && number != floor(number));
    if (!ok)
        return fault_set(
            fault, "%s: %s is '%.*s', wanted %s %s %g %s %g%s", stage->kind->name, p->key,
            chain_shown(text), text.data, p->integer ? "an integer" : "a number",
            p->exclusive_min ? "above" : "from", p->low, p->exclusive_min ? "and up to" : "to",
            p->high, p->has_off ? ", or off" : "");
    stage->value[index] = number;
    return true;
}

static bool parse_param(ChainReader *r, Stage *stage, Text text, bool first, unsigned *given) {
    Text value = text, key = text_cut(&value, '=');
    bool bare = key.size == text.size;
    const StageKind *kind = stage->kind;
    key = chain_trim(key);
    int index = bare ? (first && param_count(kind) > 0 ? 0 : -1) : param_find(kind, key);
    bool listed = kind->list == LIST_BREAKS ? !bare && text_equal(key, text_of("break"))
                                            : kind->list != LIST_NONE && (bare || index < 0);
    if (listed) return chain_add_list_text(r, stage, text) && chain_add_to_list(r, stage, text);
    if (bare && first && text_equal(key, text_of("off"))) {
        if (!stage_takes_off(kind))
            return fault_set(r->fault, "%s cannot be off: leave it out", kind->name);
        if (kind->params[0].has_off) stage->value[0] = kind->params[0].off;
        *given |= 1;
        return true;
    }
    if (index < 0) return unknown_key(kind, key, r->fault);
    if (*given & 1u << index)
        return fault_set(r->fault, "%s: %s is given twice", kind->name,
                         kind->params[index].key);
    *given |= 1u << index;
    return set_value(stage, index, bare ? text : value, r->fault);
}

static bool complete(ChainReader *r, Stage *stage, unsigned given) {
    Fault *fault = r->fault;
    const StageKind *kind = stage->kind;
    for (int i = 0; i < param_count(kind); i++)
        if (kind->params[i].required && !(given & 1u << i))
            return fault_set(fault, "%s needs a value: %s for instance", kind->name,
                             kind->example);
    bool text = kind->list >= LIST_ONE_TEXT;
    if (kind->list != LIST_NONE && kind->list != LIST_BREAKS && stage->n_list == 0 &&
        !stage->text)
        return fault_set(fault, "%s needs a %s: %s for instance", kind->name,
                         text ? "text" : "list", kind->example);
    return !kind->open || kind->open(stage, r->tokenizer, fault);
}

static bool parse_stages(ChainReader *r, Text rest);

/* A name that no stage has: a preset, an empty one, or a mistake. */
static bool parse_other(ChainReader *r, Text name, bool has_params) {
    const ChainPreset *preset = chain_preset_find(name);
    if (preset && !has_params) return parse_stages(r, text_of(preset->spec));
    if (preset)
        return fault_set(r->fault, "%s is a preset, %s: it takes no parameters", preset->name,
                         preset->spec);
    if (name.size == 0)
        return fault_set(r->fault, "no stage beside a comma or before a colon of the chain: "
                                   "wanted stages with commas between, like top_k:40,temp:0.8");
    return unknown_stage(name, r->fault);
}

/* Append a stage with its defaults; NULL: not allowed at this position. */
static Stage *add_stage(ChainReader *r, const StageKind *kind) {
    Chain *chain = r->chain;
    const StageKind *last = chain->count ? chain->stages[chain->count - 1].kind : NULL;
    if (chain->count == CHAIN_STAGES) {
        fault_set(r->fault, "a chain has at most %d stages", CHAIN_STAGES);
        return NULL;
    }
    if (last && last->selects) {
        fault_set(r->fault, "%s comes after %s, which has selected the token: put it before",
                  kind->name, last->name);
        return NULL;
    }
    Stage *stage = &chain->stages[chain->count];
    *stage = (Stage){.kind = kind, .index = chain->count, .selected = -1};
    chain->count++; /* from here on chain_close frees it */
    for (int i = 0; i < param_count(kind); i++) stage->value[i] = kind->params[i].default_value;
    return stage;
}

static bool parse_stage(ChainReader *r, Text text) {
    text = chain_trim(text);
    Text rest = text, name = text_cut(&rest, ':');
    const StageKind *kind = stage_find(chain_trim(name));
    unsigned given = 0;
    bool more = name.size < text.size;
    if (!kind) return parse_other(r, chain_trim(name), more);
    Stage *stage = add_stage(r, kind);
    for (bool first = true; stage && more; first = false) {
        size_t before = rest.size;
        Text param = kind->list == LIST_STAGE ? rest : text_cut(&rest, ':');
        if (!parse_param(r, stage, chain_trim_end(param), first, &given)) return false;
        more = param.size < before;
    }
    return stage && complete(r, stage, given);
}

static bool parse_stages(ChainReader *r, Text rest) {
    for (bool more = true; more;) {
        size_t before = rest.size;
        Text stage = text_cut(&rest, ',');
        if (!parse_stage(r, stage)) return false;
        more = stage.size < before;
    }
    return true;
}

bool chain_parse(Chain *chain, const char *spec, const Tokenizer *tokenizer, Fault *fault) {
    *chain = (Chain){0};
    ChainReader reader = {chain, tokenizer, fault};
    if (spec[strspn(spec, " ")] == 0)
        return fault_set(fault, "the chain is empty: 'draw' samples from the model as it is, "
                                "'greedy' takes the best");
    bool ok = parse_stages(&reader, text_of(spec));
    size_t vocab = tokenizer ? tokenizer_count(tokenizer) : SIZE_MAX;
    if (ok && !chain->stages[chain->count - 1].kind->selects)
        ok = parse_stage(&reader, text_of("draw"));
    ok = ok && chain_check_tokens(chain, vocab, fault);
    chain->vocab = tokenizer ? vocab : 0;
    if (ok)
        chain_reset(chain);
    else
        chain_close(chain);
    return ok;
}
