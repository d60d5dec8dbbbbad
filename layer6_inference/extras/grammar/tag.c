/* tag.c - one tag: its begin, content and end.  See tag.h. */
#include "tag.h"

#include "gbnf.h"
#include "regex.h"
#include "json.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ------------------------------------------------------------------ special tokens */

/* Room for a text with token ids, kept until the tags are read. */
static char *keep_text(Tags *t, size_t size) {
    char *text = malloc(size + 1), **kept = realloc(t->kept, (t->n_kept + 1) * sizeof *kept);
    NEED_MEMORY(text && kept, "a grammar");
    t->kept = kept, kept[t->n_kept++] = text;
    return text;
}

bool tag_spell(Tags *t, Text text, Text *spelled) {
    TokenList tokens = {0};
    *spelled = text;
    if (!t->options->tokenizer || text.size == 0) return true;
    bool ok = tokenizer_encode(t->options->tokenizer, text, true, &tokens, t->fault);
    char *out = keep_text(t, 4 * text.size); /* a name: 1 byte or more, a token id: 4 */
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

Expr tag_any_text(ExprStore *s) {
    CodeSet all = {0};
    code_set_invert(&all);
    Expr any = expr_repeat(s, charset_utf8(s, &all), 0, EXPR_FOREVER);
    code_set_free(&all);
    return any;
}

Expr tag_one_of(ExprStore *s, const Text *of, size_t count) {
    Expr one = EXPR_NONE;
    for (size_t i = 0; i < count; i++)
        one = expr_either(s, one, expr_text(s, of[i].data, of[i].size));
    return one;
}

Expr tag_text_with(ExprStore *s, const Text *of, size_t count, uint32_t more) {
    Expr bytes = expr_not(s, EXPR_NONE);
    ByteSet all;
    memset(&all, 0xFF, sizeof all);
    if (more) bytes = expr_repeat(s, expr_bytes(s, &all), more, EXPR_FOREVER);
    return expr_cat(s, expr_not(s, EXPR_NONE), expr_cat(s, tag_one_of(s, of, count), bytes));
}

Expr tag_text_up_to(ExprStore *s, Text end, const Text *of, size_t count) {
    Expr ends = expr_cat(s, tag_any_text(s), expr_text(s, end.data, end.size));
    return expr_and(s, ends, expr_not(s, tag_text_with(s, of, count, 1)));
}

/* ------------------------------------------------------------------ one tag */

bool tag_is_text(const JsonValue *value) { return value && value->kind == JSON_STRING; }

bool tag_known_keys(Tags *t, const JsonValue *object, const char *const *known, size_t count,
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

bool tag_check(Tags *t, const JsonValue *tag, const char *place) {
    static const char *const known[] = {"begin", "end",  "schema", "regex",
                                        "gbnf",  "tags", "any",    "separator"};
    const JsonValue *separator = json_get(tag, "separator");
    int contents = 0;
    if (tag->kind != JSON_OBJECT)
        return fault_set(t->fault, "tags: %s: wanted an object with begin and end", place);
    if (!tag_known_keys(t, tag, known, 8, place)) return false;
    for (int i = 0; i < 2; i++)
        if (!tag_is_text(json_get(tag, known[i])))
            return fault_set(t->fault, "tags: %s: %s is missing, wanted a text", place,
                             known[i]);
    for (int i = 2; i < 7; i++) contents += json_get(tag, known[i]) != NULL;
    if (contents > 1)
        return fault_set(
            t->fault,
            "tags: %s: the content is missing: wanted one of schema, regex, gbnf, tags or any",
            place);
    if (separator && (!json_get(tag, "any") || !tag_is_text(separator)))
        return fault_set(t->fault, "tags: %s: the separator is a text, and needs any", place);
    if (contents == 0 && json_get(tag, "end")->text.size == 0)
        return fault_set(t->fault, "tags: %s: any needs an end", place);
    return true;
}

static bool read_schema(Tags *t, const JsonValue *source, Expr *body) {
    size_t n = t->schemas->count;
    uint32_t rule = 0;
    Schema **of = realloc(t->schemas->of, (n + 1) * sizeof *of), *one = calloc(1, sizeof *one);
    NEED_MEMORY(of && one, "a grammar");
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

/* One of several tags, or with a separator one or more. */
static bool read_any(Tags *t, const JsonValue *tag, const char *place, int depth, Expr *body) {
    const JsonValue *separator = json_get(tag, "separator");
    Text between;
    Expr one = EXPR_NONE;
    if (!tag_read_list(t, json_get(tag, "any"), place, depth + 1, true, &one)) return false;
    *body = one;
    if (!separator) return true;
    if (!tag_spell(t, separator->text, &between)) return false;
    one = expr_cat(t->store, expr_text(t->store, between.data, between.size), one);
    *body = expr_cat(t->store, *body, expr_repeat(t->store, one, 0, EXPR_FOREVER));
    return true;
}

static bool read_content(Tags *t, const JsonValue *tag, const char *place, int depth,
                         Expr *body) {
    const JsonValue *schema = json_get(tag, "schema"), *regex = json_get(tag, "regex"),
                    *gbnf = json_get(tag, "gbnf"), *tags = json_get(tag, "tags"),
                    *any = json_get(tag, "any");
    Text end;
    bool ok = true;
    if (!tag_spell(t, json_get(tag, "end")->text, &end)) return false;
    if ((regex && !tag_is_text(regex)) || (gbnf && !tag_is_text(gbnf)))
        return fault_set(t->fault, "tags: %s: %s is no text", place, regex ? "regex" : "gbnf");
    if (!schema && !regex && !gbnf && !tags && !any)
        return *body = tag_text_up_to(t->store, end, &end, 1), true;
    if (schema) ok = read_schema(t, schema, body);
    if (regex) ok = read_regex(t, regex, body);
    if (gbnf) ok = read_gbnf(t, gbnf, body);
    if (!ok) return fault_prefix(t->fault, place);
    if (tags && !tag_read_list(t, tags, place, depth + 1, false, body)) return false;
    if (any && !read_any(t, tag, place, depth, body)) return false;
    *body = expr_cat(t->store, *body, expr_text(t->store, end.data, end.size));
    return true;
}

bool tag_read(Tags *t, const JsonValue *tag, const char *place, size_t skip, int depth,
              Expr *body) {
    Text begin;
    if (!read_content(t, tag, place, depth, body) ||
        !tag_spell(t, json_get(tag, "begin")->text, &begin))
        return false;
    *body =
        expr_cat(t->store, expr_text(t->store, begin.data + skip, begin.size - skip), *body);
    return true;
}

bool tag_read_list(Tags *t, const JsonValue *list, const char *place, int depth, bool any,
                   Expr *body) {
    if (list->kind != JSON_ARRAY || list->count == 0)
        return fault_set(t->fault, "tags: %s: wanted a list of tags", place);
    if (depth == TAG_DEPTH)
        return fault_set(t->fault, "tags: %s: nested more than %d deep", place, TAG_DEPTH);
    *body = any ? EXPR_NONE : EXPR_EMPTY;
    for (size_t i = list->count; i > 0; i--) {
        char here[PLACE];
        Expr one = EXPR_NONE;
        snprintf(here, sizeof here, "%.*s/%zu", PLACE - 24, place, i - 1);
        if (!tag_check(t, &list->items[i - 1], here) ||
            !tag_read(t, &list->items[i - 1], here, 0, depth, &one))
            return false;
        *body = any ? expr_either(t->store, one, *body) : expr_cat(t->store, one, *body);
    }
    return true;
}
