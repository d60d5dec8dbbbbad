/* chain_parse.c - a text becomes a chain.  See chain.h. */
#include "chain.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char chain_default[] = "top_p:0.9,temp:0.8";

static const ChainPreset presets[] = {
    {"llama", "penalties:last=64,top_k:40,top_p:0.95,min_p:0.05,temp:0.8",
     "the defaults of llama.cpp: temperature last"},
    {"hf", "temp:1,top_k:50,top_p:1", "the defaults of Hugging Face: temperature first"},
    {"openai", "temp:1,top_p:1", "the defaults of the OpenAI API: the model as it is"},
    {"ollama", "penalties:rep=1.1:last=64,top_k:40,top_p:0.9,temp:0.8",
     "the defaults of Ollama"},
    {"precise", "min_p:0.2,temp:0.3", "few surprises"},
    {"balanced", "top_p:0.9,temp:0.8", "what strata does when no chain is given"},
    {"creative", "min_p:0.03,dry:0.8,xtc:0.5:t=0.1,temp:1.1", "the unexpected, without loops"}};

size_t chain_presets(const ChainPreset **list) {
    *list = presets;
    return sizeof presets / sizeof *presets;
}

typedef struct Reader {
    Chain *chain;
    const Tokenizer *tokenizer;
    Fault *fault;
} Reader;

/* Cut the part before `mark` off the front of *rest. */
static Text cut(Text *rest, char mark) {
    const char *at = rest->size ? memchr(rest->data, mark, rest->size) : NULL;
    Text part = {rest->data, at ? (size_t)(at - rest->data) : rest->size};
    size_t skip = part.size + (at != NULL);
    rest->data += skip, rest->size -= skip;
    return part;
}

/* Spaces around a text do not belong to it. */
static Text trim(Text text) {
    while (text.size && text.data[0] == ' ') text.data++, text.size--;
    while (text.size && text.data[text.size - 1] == ' ') text.size--;
    return text;
}

static int shown(Text text) { return (int)(text.size < 40 ? text.size : 40); }

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
    char names[700] = "";
    size_t count = stage_list(&list);
    for (size_t i = 0; i < count; i++)
        snprintf(names + strlen(names), sizeof names - strlen(names), "%s%s", i ? ", " : "",
                 list[i]->name);
    for (size_t i = 0; i < sizeof presets / sizeof *presets; i++)
        snprintf(names + strlen(names), sizeof names - strlen(names), "%s%s",
                 i ? ", " : "; presets ", presets[i].name);
    return fault_set(fault, "no stage '%.*s' in the chain: there are %s", shown(name),
                     name.data, names);
}

static bool unknown_key(const StageKind *kind, Text key, Fault *fault) {
    char keys[200] = "";
    for (int i = 0; i < param_count(kind); i++)
        snprintf(keys + strlen(keys), sizeof keys - strlen(keys), "%s%s", i ? ", " : "",
                 kind->params[i].key);
    return fault_set(fault, "stage %s has no parameter '%.*s'%s%s", kind->name, shown(key),
                     key.data, *keys ? ": it has " : ": it has none", keys);
}

/* A number, which may be infinite. */
static bool read_number(Text text, double *number) {
    char copy[64] = "", *end;
    text = trim(text);
    if (text.size == 0 || text.size >= sizeof copy) return false;
    memcpy(copy, text.data, text.size);
    *number = strtod(copy, &end);
    return *end == 0 && end != copy && !isnan(*number);
}

static bool set_value(Stage *stage, int index, Text text, Fault *fault) {
    const StageParam *p = &stage->kind->params[index];
    double number;
    bool ok = read_number(text, &number) && number >= p->low && number <= p->high &&
              !(p->open && number == p->low) && !(p->whole && number != floor(number));
    if (!ok)
        return fault_set(fault, "%s: %s is '%.*s', wanted a %snumber %s %g %s %g%s",
                         stage->kind->name, p->key, shown(text), text.data,
                         p->whole ? "whole " : "", p->open ? "above" : "from", p->low,
                         p->open ? "and up to" : "to", p->high, p->has_off ? ", or off" : "");
    stage->value[index] = number;
    return true;
}

/* ------------------------------------------------------------------ lists */

