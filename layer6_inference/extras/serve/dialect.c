/* dialect.c - translating by tables.  See dialect.h. */
#include "dialect.h"

#include <string.h>

const Dialect *dialect_of(const char *path) {
    static const struct {
        const char *begin;
        const Dialect *dialect;
    } paths[] = {{"/api/", &dialect_ollama_chat}, {"/v1/messages", &dialect_anthropic}};
    for (size_t i = 0; i < sizeof paths / sizeof *paths; i++)
        if (strncmp(path, paths[i].begin, strlen(paths[i].begin)) == 0) return paths[i].dialect;
    return &dialect_openai;
}

/* Ollama's are in "options", too. */
unsigned dialect_sent(const Dialect *d, const JsonValue *root) {
    const JsonValue *options = json_get(root, "options");
    unsigned sent = 0;
    for (size_t i = 0; d->names && d->names[i].name; i++)
        if (json_get(root, d->names[i].name) ||
            (options && json_get(options, d->names[i].name)))
            sent |= 1u << i;
    return sent;
}

void dialect_name_error(const Dialect *d, unsigned sent, HttpError *error) {
    for (size_t i = 0; d->names && d->names[i].name; i++)
        if (sent & 1u << i) http_error_rename(error, d->names[i].openai, d->names[i].name);
}

void member_begin(FILE *out, bool *first, const char *name) {
    fprintf(out, "%s\"%s\":", *first ? "" : ",", name);
    *first = false;
}

bool image_write(Text media, Text base64, FILE *out, HttpError *error) {
    Bytes url = {0};
    bool ok = bytes_add(&url, text_of("data:")) && bytes_add(&url, media) &&
              bytes_add(&url, text_of(";base64,")) && bytes_add(&url, base64);
    fputs(",{\"type\":\"image_url\",\"image_url\":{\"url\":", out);
    write_text(out, (Text){url.data ? url.data : "", url.size}), fputs("}}", out);
    bytes_free(&url);
    return ok || http_error(error, 500, "messages", "no memory for an image");
}

bool alias_write(const JsonValue *object, const Alias *table, size_t n, bool *first, FILE *out,
                 HttpError *error) {
    for (size_t i = 0; i < object->count; i++) {
        const Text key = object->keys[i];
        char name[64];
        size_t k = 0;
        while (k < n && !text_equal(key, text_of(table[k].name))) k++;
        snprintf(name, sizeof name, "%.*s", (int)min_size(key.size, 60), key.data);
        if (k == n && !fields_are_lenient())
            return http_error(error, 400, name, "unknown field '%s'", name);
        if (k == n) { /* the core ignores it, and says so */
            fputs(*first ? "" : ",", out), *first = false;
            write_text(out, key), fputs(":null", out);
            continue;
        }
        if (!*table[k].openai || object->items[i].kind == JSON_NULL) continue;
        member_begin(out, first, table[k].openai);
        write_value(out, &object->items[i]);
    }
    return true;
}

void alias_pass(const JsonValue *object, const Alias *table, size_t n, FILE *out) {
    for (size_t i = 0; i < object->count; i++) {
        const Text key = object->keys[i];
        size_t k = 0;
        while (k < n && !text_equal(key, text_of(table[k].name))) k++;
        const Text name = k < n ? text_of(table[k].openai) : key;
        if (k < n && !name.size) continue;
        fputc(',', out), write_text(out, name), fputc(':', out);
        write_value(out, &object->items[i]);
    }
}

Text member_text(const JsonValue *object, const char *name) {
    return json_text(json_get(object, name));
}

bool members_refuse(const JsonValue *object, const char *const *names, HttpError *error) {
    for (; *names; names++)
        if (json_get(object, *names))
            return http_error(error, 400, *names, "%s: not a field of this route", *names);
    return true;
}

bool block_is(const JsonValue *block, const char *type) {
    return text_equal(member_text(block, "type"), text_of(type));
}

static bool blocks_join(const JsonValue *content, const char *type, const char *member,
                        Bytes *text) {
    bool any = false;
    if (content && content->kind == JSON_STRING) return bytes_add(text, content->text);
    for (size_t i = 0; content && i < content->count; i++) {
        if (!block_is(&content->items[i], type)) continue;
        if (any && !bytes_add(text, text_of("\n"))) return false;
        if (!bytes_add(text, member_text(&content->items[i], member))) return false;
        any = true;
    }
    return true;
}

bool blocks_write(const JsonValue *content, const char *type, const char *member, FILE *out) {
    Bytes text = {0};
    const bool ok = blocks_join(content, type, member, &text);
    write_text(out, (Text){text.size ? text.data : "", text.size});
    bytes_free(&text);
    return ok;
}
