/* keys.c - see bind.h. */
#include "bind.h"

#include <stdio.h>

const GgufPair *find_key(Binder *b, const char *key) {
    char name[128];
    if (!b->ok) return NULL;
    snprintf(name, sizeof name, "%s.%s", b->keys, key);
    const GgufPair *pair = gguf_find(&b->model->gguf, name);
    if (pair) b->used_keys[pair - b->model->gguf.pairs] = true;
    return pair;
}

bool was_read(const Binder *b, const char *key) {
    char name[128];
    snprintf(name, sizeof name, "%s.%s", b->keys, key);
    const GgufPair *pair = gguf_find(&b->model->gguf, name);
    return pair && b->used_keys[pair - b->model->gguf.pairs];
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
    fault_set(b->fault, "key '%s.%s' is %s, wanted %s: %s", b->keys, key,
              value_text(pair, got, sizeof got), wanted, why);
    return b->ok = false;
}

static const char damaged[] =
    "the file is incomplete or badly written, convert the model again";

static bool keys_fits(const GgufPair *pair, uint64_t i, size_t min, size_t max, size_t *value) {
    int64_t number;
    if (pair->item == GGUF_BOOL || !gguf_int(pair, i, &number) || number < 0) return false;
    *value = (size_t)number;
    return *value >= min && *value <= max;
}

size_t need_size(Binder *b, const char *key, size_t min, size_t max) {
    const GgufPair *pair = find_key(b, key);
    char wanted[80];
    size_t value;
    if (pair && pair->type != GGUF_ARRAY && keys_fits(pair, 0, min, max, &value)) return value;
    snprintf(wanted, sizeof wanted, "an integer from %zu to %zu", min, max);
    refuse_key(b, key, wanted, damaged);
    return min;
}

size_t key_size(Binder *b, const char *key, size_t fallback, size_t min, size_t max) {
    return find_key(b, key) ? need_size(b, key, min, max) : fallback;
}

size_t need_of_layer(Binder *b, const char *key, size_t layer, size_t min, size_t max) {
    const GgufPair *pair = find_key(b, key);
    size_t value;
    char wanted[120];
    if (!pair || pair->type != GGUF_ARRAY) return need_size(b, key, min, max);
    if (pair->count == b->model->sizes.blocks && keys_fits(pair, layer, min, max, &value))
        return value;
    snprintf(wanted, sizeof wanted, "an integer from %zu to %zu, or one for each of %zu layers",
             min, max, b->model->sizes.blocks);
    refuse_key(b, key, wanted, damaged);
    return min;
}

size_t key_of_layer(Binder *b, const char *key, size_t layer, size_t fallback, size_t min,
                    size_t max) {
    return find_key(b, key) ? need_of_layer(b, key, layer, min, max) : fallback;
}

/* 0.1 as f32 is above 0.1, and still means 0.1. */
static bool within(const GgufPair *pair, double value, double min, double max) {
    if (pair->type == GGUF_F32) min = (double)(float)min, max = (double)(float)max;
    return value >= min && value <= max;
}

double need_number(Binder *b, const char *key, double min, double max) {
    const GgufPair *pair = find_key(b, key);
    char wanted[80];
    double value;
    if (pair && pair->type != GGUF_ARRAY && pair->type != GGUF_BOOL &&
        gguf_float(pair, 0, &value) && within(pair, value, min, max))
        return value;
    snprintf(wanted, sizeof wanted, min < max ? "a number from %g to %g" : "%g", min, max);
    refuse_key(b, key, wanted, min < max ? damaged : "nothing else is built in");
    return min;
}

double key_number(Binder *b, const char *key, double fallback, double min, double max) {
    return find_key(b, key) ? need_number(b, key, min, max) : fallback;
}

bool need_bool(Binder *b, const char *key) {
    const GgufPair *pair = find_key(b, key);
    if (pair && pair->type == GGUF_BOOL) return *pair->data;
    refuse_key(b, key, "true or false", damaged);
    return false;
}

bool key_bool(Binder *b, const char *key, bool fallback) {
    return find_key(b, key) ? need_bool(b, key) : fallback;
}

Text key_text(Binder *b, const char *key, const char *fallback) {
    const GgufPair *pair = find_key(b, key);
    Text value = text_of(fallback);
    if (pair && !gguf_string(pair, &value)) refuse_key(b, key, "a text", damaged);
    return value;
}
