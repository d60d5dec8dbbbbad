/* config.c - config.json as the keys of a GGUF file.  See parts.h and sizes.c.
 *
 * A key of config.json is one of four things: it has a key here; it must have its only
 * supported value; it is known to change nothing; or it is refused by name.  null means
 * absent. */
#include "parts.h"
#include "json.h"

#include <stdio.h>
#include <string.h>

void put_size(Conversion *c, const char *name, size_t value) {
    char key[96];
    snprintf(key, sizeof key, "%s.%s", c->family->arch, name);
    gguf_put_int(c->writer, key, GGUF_U32, (int64_t)value);
}

void put_number(Conversion *c, const char *name, double value) {
    char key[96];
    snprintf(key, sizeof key, "%s.%s", c->family->arch, name);
    gguf_put_float(c->writer, key, GGUF_F32, value);
}

/* ------------------------------------------------------------------ one key */

/* As in the table: 1, true, [], a word. */
static Text config_plain(const JsonValue *value) {
    switch (value->kind) {
    case JSON_TRUE: return text_of("true");
    case JSON_FALSE: return text_of("false");
    case JSON_ARRAY: return text_of(value->count ? "a list" : "[]");
    case JSON_OBJECT: return text_of(value->count ? "an object" : "{}");
    case JSON_NULL: return text_of("null");
    default: return value->text;
    }
}

static bool config_refuse(const Conversion *c, Text name, const JsonValue *value,
                          const char *wanted) {
    Text got = config_plain(value);
    return REFUSE(c, "config.json: '%.*s' is %.*s, wanted %s", (int)min_size(60, name.size),
                  name.data, (int)min_size(60, got.size), got.data, wanted);
}

static bool use_number(Conversion *c, const ConfigKey *key, const JsonValue *value) {
    size_t size;
    double number;
    if (key->use == SIZE) {
        if (!json_size(value, &size) || size > UINT32_MAX)
            return config_refuse(c, text_of(key->name), value, "an integer below 2^32");
        if (strcmp(key->ours, "context_length") == 0) size -= min_size(size, c->first_position);
        return put_size(c, key->ours, size), true;
    }
    if (!json_number(value, &number))
        return config_refuse(c, text_of(key->name), value, "a number");
    return put_number(c, key->ours, number), true;
}

static bool use_flag(Conversion *c, const ConfigKey *key, const JsonValue *value) {
    char name[96];
    if (value->kind != JSON_TRUE && value->kind != JSON_FALSE)
        return config_refuse(c, text_of(key->name), value, "true or false");
    snprintf(name, sizeof name, "%s.%s", c->family->arch, key->ours);
    gguf_put_int(c->writer, name, GGUF_BOOL, value->kind == JSON_TRUE);
    return true;
}

static bool check_only(Conversion *c, const ConfigKey *key, const JsonValue *value) {
    char wanted[160];
    if (json_is(value, "gelu"))
        convert_note(c, "GELU is computed by its tanh form: it differs from the "
                        "exact one by 0.0005 at most");
    if (listed(key->ours, config_plain(value))) return true;
    snprintf(wanted, sizeof wanted, "%s: nothing else is built in for this family",
             *key->ours ? key->ours : "null");
    return config_refuse(c, text_of(key->name), value, wanted);
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

/* All unknown keys in one sentence, or the first of very many. */
static bool refuse_unknown(const Conversion *c) {
    const JsonValue *config = c->folder.sizes;
    char keys[150] = "", options[150] = "";
    size_t count = 0, shown = 0;
    for (size_t i = 0; i < config->count; i++) {
        Text name = config->keys[i];
        if (config->items[i].kind == JSON_NULL || may_be_left_out(c, name) ||
            config_key(c, name))
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
                  "config.json: %s%s, and nothing is known of %s in a %s: the results may "
                  "change, so the folder is refused; what is known to be harmless may be left "
                  "out:%s",
                  keys, more, count > 1 ? "them" : "it", c->family->architecture, options);
}

static bool use_key(Conversion *c, Text name, const JsonValue *value) {
    const ConfigKey *key = config_key(c, name);
    if (!key || value->kind == JSON_NULL) return true;
    switch (key->use) {
    case SIZE:
    case NUMBER: return use_number(c, key, value);
    case FLAG: return use_flag(c, key, value);
    case ONLY: return check_only(c, key, value);
    case READ:
    case NOTHING: break;
    }
    return true;
}

/* ------------------------------------------------------------------ all of them */

/* Keys to ignore must be present and unknown: a known key has an effect. */
static bool check_without(const Conversion *c) {
    for (size_t i = 0; i < c->how->n_without; i++) {
        const char *name = c->how->without[i];
        if (!json_get(c->folder.sizes, name))
            return REFUSE(c, "--without %s: config.json has no such key", name);
        if (config_key(c, text_of(name)))
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

bool put_config(Conversion *c) {
    const JsonValue *config = c->folder.sizes;
    if (config->kind != JSON_OBJECT) return REFUSE(c, "config.json is not an object");
    if (!check_without(c) || !refuse_unknown(c)) return false;
    c->layers = size_or(config, "num_hidden_layers",
                        size_or(config, "n_layer", size_or(config, "num_layers", 0)));
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
