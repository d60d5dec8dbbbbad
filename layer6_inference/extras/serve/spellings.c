/* spellings.c - see spellings.h. */
#include "spellings.h"

#include <stdlib.h>
#include <string.h>

typedef enum Meaning {
    MEANS_SAME,
    MEANS_ENDLESS,  /* -1: as many tokens as fit */
    MEANS_OFF,      /* -1: the stage is off */
    MEANS_NO_END,   /* true: no token ends the text */
    MEANS_THINKING, /* {"enable_thinking": ...} */
    MEANS_GUIDED    /* {"json": ...} is guided_json, and so on */
} Meaning;

static const struct Spelling {
    const char *name, *core;
    Meaning meaning;
} spellings[] = {{"n_predict", "max_tokens", MEANS_ENDLESS},
                 {"ignore_eos", "min_tokens", MEANS_NO_END},
                 {"guided_json", "json_schema", MEANS_SAME},
                 {"guided_regex", "regex", MEANS_SAME},
                 {"guided_choice", "choice", MEANS_SAME},
                 {"guided_grammar", "grammar", MEANS_SAME},
                 {"structured_outputs", "guided_", MEANS_GUIDED},
                 {"chat_template_kwargs", "enable_thinking", MEANS_THINKING},
                 {"top_k", "top_k", MEANS_OFF}};

static const char endless[] = "1000000000";

static bool is_minus_one(const JsonValue *v) {
    return v->kind == JSON_NUMBER && text_equal(v->text, text_of("-1"));
}

static const struct Spelling *find_spelling(Text name) {
    for (size_t k = 0; k < sizeof spellings / sizeof *spellings; k++)
        if (text_equal(name, text_of(spellings[k].name))) return &spellings[k];
    return NULL;
}

/* The only member of an object; `key` is its name.  Otherwise `wanted` is said. */
static bool respell_member(const char *name, const char *wanted, Text *key, JsonValue *v,
                           HttpError *error) {
    if (v->kind != JSON_OBJECT || v->count != 1)
        return http_error(error, 400, name, "%s: wanted an object with %s", name, wanted);
    return *key = v->keys[0], *v = v->items[0], true;
}

static bool respell_guided(const char *name, Text *key, JsonValue *v, HttpError *error) {
    static const char *const ways[] = {"guided_json", "guided_regex", "guided_choice",
                                       "guided_grammar"};
    if (!respell_member(name, "one of json, regex, choice, grammar", key, v, error))
        return false;
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++)
        if (text_equal(*key, text_of(ways[i] + strlen("guided_"))))
            return *key = text_of(find_spelling(text_of(ways[i]))->core), true;
    return http_error(error, 400, name,
                      "%s: wanted an object with one of json, regex, choice, grammar", name);
}

static bool respell_field(Text *key, JsonValue *v, HttpError *error) {
    const struct Spelling *s = find_spelling(*key);
    Text inner;
    if (!s || v->kind == JSON_NULL) return true;
    *key = text_of(s->core);
    switch (s->meaning) {
    case MEANS_SAME: return true;
    case MEANS_ENDLESS:
        if (is_minus_one(v)) v->text = text_of(endless);
        return true;
    case MEANS_OFF:
        if (is_minus_one(v)) *v = (JsonValue){.kind = JSON_STRING, .text = text_of("off")};
        return true;
    case MEANS_NO_END:
        if (v->kind != JSON_TRUE && v->kind != JSON_FALSE)
            return http_error(error, 400, s->name, "%s: wanted true or false", s->name);
        *v = v->kind == JSON_TRUE ? (JsonValue){.kind = JSON_NUMBER, .text = text_of(endless)}
                                  : (JsonValue){.kind = JSON_NULL};
        return true;
    case MEANS_THINKING:
        return respell_member(s->name, s->core, &inner, v, error) &&
               (text_equal(inner, *key) ||
                http_error(error, 400, s->name, "%s: wanted an object with %s", s->name,
                           s->core));
    case MEANS_GUIDED: return respell_guided(s->name, key, v, error);
    }
    return false;
}

/* Two fields that mean the same: which of them counts? */
static bool respell_is_new(const JsonValue *root, const Text *keys, size_t i,
                           HttpError *error) {
    char name[64];
    for (size_t k = 0; k < i; k++) {
        if (!text_equal(keys[k], keys[i])) continue;
        const Text odd = find_spelling(root->keys[i]) ? root->keys[i] : root->keys[k],
                   other = root->keys[odd.data == root->keys[i].data ? k : i];
        snprintf(name, sizeof name, "%.*s", (int)odd.size, odd.data);
        return http_error(error, 400, name, "%s: the same as %.*s: give one of them", name,
                          (int)other.size, other.data);
    }
    return true;
}

const JsonValue *fields_respell(const JsonValue *root, JsonValue **respelled,
                                HttpError *error) {
    const size_t n = root->count;
    JsonValue *copy = malloc((n + 1) * sizeof *copy + n * sizeof(Text));
    if (!copy) return http_error(error, 500, NULL, "no memory for a request"), NULL;
    JsonValue *items = copy + 1;
    Text *keys = (Text *)(items + n);
    *respelled = copy, *copy = *root;
    copy->items = items, copy->keys = keys;
    for (size_t i = 0; i < n; i++) {
        keys[i] = root->keys[i], items[i] = root->items[i];
        if (!respell_field(&keys[i], &items[i], error) || !respell_is_new(root, keys, i, error))
            return NULL;
    }
    return copy;
}

const char *fields_sent_as(const JsonValue *sent, const JsonValue *respelled,
                           const char *name) {
    for (size_t i = 0; i < respelled->count; i++) {
        const struct Spelling *s = find_spelling(sent->keys[i]);
        if (s && text_equal(respelled->keys[i], text_of(name))) return s->name;
    }
    return name;
}
