/* language.c - the language model in a folder that has other parts, such as a vision
 * encoder.  See parts.h.
 *
 *     config.json    {"architectures": [...], "text_config": {"hidden_size": ...}, ...}
 *     joined         text_config, then keys of the whole, then the class's defaults
 *
 * Of a key that is there twice the first counts. */
#include "parts.h"
#include "json.h"

#include <stdlib.h>
#include <string.h>

bool begins_with_one_of(Text name, const char *words, size_t *size) {
    for (const char *at = words; at && *at;) {
        size_t n = strcspn(at, "|");
        if (name.size > n && memcmp(name.data, at, n) == 0) return *size = n, true;
        at += n + (at[n] != 0);
    }
    return false;
}

/* The first of the names that '|' separates; *rest: behind it. */
static Text next_part(const char **rest) {
    Text name = {*rest, strcspn(*rest, "|")};
    *rest += name.size + ((*rest)[name.size] != 0);
    return name;
}

static bool is_part(const char *parts, Text key) {
    while (*parts)
        if (text_equal(next_part(&parts), key)) return true;
    return false;
}

/* Room was made for all. */
static void join_keys(Joined *j, const JsonValue *from, const char *without) {
    for (size_t i = 0; from && i < from->count; i++) {
        Text key = from->keys[i];
        if (is_part(without, key) || json_find(&j->object, key)) continue;
        j->keys[j->object.count] = key, j->items[j->object.count] = from->items[i];
        j->object.count++;
    }
}

static size_t keys_of(const JsonValue *object) { return object ? object->count : 0; }

/* *room += their keys. */
static bool parts_of(Conversion *c, const JsonValue *root, size_t *room) {
    for (const char *at = c->family->part; *at;) {
        const Text name = next_part(&at);
        const JsonValue *part = json_find(root, name);
        if (!part || part->kind != JSON_OBJECT)
            return REFUSE(
                c, "config.json: '%.*s' is not an object with the sizes of the language model",
                (int)name.size, name.data);
        *room += part->count;
    }
    return true;
}

bool join_sizes(Conversion *c) {
    Joined *j = &c->joined;
    const JsonValue *root = json_root(c->folder.config);
    if (!c->family->part) return c->folder.sizes = root, true;
    size_t room = keys_of(root);
    if (!parts_of(c, root, &room)) return false;
    j->defaults = json_read(text_of(c->family->defaults), c->fault);
    if (!j->defaults) return false;
    const JsonValue *defaults = json_root(j->defaults);
    room += keys_of(defaults);
    j->keys = malloc(room * sizeof *j->keys), j->items = malloc(room * sizeof *j->items);
    if (!j->keys || !j->items) return REFUSE(c, "no memory for the keys of config.json");
    j->object = (JsonValue){.kind = JSON_OBJECT, .keys = j->keys, .items = j->items};
    for (const char *at = c->family->part; *at;)
        join_keys(j, json_find(root, next_part(&at)), "");
    if (!c->family->alone) join_keys(j, root, c->family->part);
    join_keys(j, defaults, "");
    if (c->family->others && !c->how->vision)
        convert_note(c, "the file has the language model of the folder; its other parts, such "
                        "as a vision encoder, are left out");
    return c->folder.sizes = &j->object, true;
}

void free_joined(Conversion *c) {
    free(c->joined.keys), free(c->joined.items);
    json_free(c->joined.defaults);
}
