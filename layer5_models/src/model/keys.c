/* keys.c - see bind.h. */
#include "bind.h"

#include <stdio.h>

const GgufPair *find_key(Binder *b, const char *key) {
    char name[128];
    if (!b->ok) return NULL;
    snprintf(name, sizeof name, "%s.%s", b->model->recipe->arch, key);
    const GgufPair *pair = gguf_find(&b->model->gguf, name);
    if (pair) b->used_keys[pair - b->model->gguf.pairs] = true;
    return pair;
}

const char *value_text(const GgufPair *pair, char *out, size_t size) {
    Text text;
    double number = 0;
    if (!pair) {
        snprintf(out, size, "missing");
    } else if (pair->type == GGUF_ARRAY) {
        snprintf(out, size, "an array of %llu %s", (unsigned long long)pair->count,
                 gguf_type_name(pair->item));
    } else if (gguf_string(pair, &text)) {
        snprintf(out, size, "\"%.*s\"", (int)(text.size < 40 ? text.size : 40), text.data);
    } else if (pair->type == GGUF_BOOL) {
        snprintf(out, size, "%s", *pair->data ? "true" : "false");
    } else {
        gguf_float(pair, 0, &number);
        snprintf(out, size, "%.9g", number);
    }
    return out;
}

bool refuse_key(Binder *b, const char *key, const char *wanted, const char *why) {
    char got[96];
    const GgufPair *pair = find_key(b, key);
    if (!b->ok) return false;
    fault_set(b->fault, "key '%s.%s' is %s, wanted %s: %s", b->model->recipe->arch, key,
              value_text(pair, got, sizeof got), wanted, why);
    return b->ok = false;
}

static const char damaged[] =
    "the file is incomplete or badly written, convert the model again";

static bool whole(const GgufPair *pair, uint64_t i, int64_t *number) {
    return pair->item != GGUF_BOOL && gguf_int(pair, i, number);
}

static bool fits(const GgufPair *pair, uint64_t i, size_t least, size_t most, size_t *value) {
    int64_t number;
    if (!whole(pair, i, &number) || number < 0) return false;
    *value = (size_t)number;
    return *value >= least && *value <= most;
}

size_t key_of_layer(Binder *b, const char *key, size_t layer, bool needed, size_t fallback,
                    size_t least, size_t most) {
    const GgufPair *pair = find_key(b, key);
    size_t value;
    char wanted[120];
    if (!pair && !needed) return fallback;
    if (!pair || pair->type != GGUF_ARRAY)
        return key_size(b, key, needed, fallback, least, most);
    if (pair->count == b->model->sizes.layers && fits(pair, layer, least, most, &value))
        return value;
    snprintf(wanted, sizeof wanted,
             "a whole number from %zu to %zu, or one for each of %zu layers", least, most,
             b->model->sizes.layers);
    refuse_key(b, key, wanted, damaged);
    return fallback;
}

size_t key_size(Binder *b, const char *key, bool needed, size_t fallback, size_t least,
                size_t most) {
    const GgufPair *pair = find_key(b, key);
    char wanted[80];
    size_t value;
    if (!pair && !needed) return fallback;
    if (pair && pair->type != GGUF_ARRAY && fits(pair, 0, least, most, &value)) return value;
    snprintf(wanted, sizeof wanted, "a whole number from %zu to %zu", least, most);
    refuse_key(b, key, wanted, damaged);
    return fallback;
}

/* 0.1 as f32 is above 0.1, and still what a file says that means 0.1. */
static bool within(const GgufPair *pair, double value, double least, double most) {
    if (pair->type == GGUF_F32) least = (double)(float)least, most = (double)(float)most;
    return value >= least && value <= most;
}

double key_number(Binder *b, const char *key, bool needed, double fallback, double least,
                  double most) {
    const GgufPair *pair = find_key(b, key);
    char wanted[80];
    double value;
    if (!pair && !needed) return fallback;
    if (pair && pair->type != GGUF_ARRAY && pair->type != GGUF_BOOL &&
        gguf_float(pair, 0, &value) && within(pair, value, least, most))
        return value;
    snprintf(wanted, sizeof wanted, least < most ? "a number from %g to %g" : "%g", least,
             most);
    refuse_key(b, key, wanted, least < most ? damaged : "nothing else is built in");
    return fallback;
}

bool key_bool(Binder *b, const char *key, bool needed, bool fallback) {
    const GgufPair *pair = find_key(b, key);
    if (!pair && !needed) return fallback;
    if (pair && pair->type == GGUF_BOOL) return *pair->data;
    refuse_key(b, key, "true or false", damaged);
    return fallback;
}

Text key_text(Binder *b, const char *key, const char *fallback) {
    const GgufPair *pair = find_key(b, key);
    Text value = text_of(fallback);
    if (pair && !gguf_string(pair, &value)) refuse_key(b, key, "a text", damaged);
    return value;
}
