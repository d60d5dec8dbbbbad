/* splits.c - the name of the pre-tokenizer rule in tokenizer.json.  See parts.h.
 *
 * Its steps are data, as our rules are (extras/pre_rules.c): they are compared with them.
 *
 * Source   the tokenizers library's pre_tokenizers and normalizers */
#include "parts.h"
#include "json.h"
#include "tokenizers.h"

#include <stdio.h>
#include <string.h>

enum { MAX_PATTERNS = 8 };

/* ByteLevel's own pattern (use_regex). */
static const char gpt2[] =
    "'s|'t|'re|'ve|'m|'ll|'d| ?\\p{L}+| ?\\p{N}+| ?[^\\s\\p{L}\\p{N}]+|\\s+(?!\\S)|\\s+";

typedef struct Splits {
    Conversion *c;
    Text patterns[MAX_PATTERNS];
    size_t count;
    bool bytes;  /* ByteLevel */
    bool spaces; /* one is added in front */
    bool prefix; /* one stands in front */
} Splits;

static bool splits_refuse(const Splits *s, const char *what, const JsonValue *step) {
    const JsonValue *type = json_get(step, "type");
    Text name = type && type->kind == JSON_STRING ? type->text : text_of("(no type)");
    return REFUSE(s->c, "tokenizer.json: the %s '%.*s' does what is not built in", what,
                  (int)min_size(60, name.size), name.data);
}

static bool splits_add(Splits *s, Text pattern) {
    if (s->count == MAX_PATTERNS) return REFUSE(s->c, "tokenizer.json: more than 8 patterns");
    s->patterns[s->count++] = pattern;
    return true;
}

/* Both behaviors keep matches and what is between them. */
static bool keeps_pieces(const JsonValue *step) {
    const JsonValue *how = json_get(step, "behavior");
    return json_true(step, "invert") ? json_is(how, "Removed") : json_is(how, "Isolated");
}

static bool splits_read_split(Splits *s, const JsonValue *step) {
    const JsonValue *pattern = json_get(step, "pattern"), *regex = json_get(pattern, "Regex");
    if (json_is(json_get(pattern, "String"), " ") && s->spaces)
        return true; /* all were compared */
    if (!regex || regex->kind != JSON_STRING || !keeps_pieces(step))
        return splits_refuse(s, "pre_tokenizer", step);
    return splits_add(s, regex->text);
}

static bool read_byte_level(Splits *s, const JsonValue *step) {
    const JsonValue *regex = json_get(step, "use_regex");
    s->bytes = true;
    if (json_true(step, "add_prefix_space")) return splits_refuse(s, "pre_tokenizer", step);
    return regex && regex->kind == JSON_FALSE ? true : splits_add(s, text_of(gpt2));
}

static bool read_metaspace(Splits *s, const JsonValue *step) {
    const JsonValue *scheme = json_get(step, "prepend_scheme"),
                    *old = json_get(step, "add_prefix_space");
    if (!json_is(json_get(step, "replacement"), "\u2581"))
        return splits_refuse(s, "pre_tokenizer", step);
    s->spaces = true;
    s->prefix = scheme ? !json_is(scheme, "never") : !old || old->kind == JSON_TRUE;
    return true;
}

static bool read_step(Splits *s, const JsonValue *step) {
    const JsonValue *type = json_get(step, "type"), *list = json_get(step, "pretokenizers");
    if (!step || step->kind == JSON_NULL) return true;
    if (json_is(type, "ByteLevel")) return read_byte_level(s, step);
    if (json_is(type, "Split")) return splits_read_split(s, step);
    if (json_is(type, "Metaspace")) return read_metaspace(s, step);
    if (json_is(type, "Digits"))
        return splits_add(s,
                          text_of(json_true(step, "individual_digits") ? "\\p{N}" : "\\p{N}+"));
    if (!json_is(type, "Sequence") || !list || list->kind != JSON_ARRAY)
        return splits_refuse(s, "pre_tokenizer", step);
    for (size_t i = 0; i < list->count; i++)
        if (json_get(&list->items[i], "pretokenizers") || !read_step(s, &list->items[i]))
            return splits_refuse(s, "pre_tokenizer", &list->items[i]);
    return true;
}

static bool read_normal(Splits *s, const JsonValue *step) {
    const JsonValue *type = json_get(step, "type"), *list = json_get(step, "normalizers");
    if (!step || step->kind == JSON_NULL) return true;
    /* spaces that a form makes become U+2581, too, if the form comes first */
    if (!(is_alike(step) && (s->spaces || s->prefix)) && read_form(s->c, step)) return true;
    if (json_is(type, "Prepend") && json_is(json_get(step, "prepend"), "\u2581"))
        return s->prefix = true;
    if (json_is(type, "Replace") && json_is(json_get(step, "content"), "\u2581") &&
        json_is(json_get(json_get(step, "pattern"), "String"), " "))
        return s->spaces = true;
    if (!json_is(type, "Sequence") || !list || list->kind != JSON_ARRAY)
        return splits_refuse(s, "normalizer", step);
    for (size_t i = 0; i < list->count; i++)
        if (json_get(&list->items[i], "normalizers") || !read_normal(s, &list->items[i]))
            return splits_refuse(s, "normalizer", &list->items[i]);
    return true;
}

static bool refuse_splits(const Splits *s) {
    char all[600] = "";
    for (size_t i = 0, at = 0; i < s->count && at < sizeof all; i++)
        at += (size_t)snprintf(all + at, sizeof all - at, "%s'%.*s'", i ? ", then by " : "",
                               (int)min_size(250, s->patterns[i].size), s->patterns[i].data);
    return REFUSE(s->c, "tokenizer.json splits text by %s, and no rule that is built in does",
                  s->count ? all : "no pattern");
}

bool read_splits(Conversion *c, const JsonValue *root, bool *plain, const char **pre) {
    Splits s = {.c = c};
    if (!read_normal(&s, json_get(root, "normalizer")) ||
        !read_step(&s, json_get(root, "pre_tokenizer")))
        return false;
    *plain = s.spaces, *pre = NULL;
    if (s.spaces == s.bytes || (s.spaces && s.count))
        return REFUSE(c, "tokenizer.json: wanted ByteLevel, or spaces as U+2581, and got %s",
                      s.bytes ? "both" : "neither");
    if (s.spaces) {
        gguf_put_int(c->writer, "tokenizer.ggml.add_space_prefix", GGUF_BOOL, s.prefix);
        return true;
    }
    *pre = tokenizer_rule_name(s.patterns, s.count,
                               json_true(json_get(root, "model"), "ignore_merges"));
    return *pre || refuse_splits(&s);
}
