/* schema_dialect.c - a schema as its own draft reads it.  See schema.h.
 *
 * Draft 4 has no `const`, and a validator ignores it under "$schema": ".../draft-04/schema#".
 * Such keywords are dropped from a copy, which all other code reads.  A schema that names no
 * draft is read with all keywords.
 *
 * Invariant: the copy lacks exactly the keywords unknown to the draft. */
#include "schema.h"
#include "json.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

static const struct {
    const char *name;
    int since, until; /* first and last draft; 0: no limit */
} spoken[] = {
    {"const", 6, 0},
    {"contains", 6, 0},
    {"propertyNames", 6, 0},
    {"if", 7, 0},
    {"then", 7, 0},
    {"else", 7, 0},
    {"minContains", 2019, 0},
    {"maxContains", 2019, 0},
    {"dependentRequired", 2019, 0},
    {"dependentSchemas", 2019, 0},
    {"unevaluatedProperties", 2019, 0},
    {"unevaluatedItems", 2019, 0},
    {"$recursiveRef", 2019, 2019},
    {"prefixItems", 2020, 0},
    {"$dynamicRef", 2020, 0},
    {"extends", 0, 3},
    {"disallow", 0, 3},
    {"divisibleBy", 0, 3},
};

static bool is_known(int draft, Text keyword) {
    for (size_t i = 0; i < sizeof spoken / sizeof *spoken; i++)
        if (text_equal(keyword, text_of(spoken[i].name)))
            return draft >= spoken[i].since && (!spoken[i].until || draft <= spoken[i].until);
    return true;
}

bool schema_speaks(const Schema *s, Text keyword) {
    return !s->draft || is_known(s->draft, keyword);
}

static int draft_of(const JsonValue *root) {
    static const struct {
        const char *name;
        int draft;
    } drafts[] = {{"draft-03", 3}, {"draft-04", 4},   {"draft-05", 4},  {"draft-06", 6},
                  {"draft-07", 7}, {"2019-09", 2019}, {"2020-12", 2020}};
    const JsonValue *said = json_get(root, "$schema");
    for (size_t i = 0; said && said->kind == JSON_STRING && i < sizeof drafts / sizeof *drafts;
         i++)
        if (memmem(said->text.data, said->text.size, drafts[i].name, strlen(drafts[i].name)))
            return drafts[i].draft;
    return 0;
}

/* ------------------------------------------------------------------ the copy */

/* What a keyword's argument is: a schema (or a list of them), a map of schemas, or data. */
typedef enum Part { A_SCHEMA, A_MAP, DATA } Part;

static Part part_below(Text keyword) {
    static const char *const maps[] = {"properties", "patternProperties", "definitions",
                                       "$defs",      "dependencies",      "dependentSchemas"},
                             *const data[] = {"enum", "const", "default", "examples"};
    for (size_t i = 0; i < sizeof maps / sizeof *maps; i++)
        if (text_equal(keyword, text_of(maps[i]))) return A_MAP;
    for (size_t i = 0; i < sizeof data / sizeof *data; i++)
        if (text_equal(keyword, text_of(data[i]))) return DATA;
    return A_SCHEMA;
}

struct SchemaBlock {
    SchemaBlock *next;
    max_align_t bytes[];
};

void *schema_keep(Schema *s, size_t size) {
    SchemaBlock *block = malloc(sizeof *block + size);
    NEED_MEMORY(block, "a schema");
    block->next = s->blocks;
    s->blocks = block;
    return block->bytes;
}

static JsonValue copy(Schema *s, const JsonValue *value, Part part) {
    JsonValue out = *value;
    if (part == DATA || value->count == 0) return out;
    bool keywords = value->kind == JSON_OBJECT && part == A_SCHEMA;
    JsonValue *items = schema_keep(s, value->count * sizeof *items);
    Text *keys = value->keys ? schema_keep(s, value->count * sizeof *keys) : NULL;
    out.items = items, out.keys = keys, out.count = 0;
    for (size_t i = 0; i < value->count; i++) {
        if (keywords && !schema_speaks(s, value->keys[i])) continue;
        if (keys) keys[out.count] = value->keys[i];
        items[out.count++] =
            copy(s, &value->items[i], keywords ? part_below(value->keys[i]) : A_SCHEMA);
    }
    if (keywords) schema_take_unevaluated(s, value, &out, keys, items);
    return out;
}

void schema_take_dialect(Schema *s, const JsonValue *root) {
    s->draft = draft_of(root);
    s->root = root;
    if (!s->draft && !schema_has_unevaluated(root)) return;
    JsonValue *said = schema_keep(s, sizeof *said);
    *said = copy(s, root, A_SCHEMA);
    s->root = said;
}

void schema_drop_dialect(Schema *s) {
    while (s->blocks) {
        SchemaBlock *next = s->blocks->next;
        free(s->blocks);
        s->blocks = next;
    }
}