static StageListItem *add_item(Stage *stage, const int32_t *ids, size_t count, double value) {
    stage->list = realloc(stage->list, (stage->n_list + 1) * sizeof *stage->list);
    int32_t *copy = malloc(count * sizeof *copy);
    REQUIRE(stage->list && copy, "no memory for a list of tokens");
    memcpy(copy, ids, count * sizeof *copy);
    stage->list[stage->n_list] = (StageListItem){copy, count, value};
    return &stage->list[stage->n_list++];
}

static int hex(char c) {
    return c >= '0' && c <= '9'   ? c - '0'
           : c >= 'A' && c <= 'F' ? c - 'A' + 10
           : c >= 'a' && c <= 'f' ? c - 'a' + 10
                                  : -1;
}

/* %20 is a space; out has room for all.  Returns the size, or -1. */
static long percent_decode(Text text, char *out) {
    long size = 0;
    for (size_t i = 0; i < text.size; i++) {
        if (text.data[i] != '%') {
            out[size++] = text.data[i];
            continue;
        }
        if (i + 2 >= text.size || hex(text.data[i + 1]) < 0 || hex(text.data[i + 2]) < 0)
            return -1;
        out[size++] = (char)(hex(text.data[i + 1]) * 16 + hex(text.data[i + 2]));
        i += 2;
    }
    return size;
}

/* The text, and the text after a space. */
static bool add_text(Reader *r, Stage *stage, Text text) {
    char bytes[256] = " ";
    long size = text.size < sizeof bytes - 1 ? percent_decode(text, bytes + 1) : -1;
    if (!r->tokenizer)
        return fault_set(r->fault, "%s works on texts: it needs a model's tokenizer",
                         stage->kind->name);
    if (size < 1)
        return fault_set(r->fault, "%s: '%.*s' is no text of 1 to 254 bytes (a %% is %%25)",
                         stage->kind->name, shown(text), text.data);
    bool ok = true;
    for (int space = bytes[1] == ' '; space < 2 && ok; space++) {
        TokenList tokens = {0};
        ok =
            tokenizer_encode(r->tokenizer, (Text){bytes + !space, (size_t)size + (size_t)space},
                             false, &tokens, r->fault);
        if (tokens.count) add_item(stage, tokens.ids, tokens.count, 0);
        token_list_free(&tokens);
    }
    return ok;
}

/* Beyond this a bias would leave nothing of the logit, and two could make an infinity. */
#define BIAS_MOST 1e30

static bool is_bias(double value) { return value == -INFINITY || fabs(value) <= BIAS_MOST; }

static bool add_to_list(Reader *r, Stage *stage, Text text) {
    Text value = text, key = cut(&value, '=');
    bool pair = key.size < text.size;
    double id, number = 0;
    if (stage->kind->list == LIST_TEXTS) return add_text(r, stage, text);
    bool ok = read_number(key, &id) && id >= 0 && id <= 2e9 && id == floor(id) &&
              pair == (stage->kind->list == LIST_BIASES) &&
              (!pair || (read_number(value, &number) && is_bias(number)));
    if (!ok)
        return fault_set(r->fault, "%s: '%.*s' is no %s, wanted %s", stage->kind->name,
                         shown(text), text.data, pair ? "bias" : "token id",
                         stage->kind->list == LIST_BIASES
                             ? "ID=B with a number B from -1e30 to 1e30 or -inf, like 15=-2"
                             : "the number of a token");
    add_item(stage, &(int32_t){(int32_t)id}, 1, number);
    return true;
}

static void add_list_text(Stage *stage, Text text) {
    size_t used = stage->list_text ? strlen(stage->list_text) : 0;
    char *grown = realloc(stage->list_text, used + text.size + 2);
    REQUIRE(grown, "no memory for a list of tokens");
    snprintf(grown + used, text.size + 2, ":%.*s", (int)text.size, text.data);
    stage->list_text = grown;
}

/* ------------------------------------------------------------------ stages */

