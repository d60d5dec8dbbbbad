/* config.c - config.json as the keys of a GGUF file.  See parts.h and sizes.c.
 *
 * A key of config.json is one of four things: it has a key here; it must have its only
 * supported value; it is known to change nothing; or it is refused by name.  null means
 * absent. */
#include "parts.h"
#include "json.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void put_size(Conversion *c, const char *name, size_t value) {
    char key[96];
    snprintf(key, sizeof key, "%s.%s", c->prefix, name);
    gguf_put_int(c->writer, key, GGUF_U32, (int64_t)value);
}

void put_number(Conversion *c, const char *name, double value) {
    char key[96];
    snprintf(key, sizeof key, "%s.%s", c->prefix, name);
    gguf_put_float(c->writer, key, GGUF_F32, value);
}

/* ------------------------------------------------------------------ one key */

/* As in the table: 1, true, [], a word. */
Text config_plain(const JsonValue *value) {
    switch (value->kind) {
    case JSON_TRUE: return text_of("true");
    case JSON_FALSE: return text_of("false");
    case JSON_ARRAY: return text_of(value->count ? "a list" : "[]");
    case JSON_OBJECT: return text_of(value->count ? "an object" : "{}");
    case JSON_NULL: return text_of("null");
    default: return value->text;
    }
}

/* A text that reads like another value: "16", "true". */
static bool needs_quotes(const JsonValue *value) {
    return value->kind == JSON_STRING &&
           (listed("true false null", value->text) ||
            (value->text.size && strchr("-0123456789", *value->text.data)));
}

bool key_refuse(const Conversion *c, const char *file, Text name, const JsonValue *value,
                const char *wanted) {
    Text got = config_plain(value);
    const char *quote = needs_quotes(value) ? "\"" : "";
    return REFUSE(c, "%s: '%.*s' is %s%.*s%s, wanted %s", file, (int)min_size(60, name.size),
                  name.data, quote, (int)min_size(60, got.size), got.data, quote, wanted);
}

static bool config_refuse(const Conversion *c, Text name, const JsonValue *value,
                          const char *wanted) {
    return key_refuse(c, "config.json", name, value, wanted);
}

/* Of keys that become the same one the first counts, and others have its value. */
static const JsonValue *first_like(const Conversion *c, const ConfigKey *key) {
    const JsonValue *config = c->folder.sizes;
    for (size_t i = 0; i < config->count; i++) {
        const ConfigKey *other = config_key(c, config->keys[i]);
        if (other && other->use == key->use && config->items[i].kind != JSON_NULL &&
            strcmp(other->ours, key->ours) == 0)
            return &config->items[i];
    }
    return NULL;
}

/* Heads of a family whose layers are listed: layers.c writes them, once the list is known. */
static bool heads_are_listed(const Conversion *c, const char *ours) {
    return (quirks_of(c->recipe)->window_listed || quirks_of(c->recipe)->optional_parts) &&
           strncmp(ours, "attention.head_count", 20) == 0;
}

/* A list of integers, one for each layer: a number, where all are the same. */
static bool use_sizes(Conversion *c, const ConfigKey *key, Text name, const JsonValue *list) {
    char full[96];
    const bool sees = quirks_of(c->recipe)->is_vision_tower; /* [448, 448] */
    bool same = true, ok = list->count > 0 && list->count < 65536 &&
                           (sees || !c->layers || list->count == c->layers - c->drafts);
    int64_t *values = calloc(list->count + 1, sizeof *values);
    if (!values) return REFUSE(c, "no memory for a list of config.json");
    for (size_t i = 0; ok && i < list->count; i++) {
        size_t size;
        ok = json_size(&list->items[i], &size) && size <= UINT32_MAX;
        values[i] = (int64_t)size, same = same && values[i] == values[0];
    }
    snprintf(full, sizeof full, "%s.%s", c->prefix, key->ours);
    if (ok && same)
        put_size(c, key->ours, (size_t)values[0]);
    else if (ok)
        gguf_put_ints(c->writer, full, GGUF_U32, values, list->count);
    free(values);
    snprintf(full, sizeof full, "an integer, or one for each of %zu layers",
             c->layers - c->drafts);
    return ok || config_refuse(c, name, list, full);
}

