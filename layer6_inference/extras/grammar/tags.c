/* tags.c - see tags.h. */
#include "tag.h"
#include "json.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool tags_has(Text text, Text part) {
    return part.size <= text.size && memmem(text.data, text.size, part.data, part.size);
}

/* ------------------------------------------------------------------ text with tags in it */

static Expr text_without(ExprStore *s, const Text *of, size_t count) {
    return expr_and(s, tag_any_text(s), expr_not(s, tag_text_with(s, of, count, 0)));
}

/* Free text: contains no trigger. */
static Expr text_not_from(ExprStore *s, const Text *of, size_t count) {
    Expr begun = expr_cat(s, tag_one_of(s, of, count), expr_not(s, EXPR_NONE));
    return expr_and(s, tag_any_text(s), expr_not(s, begun));
}

static bool read_triggers(Tags *t, const JsonValue *list) {
    if (!list || list->kind != JSON_ARRAY || list->count == 0 || list->count > TRIGGERS)
        return fault_set(t->fault, "tags: triggers: wanted a list of 1 to %d texts", TRIGGERS);
    for (size_t i = 0; i < list->count; i++) {
        if (!tag_is_text(&list->items[i]) || list->items[i].text.size == 0)
            return fault_set(t->fault, "tags: triggers/%zu: wanted a text that is not empty",
                             i);
        if (!tag_spell(t, list->items[i].text, &t->triggers[t->n_triggers++])) return false;
    }
    return true;
}

/* The first trigger to be met where this tag begins: no other may end before it. */
static bool find_trigger(Tags *t, Text begin, const char *place, size_t *trigger) {
    size_t found = TRIGGERS;
    for (size_t i = 0; i < t->n_triggers; i++) {
        Text one = t->triggers[i];
        bool starts = one.size <= begin.size && memcmp(begin.data, one.data, one.size) == 0;
        if (starts && (found == TRIGGERS || one.size < t->triggers[found].size)) found = i;
    }
    if (found == TRIGGERS)
        return fault_set(t->fault,
                         "tags: %s: begin starts with no trigger, so the tag could never start",
                         place);
    Text before = {begin.data, t->triggers[found].size - 1};
    for (size_t i = 0; i < t->n_triggers; i++)
        if (tags_has(before, t->triggers[i]))
            return fault_set(t->fault, "tags: %s: trigger '%.*s' comes first within its begin",
                             place, (int)t->triggers[i].size, t->triggers[i].data);
    return *trigger = found, true;
}

/* All tags, each with its preceding text; none at the start of the text. */
static bool read_structures(Tags *t, const JsonValue *list, bool start, Expr *ways) {
    if (!list || list->kind != JSON_ARRAY || list->count == 0)
        return fault_set(t->fault, "tags: structures: wanted a list of tags");
    Expr rest[TRIGGERS] = {EXPR_NONE};
    for (size_t i = 0; i < list->count; i++) {
        char place[PLACE];
        size_t trigger = 0;
        Expr one = EXPR_NONE;
        Text begin;
        snprintf(place, sizeof place, "structures/%zu", i);
        if (!tag_check(t, &list->items[i], place) ||
            !tag_spell(t, json_get(&list->items[i], "begin")->text, &begin) ||
            !find_trigger(t, begin, place, &trigger) ||
            !tag_read(t, &list->items[i], place, t->triggers[trigger].size, 0, &one))
            return false;
        rest[trigger] = expr_either(t->store, rest[trigger], one);
    }
    *ways = EXPR_NONE;
    for (size_t i = 0; i < t->n_triggers; i++) {
        Expr before =
            start ? expr_text(t->store, t->triggers[i].data, t->triggers[i].size)
                  : tag_text_up_to(t->store, t->triggers[i], t->triggers, t->n_triggers);
        *ways = expr_either(t->store, *ways, expr_cat(t->store, before, rest[i]));
    }
    return true;
}

static bool read_flag(Tags *t, const JsonValue *object, const char *key, bool *flag) {
    const JsonValue *value = json_get(object, key);
    *flag = value && value->kind == JSON_TRUE;
    return !value || value->kind == JSON_TRUE || value->kind == JSON_FALSE ||
           fault_set(t->fault, "tags: %s: wanted true or false", key);
}

/* text ::= free | way text */
static bool read_free(Tags *t, const JsonValue *description, uint32_t *root) {
    static const char *const known[] = {"type",         "triggers",         "structures",
                                        "at_least_one", "stop_after_first", "at_start"};
    bool at_least_one, stop, start;
    Expr ways = EXPR_NONE;
    if (!tag_known_keys(t, description, known, 6, "the description") ||
        !read_flag(t, description, "at_least_one", &at_least_one) ||
        !read_flag(t, description, "stop_after_first", &stop) ||
        !read_flag(t, description, "at_start", &start) ||
        !read_triggers(t, json_get(description, "triggers")) ||
        !read_structures(t, json_get(description, "structures"), start, &ways))
        return false;
    uint32_t text = expr_rule(t->store, "text");
    Expr free_text = start ? text_not_from(t->store, t->triggers, t->n_triggers)
                           : text_without(t->store, t->triggers, t->n_triggers),
         more =
             expr_cat(t->store, ways, stop || start ? EXPR_EMPTY : expr_call(t->store, text));
    t->store->rule[text].body = expr_either(t->store, free_text, more);
    *root = text;
    if (at_least_one) {
        *root = expr_rule(t->store, "root");
        t->store->rule[*root].body = more;
    }
    return true;
}

/* Tags only. */
static bool read_alone(Tags *t, const JsonValue *list, uint32_t *root) {
    Expr body = EXPR_NONE;
    if (!tag_read_list(t, list, "tags", 0, false, &body)) return false;
    *root = expr_rule(t->store, "root");
    t->store->rule[*root].body = body;
    return true;
}

bool tags_read(TagSchemas *schemas, ExprStore *store, const JsonValue *description,
               const GrammarOptions *options, uint32_t *root, Fault *fault) {
    static const char *const known[] = {"type", "tags"};
    Tags t = {.store = store, .schemas = schemas, .options = options, .fault = fault};
    const JsonValue *type = json_get(description, "type"),
                    *list = json_get(description, "tags");
    if (description->kind != JSON_OBJECT)
        return fault_set(fault, "tags: wanted an object with triggers and structures, or tags");
    if (type && (!tag_is_text(type) || !text_equal(type->text, text_of("structural_tag"))))
        return fault_set(fault, "tags: type: wanted \"structural_tag\"");
    bool ok = list ? tag_known_keys(&t, description, known, 2, "the description") &&
                         read_alone(&t, list, root)
                   : read_free(&t, description, root);
    for (size_t i = 0; i < t.n_kept; i++) free(t.kept[i]);
    free(t.kept);
    return ok;
}

void tags_free(TagSchemas *schemas) {
    for (size_t i = 0; i < schemas->count; i++) {
        schema_free(schemas->of[i]);
        free(schemas->of[i]);
    }
    free(schemas->of);
    *schemas = (TagSchemas){0};
}
