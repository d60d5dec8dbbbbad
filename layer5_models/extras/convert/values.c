/* values.c - reading numbers and words from JSON.  See parts.h. */
#include "parts.h"
#include "json.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

bool json_size(const JsonValue *value, size_t *size) {
    *size = 0;
    if (!value || value->kind != JSON_NUMBER || value->text.size > 15) return false;
    for (size_t i = 0; i < value->text.size; i++) {
        char digit = value->text.data[i];
        if (digit < '0' || digit > '9') return false;
        *size = *size * 10 + (size_t)(digit - '0');
    }
    return true;
}

bool json_number(const JsonValue *value, double *number) {
    char text[64];
    if (!value || value->kind != JSON_NUMBER || value->text.size >= sizeof text) return false;
    snprintf(text, sizeof text, "%.*s", (int)value->text.size, value->text.data);
    *number = strtod(text, NULL);
    return isfinite(*number);
}

bool json_is(const JsonValue *value, const char *text) {
    return value && value->kind == JSON_STRING && text_equal(value->text, text_of(text));
}

bool json_true(const JsonValue *object, const char *key) {
    const JsonValue *value = json_get(object, key);
    return value && value->kind == JSON_TRUE;
}

size_t size_or(const JsonValue *object, const char *key, size_t otherwise) {
    size_t size;
    return json_size(json_get(object, key), &size) ? size : otherwise;
}

/* A word, or a number that cannot be, in place of one that is read where it is needed would be
 * taken for a missing key. */
bool check_read_numbers(const Conversion *c) {
    static const char sizes[] = "head_dim attention_head_dim kv_channels n_shared_head "
                                "sliding_window_size",
                      numbers[] = "partial_rotary_factor rotary_pct rope_pct "
                                  "rotary_emb_fraction rope_ratio";
    const JsonValue *config = c->folder.sizes;
    for (size_t i = 0; i < config->count; i++) {
        const JsonValue *value = &config->items[i];
        const bool whole = listed(sizes, config->keys[i]);
        size_t size;
        double number;
        if (value->kind == JSON_NULL || (!whole && !listed(numbers, config->keys[i]))) continue;
        if (whole ? !json_size(value, &size) || size == 0 || size > UINT32_MAX
                  : !json_number(value, &number) || number <= 0)
            return key_refuse(c, "config.json", config->keys[i], value,
                              whole ? "an integer above 0" : "a number above 0");
    }
    return true;
}
