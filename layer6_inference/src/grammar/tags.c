/* tags.c - see tags.h. */
#include "tags.h"
#include "gbnf.h"
#include "regex.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TRIGGERS = 64, TAG_DEPTH = 32, PLACE = 160 };

typedef struct Tags {
    ExprStore *store;
    TagSchemas *schemas;
    const GrammarOptions *options;
    Text triggers[TRIGGERS];
    size_t n_triggers;
    char **kept; /* texts in which tokens stand by their numbers; owns, and each of them */
    size_t n_kept;
    Fault *fault;
} Tags;

static bool has(Text text, Text part) {
    return part.size <= text.size && memmem(text.data, text.size, part.data, part.size);
}

/* ------------------------------------------------------------------ special tokens */

/* Room for a text with marks in it, kept until the tags are read. */
static char *keep_text(Tags *t, size_t size) {
    char *text = malloc(size + 1), **kept = realloc(t->kept, (t->n_kept + 1) * sizeof *kept);
    REQUIRE(text && kept, "no memory for a grammar");
    t->kept = kept, kept[t->n_kept++] = text;
    return text;
}

/* A begin, end or trigger as the model writes it: where the name of a special token stands, <|python_tag|>, that token by
 * its number, for it has no text. */
static bool spell(Tags *t, Text text, Text *spelled) {
    TokenList tokens = {0};
    *spelled = text;
    if (!t->options->tokenizer || text.size == 0) return true;
    bool ok = tokenizer_encode(t->options->tokenizer, text, true, &tokens, t->fault);
    char *out = keep_text(t, 4 * text.size); /* a name has at least one byte, a mark four */
    size_t size = 0;
    for (size_t i = 0; i < tokens.count; i++) {
        int32_t id = tokens.ids[i];
        Text name = tokenizer_piece(t->options->tokenizer, id, true);
        const char *at = name.size ? memmem(text.data, text.size, name.data, name.size) : NULL;
        if (tokenizer_piece(t->options->tokenizer, id, false).size || !at) continue;
        size_t before = (size_t)(at - text.data);
        memcpy(out + size, text.data, before), size += before;
        for (int k = 0; k < 4; k++)
            out[size++] = (char)(k == 0 ? TOKEN_MARK : id >> (24 - 8 * k));
        text.data = at + name.size, text.size -= before + name.size;
    }
    memcpy(out + size, text.data, text.size);
    *spelled = (Text){out, size + text.size};
    token_list_free(&tokens);
    return ok;
}

/* ------------------------------------------------------------------ text around tags */

/* Any characters. */
static Expr any_text(ExprStore *s) {
    CharSet all = {0};
    charset_invert(&all);
    Expr any = expr_repeat(s, charset_utf8(s, &all), 0, EXPR_FOREVER);
    charset_free(&all);
    return any;
}

/* All texts with one of these in them, followed by at least `more` bytes. */
static Expr with_any(ExprStore *s, const Text *of, size_t count, uint32_t more) {
    Expr parts = EXPR_NONE, bytes = expr_not(s, EXPR_NONE);
    ByteSet all;
    memset(&all, 0xFF, sizeof all);
    if (more) bytes = expr_repeat(s, expr_bytes(s, &all), more, EXPR_FOREVER);
    for (size_t i = 0; i < count; i++)
        parts = expr_either(s, parts, expr_text(s, of[i].data, of[i].size));
    return expr_cat(s, expr_not(s, EXPR_NONE), expr_cat(s, parts, bytes));
}

/* Text without any of them. */
static Expr text_without(ExprStore *s, const Text *of, size_t count) {
    return expr_and(s, any_text(s), expr_not(s, with_any(s, of, count, 0)));
}

/* Text that ends with `end`, in which none of them comes before that. */
static Expr text_up_to(ExprStore *s, Text end, const Text *of, size_t count) {
    Expr ends = expr_cat(s, any_text(s), expr_text(s, end.data, end.size));
    return expr_and(s, ends, expr_not(s, with_any(s, of, count, 1)));
}

/* ------------------------------------------------------------------ one tag */

static bool is_text(const JsonValue *value) { return value && value->kind == JSON_STRING; }

static bool known_keys(Tags *t, const JsonValue *object, const char *const *known, size_t count,
                       const char *place) {
    for (size_t i = 0; i < object->count; i++) {
        size_t k = 0;
        while (k < count && !text_equal(object->keys[i], text_of(known[k]))) k++;
        if (k == count)
            return fault_set(t->fault, "tags: %s: '%.*s' is not known", place,
                             (int)min_size(object->keys[i].size, 60), object->keys[i].data);
    }
    return true;
}

