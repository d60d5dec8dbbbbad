/* config_keys.c - the row of a key of config.json, in the table of config_rows.h. */
#include "config_rows.h"
#include "config_rows_more.h"

#include <string.h>

enum { KEYS = sizeof keys / sizeof *keys, MORE = sizeof more_keys / sizeof *more_keys };

/* Is it one of these words?  "" is not. */
bool listed(const char *words, Text word) {
    for (const char *at = words; at && *at;) {
        size_t n = strcspn(at, " ");
        if (text_equal((Text){at, n}, word)) return true;
        at += n + (at[n] != 0);
    }
    return false;
}

static const ConfigKey *config_row(const ConfigKey *rows, size_t count, Text name, Text arch) {
    for (size_t i = 0; i < count; i++)
        if (listed(rows[i].names, name) && (!rows[i].archs || listed(rows[i].archs, arch)))
            return &rows[i];
    return NULL;
}

const ConfigKey *config_key(const Conversion *c, Text name) {
    const Text arch = text_of(c->family->arch);
    const ConfigKey *own = config_row(more_keys, MORE, name, arch);
    return own ? own : config_row(keys, KEYS, name, arch);
}

size_t config_size(const Conversion *c, const char *ours, size_t otherwise) {
    const JsonValue *config = c->folder.sizes;
    size_t size;
    for (size_t i = 0; i < config->count; i++) {
        const ConfigKey *key = config_key(c, config->keys[i]);
        const JsonValue *value = &config->items[i];
        if (!key || key->use != SIZE || strcmp(key->ours, ours) != 0) continue;
        if (value->kind == JSON_ARRAY && value->count) value = value->items;
        if (json_size(value, &size)) return size;
    }
    return otherwise;
}