static bool use_number(Conversion *c, const ConfigKey *key, Text name, const JsonValue *value) {
    const JsonValue *first = first_like(c, key);
    size_t size;
    double number;
    if (first != value)
        return text_equal(first->text, value->text) ||
               config_refuse(c, name, value, "what a key of the same meaning says");
    if (key->use == SIZE && value->kind == JSON_ARRAY) return use_sizes(c, key, name, value);
    if (key->use == SIZE) {
        if (!json_size(value, &size) || size > UINT32_MAX)
            return config_refuse(c, name, value, "an integer below 2^32");
        if (heads_are_listed(c, key->ours)) return true;
        if (strcmp(key->ours, "context_length") == 0) size -= min_size(size, c->first_position);
        if (strcmp(key->ours, "block_count") == 0) size += c->drafts;
        return put_size(c, key->ours, size), true;
    }
    if (!json_number(value, &number)) return config_refuse(c, name, value, "a number");
    return put_number(c, key->ours, number), true;
}

static bool use_flag(Conversion *c, const ConfigKey *key, Text name, const JsonValue *value) {
    char full[96];
    if (value->kind != JSON_TRUE && value->kind != JSON_FALSE)
        return config_refuse(c, name, value, "true or false");
    snprintf(full, sizeof full, "%s.%s", c->prefix, key->ours);
    gguf_put_int(c->writer, full, GGUF_BOOL, value->kind == JSON_TRUE);
    return true;
}

/* The activation is the family's, under one of its names. */
static bool check_activation_name(Conversion *c, Text name, const JsonValue *value) {
    static const char *const names[] = {
        [ACT_SILU] = "silu swish swiglu SwiGLU",
        [ACT_XIELU] = "xielu",
        [ACT_SWIGLU_CLAMPED] = "silu",
        [ACT_RELU] = "relu",
        [ACT_RELU_SQUARED] = "relu2",
        [ACT_GELU_TANH] = "gelu_pytorch_tanh gelu_new gelu_fast gelu",
    };
    const JsonValue *inner = json_get(value, "name"); /* DBRX */
    if (inner) value = inner;
    const Activation act = quirks_of(c->recipe)->recurrent && !c->recipe->gated &&
                                   c->recipe->act != ACT_RELU_SQUARED
                               ? ACT_SILU
                               : c->recipe->act;
    const char *wanted = names[act] ? names[act] : "";
    if (json_is(value, "gelu"))
        convert_note(c, "GELU is computed by its tanh form: it differs from the "
                        "exact one by 0.0005 at most");
    return listed(wanted, config_plain(value)) || config_refuse(c, name, value, wanted);
}

static bool check_only(Conversion *c, const ConfigKey *key, Text name, const JsonValue *value) {
    char wanted[160];
    if (listed(key->ours, config_plain(value))) return true;
    snprintf(wanted, sizeof wanted, "%s: nothing else is built in for this family",
             *key->ours ? key->ours : "null");
    return config_refuse(c, name, value, wanted);
}

static bool may_be_left_out(const Conversion *c, Text name) {
    for (size_t i = 0; i < c->how->n_without; i++)
        if (text_equal(name, text_of(c->how->without[i]))) return true;
    return false;
}

/* Appends to a text of `size` bytes; false, and unchanged, if it does not fit. */
static bool append(char *text, size_t size, const char *before, Text word, const char *behind,
                   Text value) {
    size_t at = strlen(text);
    int n = snprintf(text + at, size - at, "%s%.*s%s%.*s", before, (int)word.size, word.data,
                     behind, (int)min_size(40, value.size), value.data);
    if (n >= 0 && (size_t)n < size - at) return true;
    return text[at] = 0, false;
}

/* "quantization_config": of what other programs write, MXFP4 and blocks of F8. */
static bool check_quantized(const Conversion *c) {
    const JsonValue *said = json_get(c->folder.sizes, "quantization_config"),
                    *method = json_get(said, "quant_method"),
                    *block = json_get(said, "weight_block_size");
    bool f8 = json_is(method, "fp8") && block && block->kind == JSON_ARRAY && block->count == 2;
    for (size_t i = 0; f8 && i < 2; i++) f8 = text_equal(block->items[i].text, text_of("128"));
    if (!said || said->kind == JSON_NULL || f8 || json_is(method, "mxfp4")) return true;
    return REFUSE(
        c, "config.json: quantization_config is not of MXFP4 or of F8 in blocks of 128 by "
           "128, which are built in: give the folder whose weights are not quantized");
}