static bool parse_param(Reader *r, Stage *stage, Text text, bool first, unsigned *given) {
    Text value = text, key = cut(&value, '=');
    bool bare = key.size == text.size;
    const StageKind *kind = stage->kind;
    key = trim(key);
    int index = bare ? (first && param_count(kind) > 0 ? 0 : -1) : param_find(kind, key);
    if (kind->list != LIST_NONE && (bare || index < 0)) {
        add_list_text(stage, text);
        return add_to_list(r, stage, text);
    }
    if (bare && first && text_equal(key, text_of("off"))) {
        if (param_count(kind) && kind->params[0].has_off)
            stage->value[0] = kind->params[0].off;
        else if (!stage_is_off(stage))
            return fault_set(r->fault, "%s cannot be off: leave it out", kind->name);
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

static bool complete(const Stage *stage, unsigned given, Fault *fault) {
    const StageKind *kind = stage->kind;
    for (int i = 0; i < param_count(kind); i++)
        if (kind->params[i].needed && !(given & 1u << i))
            return fault_set(fault, "%s needs a value: %s for instance", kind->name,
                             kind->example);
    if (kind->list != LIST_NONE && stage->n_list == 0)
        return fault_set(fault, "%s needs a list: %s for instance", kind->name, kind->example);
    return true;
}

static bool parse_stages(Reader *r, Text rest);

static const ChainPreset *preset_find(Text name) {
    for (size_t i = 0; i < sizeof presets / sizeof *presets; i++)
        if (text_equal(name, text_of(presets[i].name))) return &presets[i];
    return NULL;
}

/* What is no stage: a preset, nothing, or a mistake. */
static bool parse_other(Reader *r, Text name, bool has_params) {
    const ChainPreset *preset = preset_find(name);
    if (preset && !has_params) return parse_stages(r, text_of(preset->spec));
    if (preset)
        return fault_set(r->fault, "%s is a preset, %s: it takes no parameters", preset->name,
                         preset->spec);
    if (name.size == 0)
        return fault_set(r->fault, "no stage beside a comma or before a colon of the chain: "
                                   "wanted stages with commas between, like top_k:40,temp:0.8");
    return unknown_stage(name, r->fault);
}

/* A stage at the end of the chain, with its defaults; NULL: it cannot stand there. */
static Stage *add_stage(Reader *r, const StageKind *kind) {
    Chain *chain = r->chain;
    const StageKind *last = chain->count ? chain->stages[chain->count - 1].kind : NULL;
    if (chain->count == CHAIN_STAGES) {
        fault_set(r->fault, "a chain has at most %d stages", CHAIN_STAGES);
        return NULL;
    }
    if (last && last->picks) {
        fault_set(r->fault, "%s comes after %s, which has picked already: put it before",
                  kind->name, last->name);
        return NULL;
    }
    Stage *stage = &chain->stages[chain->count];
    *stage = (Stage){.kind = kind, .index = chain->count, .picked = -1};
    chain->count++; /* chain_close frees it from here on */
    for (int i = 0; i < param_count(kind); i++) stage->value[i] = kind->params[i].fallback;
    return stage;
}

static bool parse_stage(Reader *r, Text text) {
    text = trim(text);
    Text rest = text, name = cut(&rest, ':');
    const StageKind *kind = stage_find(trim(name));
    unsigned given = 0;
    bool more = name.size < text.size;
    if (!kind) return parse_other(r, trim(name), more);
    Stage *stage = add_stage(r, kind);
    for (bool first = true; stage && more; first = false) {
        size_t before = rest.size;
        Text param = cut(&rest, ':');
        if (!parse_param(r, stage, param, first, &given)) return false;
        more = param.size < before;
    }
    return stage && complete(stage, given, r->fault);
}

static bool parse_stages(Reader *r, Text rest) {
    for (bool more = true; more;) {
        size_t before = rest.size;
        Text stage = cut(&rest, ',');
        if (!parse_stage(r, stage)) return false;
        more = stage.size < before;
    }
    return true;
}

bool chain_parse(Chain *chain, const char *spec, const Tokenizer *tokenizer, Fault *fault) {
    *chain = (Chain){0};
    Reader reader = {chain, tokenizer, fault};
    if (spec[strspn(spec, " ")] == 0)
        return fault_set(fault, "the chain is empty: 'draw' samples from the model as it is, "
                                "'greedy' takes the best");
    bool ok = parse_stages(&reader, text_of(spec));
    size_t vocab = tokenizer ? tokenizer_count(tokenizer) : SIZE_MAX;
    if (ok && !chain->stages[chain->count - 1].kind->picks)
        ok = parse_stage(&reader, text_of("draw"));
    ok = ok && chain_check_tokens(chain, vocab, fault);
    if (ok)
        chain_reset(chain);
    else
        chain_close(chain);
    return ok;
}