static bool check_tag(Tags *t, const JsonValue *tag, const char *place) {
    static const char *const known[] = {"begin", "end", "schema", "regex", "gbnf", "tags"};
    int contents = 0;
    if (tag->kind != JSON_OBJECT)
        return fault_set(t->fault, "tags: %s: wanted an object with begin and end", place);
    if (!known_keys(t, tag, known, 6, place)) return false;
    for (int i = 0; i < 2; i++)
        if (!is_text(json_get(tag, known[i])))
            return fault_set(t->fault, "tags: %s: %s is missing, wanted a text", place,
                             known[i]);
    for (int i = 2; i < 6; i++) contents += json_get(tag, known[i]) != NULL;
    if (contents > 1)
        return fault_set(t->fault,
                         "tags: %s: wanted one of schema, regex, gbnf and tags: what stands in "
                         "it",
                         place);
    if (contents == 0 && json_get(tag, "end")->text.size == 0)
        return fault_set(t->fault, "tags: %s: any text, and no end that it could have", place);
    return true;
}

static bool read_schema(Tags *t, const JsonValue *source, Expr *body) {
    size_t n = t->schemas->count;
    uint32_t rule = 0;
    Schema **of = realloc(t->schemas->of, (n + 1) * sizeof *of), *one = calloc(1, sizeof *one);
    REQUIRE(of && one, "no memory for a grammar");
    t->schemas->of = of, of[t->schemas->count++] = one;
    if (!schema_read(one, t->store, source, t->options, &rule, t->fault)) return false;
    return *body = expr_call(t->store, rule), true;
}

static bool read_regex(Tags *t, const JsonValue *source, Expr *body) {
    const RegexOptions options = {.write = charset_utf8};
    return regex_read(t->store, source->text, &options, body, t->fault);
}

static bool read_gbnf(Tags *t, const JsonValue *source, Expr *body) {
    uint32_t rule;
    if (!gbnf_read(t->store, source->text, t->options->tokenizer, &rule, t->fault))
        return false;
    expr_find_nullable(t->store);
    if (!t->options->left_recursion && !gbnf_check_left_recursion(t->store, rule, t->fault))
        return false;
    return *body = expr_call(t->store, rule), true;
}

static bool read_list(Tags *t, const JsonValue *list, const char *place, int depth, Expr *body);

/* What stands in a tag, and its end. */
static bool read_content(Tags *t, const JsonValue *tag, const char *place, int depth,
                         Expr *body) {
    const JsonValue *schema = json_get(tag, "schema"), *regex = json_get(tag, "regex"),
                    *gbnf = json_get(tag, "gbnf"), *tags = json_get(tag, "tags");
    Text end;
    bool ok = true;
    if (!spell(t, json_get(tag, "end")->text, &end)) return false;
    if ((regex && !is_text(regex)) || (gbnf && !is_text(gbnf)))
        return fault_set(t->fault, "tags: %s: %s is no text", place, regex ? "regex" : "gbnf");
    if (!schema && !regex && !gbnf && !tags)
        return *body = text_up_to(t->store, end, &end, 1), true;
    if (schema) ok = read_schema(t, schema, body);
    if (regex) ok = read_regex(t, regex, body);
    if (gbnf) ok = read_gbnf(t, gbnf, body);
    if (!ok) return fault_prefix(t->fault, place);
    if (tags && !read_list(t, tags, place, depth + 1, body)) return false;
    *body = expr_cat(t->store, *body, expr_text(t->store, end.data, end.size));
    return true;
}

/* A tag without the first `skip` bytes of its beginning. */
static bool read_tag(Tags *t, const JsonValue *tag, const char *place, size_t skip, int depth,
                     Expr *body) {
    Text begin;
    if (!read_content(t, tag, place, depth, body) ||
        !spell(t, json_get(tag, "begin")->text, &begin))
        return false;
    *body =
        expr_cat(t->store, expr_text(t->store, begin.data + skip, begin.size - skip), *body);
    return true;
}

/* One after the other. */
static bool read_list(Tags *t, const JsonValue *list, const char *place, int depth,
                      Expr *body) {
    if (list->kind != JSON_ARRAY || list->count == 0)
        return fault_set(t->fault, "tags: %s: wanted a list of tags", place);
    if (depth == TAG_DEPTH)
        return fault_set(t->fault, "tags: %s: nested more than %d deep", place, TAG_DEPTH);
    *body = EXPR_EMPTY;
    for (size_t i = list->count; i > 0; i--) {
        char here[PLACE];
        Expr one = EXPR_NONE;
        snprintf(here, sizeof here, "%.*s/%zu", PLACE - 24, place, i - 1);
        if (!check_tag(t, &list->items[i - 1], here) ||
            !read_tag(t, &list->items[i - 1], here, 0, depth, &one))
            return false;
        *body = expr_cat(t->store, one, *body);
    }
    return true;
}