/* All unknown keys in one sentence, or the first of very many. */
bool refuse_unknown_keys(const Conversion *c, const char *file, const JsonValue *config,
                         KeyRow row) {
    char keys[150] = "", options[150] = "";
    size_t count = 0, shown = 0;
    for (size_t i = 0; i < config->count; i++) {
        Text name = config->keys[i];
        if (config->items[i].kind == JSON_NULL || may_be_left_out(c, name) || row(c, name))
            continue;
        if (name.size > 60) name.size = 60;
        bool fits = shown == count++ &&
                    append(keys, sizeof keys, shown ? ", '" : "'", name, "' is ",
                           config_plain(&config->items[i])) &&
                    append(options, sizeof options, " --without ", name, "", (Text){"", 0});
        shown += fits;
    }
    if (!count) return true;
    char more[40] = "";
    if (count > shown) snprintf(more, sizeof more, ", %zu more", count - shown);
    return REFUSE(c,
                  "%s: %s%s, and nothing is known of %s in a %.*s: the results may "
                  "change, so the folder is refused; what is known to be harmless may be left "
                  "out:%s",
                  file, keys, more, count > 1 ? "them" : "it", CLASS(c), options);
}

static bool use_key(Conversion *c, Text name, const JsonValue *value) {
    const ConfigKey *key = config_key(c, name);
    if (!key || value->kind == JSON_NULL) return true;
    switch (key->use) {
    case SIZE:
    case NUMBER: return use_number(c, key, name, value);
    case FLAG: return use_flag(c, key, name, value);
    case ONLY: return check_only(c, key, name, value);
    case ACT: return check_activation_name(c, name, value);
    case READ:
    case NOTHING: break;
    }
    return true;
}

/* ------------------------------------------------------------------ all of them */

/* Keys to ignore must be present and unknown: a known key has an effect. */
bool check_without(const Conversion *c, const char *file, const JsonValue *more, KeyRow row) {
    for (size_t i = 0; i < c->how->n_without; i++) {
        const char *name = c->how->without[i];
        const bool here = json_get(c->folder.sizes, name) != NULL;
        if (!here && !json_get(more, name))
            return REFUSE(c, "--without %s: %s has no such key", name, file);
        if (here ? config_key(c, text_of(name)) : row(c, text_of(name)))
            return REFUSE(c, "--without %s: this key is known, and is used as it stands", name);
    }
    return true;
}

static bool counts_from_pad(const ConvertFamily *family) {
    for (int l = 0; l < MAX_RULE_LISTS && family->rules[l]; l++)
        for (const NameRule *rule = family->rules[l]; rule->theirs; rule++)
            if (rule->change == AFTER_PAD) return true;
    return false;
}

/* Draft heads are further layers, if the folder has them. */
static void count_drafts(Conversion *c) {
    char name[60];
    const bool apart = folder_tensor(&c->folder, text_of("mtp.fc.weight"), "") ||
                       folder_tensor(&c->folder, text_of("model.mtp.fc.weight"), "");
    size_t drafts = size_or(c->folder.sizes, "num_nextn_predict_layers",
                            size_or(c->folder.sizes, "mtp_num_hidden_layers", apart));
    snprintf(name, sizeof name, "model.layers.%zu.eh_proj.weight", c->layers);
    if (!drafts || !quirks_of(c->recipe)->draft_heads ||
        (!apart && !folder_tensor(&c->folder, text_of(name), "")))
        return;
    c->drafts = drafts, c->layers += drafts;
    put_size(c, "nextn_predict_layers", drafts);
}

bool put_config(Conversion *c) {
    const JsonValue *config = c->folder.sizes;
    if (config->kind != JSON_OBJECT) return REFUSE(c, "config.json is not an object");
    const bool sees = quirks_of(c->recipe)->is_vision_tower; /* see pictures.c */
    if (!sees && !check_without(c, "config.json", NULL, config_key)) return false;
    if (!refuse_unknown_keys(c, "config.json", config, config_key) || !check_quantized(c))
        return false;
    c->layers = config_size(c, "block_count", 0);
    count_drafts(c);
    const JsonValue *pad = json_get(config, "pad_token_id");
    size_t id = 1;
    if (counts_from_pad(c->family)) {
        if (pad && pad->kind != JSON_NULL && !json_size(pad, &id))
            return config_refuse(c, text_of("pad_token_id"), pad,
                                 "the id of a token: positions are counted from it");
        c->first_position = min_size(id, 1 << 20) + 1;
    }
    gguf_put_string(c->writer, "general.architecture", text_of(c->family->arch));
    for (size_t i = 0; i < config->count; i++)
        if (!use_key(c, config->keys[i], &config->items[i])) return false;
    return put_sizes(c);
}
