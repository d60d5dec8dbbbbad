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