/* ------------------------------------------------------------------ text with tags in it */

static bool read_triggers(Tags *t, const JsonValue *list) {
    if (!list || list->kind != JSON_ARRAY || list->count == 0 || list->count > TRIGGERS)
        return fault_set(t->fault, "tags: triggers: wanted a list of 1 to %d texts", TRIGGERS);
    for (size_t i = 0; i < list->count; i++) {
        if (!is_text(&list->items[i]) || list->items[i].text.size == 0)
            return fault_set(t->fault, "tags: triggers/%zu: wanted a text that is not empty",
                             i);
        if (!spell(t, list->items[i].text, &t->triggers[t->n_triggers++])) return false;
    }
    return true;
}

/* The trigger that is met first where this tag begins: none may lie in what comes before its end. */
static bool find_trigger(Tags *t, Text begin, const char *place, size_t *trigger) {
    size_t found = TRIGGERS;
    for (size_t i = 0; i < t->n_triggers; i++) {
        Text one = t->triggers[i];
        bool starts = one.size <= begin.size && memcmp(begin.data, one.data, one.size) == 0;
        if (starts && (found == TRIGGERS || one.size < t->triggers[found].size)) found = i;
    }
    if (found == TRIGGERS)
        return fault_set(t->fault,
                         "tags: %s: its begin starts with no trigger, so it would never be met",
                         place);
    Text before = {begin.data, t->triggers[found].size - 1};
    for (size_t i = 0; i < t->n_triggers; i++)
        if (has(before, t->triggers[i]))
            return fault_set(t->fault, "tags: %s: trigger '%.*s' comes first within its begin",
                             place, (int)t->triggers[i].size, t->triggers[i].data);
    return *trigger = found, true;
}

/* All tags, each with the text before it. */
static bool read_structures(Tags *t, const JsonValue *list, Expr *ways) {
    if (!list || list->kind != JSON_ARRAY || list->count == 0)
        return fault_set(t->fault, "tags: structures: wanted a list of tags");
    Expr rest[TRIGGERS] = {EXPR_NONE};
    for (size_t i = 0; i < list->count; i++) {
        char place[PLACE];
        size_t trigger = 0;
        Expr one = EXPR_NONE;
        Text begin;
        snprintf(place, sizeof place, "structures/%zu", i);
        if (!check_tag(t, &list->items[i], place) ||
            !spell(t, json_get(&list->items[i], "begin")->text, &begin) ||
            !find_trigger(t, begin, place, &trigger) ||
            !read_tag(t, &list->items[i], place, t->triggers[trigger].size, 0, &one))
            return false;
        rest[trigger] = expr_either(t->store, rest[trigger], one);
    }
    *ways = EXPR_NONE;
    for (size_t i = 0; i < t->n_triggers; i++) {
        Expr before = text_up_to(t->store, t->triggers[i], t->triggers, t->n_triggers);
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
    static const char *const known[] = {"type", "triggers", "structures", "at_least_one",
                                        "stop_after_first"};
    bool at_least_one, stop;
    Expr ways = EXPR_NONE;
    if (!known_keys(t, description, known, 5, "the description") ||
        !read_flag(t, description, "at_least_one", &at_least_one) ||
        !read_flag(t, description, "stop_after_first", &stop) ||
        !read_triggers(t, json_get(description, "triggers")) ||
        !read_structures(t, json_get(description, "structures"), &ways))
        return false;
    uint32_t text = expr_rule(t->store, "text");
    Expr free_text = text_without(t->store, t->triggers, t->n_triggers),
         more = expr_cat(t->store, ways, stop ? EXPR_EMPTY : expr_call(t->store, text));
    t->store->rule[text].body = expr_either(t->store, free_text, more);
    *root = text;
    if (at_least_one) {
        *root = expr_rule(t->store, "root");
        t->store->rule[*root].body = more;
    }
    return true;
}

/* Tags and nothing else. */
static bool read_alone(Tags *t, const JsonValue *list, uint32_t *root) {
    Expr body = EXPR_NONE;
    if (!read_list(t, list, "tags", 0, &body)) return false;
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
    if (type && (!is_text(type) || !text_equal(type->text, text_of("structural_tag"))))
        return fault_set(fault, "tags: type: wanted \"structural_tag\"");
    bool ok = list ? known_keys(&t, description, known, 2, "the description") &&
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
