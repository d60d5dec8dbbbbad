/* schema_ref.c - resolves references, and names locations.  See schema.h. */
#include "schema.h"
#include "json.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ------------------------------------------------------------------ places */

/* The path to a value inside another, as a JSON pointer; false: not found. */
static bool find_path(const JsonValue *in, const JsonValue *value, char *path, size_t size) {
    if (in == value) return true;
    size_t used = strlen(path);
    for (size_t i = 0; i < in->count; i++) {
        if (in->kind == JSON_OBJECT)
            snprintf(path + used, size - used, "/%.*s", (int)in->keys[i].size,
                     in->keys[i].data);
        else
            snprintf(path + used, size - used, "/%zu", i);
        if (find_path(&in->items[i], value, path, size)) return true;
    }
    path[used] = 0;
    return false;
}

bool schema_refuse(Schema *s, const JsonValue *at, const char *keyword, const char *why) {
    char path[200] = "#";
    find_path(s->root, at, path, sizeof path);
    return fault_set(s->fault, "schema, at %s: %s%s%s", path, keyword ? keyword : "",
                     keyword ? ": " : "", why);
}

/* ------------------------------------------------------------------ references */

/* One reference token of a pointer: ~1 is /, ~0 is ~, %25 is %. */
static size_t unescape(Text step, char *out) {
    size_t size = 0;
    for (size_t i = 0; i < step.size; i++) {
        char c = step.data[i];
        if (c == '%' && i + 2 < step.size && digit_value(step.data[i + 1]) < 16 &&
            digit_value(step.data[i + 2]) < 16)
            c = (char)(digit_value(step.data[i + 1]) * 16 + digit_value(step.data[i + 2])),
            i += 2;
        out[size++] = c;
    }
    size_t kept = 0;
    for (size_t i = 0; i < size; i++) {
        bool escape = out[i] == '~' && i + 1 < size && (out[i + 1] == '0' || out[i + 1] == '1');
        out[kept++] = escape ? (out[++i] == '1' ? '/' : '~') : out[i];
    }
    return kept;
}

static const JsonValue *child(const JsonValue *value, Text step) {
    if (value->kind == JSON_OBJECT) return json_find(value, step);
    if (value->kind != JSON_ARRAY || step.size == 0 || step.size > 6) return NULL;
    size_t index = 0;
    for (size_t i = 0; i < step.size; i++) {
        if (step.data[i] < '0' || step.data[i] > '9') return NULL;
        index = index * 10 + (size_t)(step.data[i] - '0');
    }
    return index < value->count ? &value->items[index] : NULL;
}

static const JsonValue *follow(Schema *s, const JsonValue *value, Text pointer) {
    char step[512];
    while (value && pointer.size > 0) {
        const char *end = memchr(pointer.data + 1, '/', pointer.size - 1);
        size_t size = end ? (size_t)(end - pointer.data) : pointer.size;
        if (pointer.data[0] != '/' || size > sizeof step) return NULL;
        if (!budget_spend(&s->exprs->budget, value->count / 16)) return NULL;
        size_t length = unescape((Text){pointer.data + 1, size - 1}, step);
        value = child(value, (Text){step, length});
        pointer.data += size, pointer.size -= size;
    }
    return value;
}

/* The schema with this $anchor, or with this $id (id in old drafts). */
static const JsonValue *schema_ref_find_named(Schema *s, const JsonValue *in,
                                              const char *keyword, Text name) {
    if (!budget_spend(&s->exprs->budget, 1 + in->count / 16)) return NULL;
    const JsonValue *named = json_get(in, keyword);
    if (named && named->kind == JSON_STRING && text_equal(named->text, name)) return in;
    for (size_t i = 0; i < in->count; i++) {
        if (in->kind == JSON_OBJECT && (text_equal(in->keys[i], text_of("enum")) ||
                                        text_equal(in->keys[i], text_of("const"))))
            continue;
        const JsonValue *found = schema_ref_find_named(s, &in->items[i], keyword, name);
        if (found) return found;
    }
    return NULL;
}

const JsonValue *schema_resolve(Schema *s, Text reference) {
    const char *hash = reference.size ? memchr(reference.data, '#', reference.size) : NULL;
    Text document = {reference.data, hash ? (size_t)(hash - reference.data) : reference.size};
    const JsonValue *base = s->root;
    if (document.size > 0) {
        base = schema_ref_find_named(s, s->root, "$id", document);
        if (!base) base = schema_ref_find_named(s, s->root, "id", document);
        if (!base) return NULL;
    }
    if (!hash) return base;
    Text rest = {hash + 1, reference.size - document.size - 1};
    if (rest.size == 0 || rest.data[0] == '/') return follow(s, base, rest);
    const JsonValue *found = schema_ref_find_named(s, base, "$anchor", rest);
    return found ? found : schema_ref_find_named(s, base, "$id", (Text){hash, rest.size + 1});
}
