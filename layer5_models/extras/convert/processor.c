/* processor.c - the tokens that tokenizer.json's post_processor adds around a text, and between
 * two.  See parts.h.
 *
 *     {"type": "TemplateProcessing", "pair": [...],
 *      "single": [{"SpecialToken": {"id": "<s>"}}, {"Sequence": {"id": "A"}},
 *                 {"SpecialToken": {"id": "</s>"}}],
 *      "special_tokens": {"<s>": {"id": "<s>", "ids": [0], "tokens": ["<s>"]}, ...}}
 *     {"type": "RobertaProcessing", "cls": ["<s>", 0], "sep": ["</s>", 2]}
 *                                                              <s> A </s> </s> B </s>
 *     {"type": "BertProcessing", "cls": ["[CLS]", 101], "sep": ["[SEP]", 102]}
 *                                                              [CLS] A [SEP] B [SEP]
 *
 * The processor's tokens win over the bos_token and eos_token of other files.
 *
 * Source   the tokenizers library's processors. */
#include "parts.h"
#include "json.h"

#include <string.h>

enum { AT_ONCE = 2 }; /* tokens in one position */

/* A template's tokens before, after and between its texts. */
typedef struct TemplateItems {
    int64_t ids[3][AT_ONCE];
    size_t counts[3], texts;
} TemplateItems;

/* The token that a template calls `name`: in special_tokens, else in the vocabulary. */
static bool processor_named_id(Conversion *c, const Vocab *v, const JsonValue *step, Text name,
                               int64_t *id) {
    const JsonValue *tokens = json_get(step, "special_tokens"),
                    *token = tokens ? json_find(tokens, name) : NULL,
                    *ids = token ? json_get(token, "ids") : NULL;
    size_t one = v->count;
    *id = ids ? -1 : vocab_id(v, name);
    if (ids && ids->kind == JSON_ARRAY && ids->count == 1 && json_size(ids->items, &one) &&
        one < v->count)
        *id = (int64_t)one;
    return *id >= 0 || REFUSE(c,
                              "tokenizer.json: the post_processor writes '%.*s', wanted one "
                              "token of the vocabulary",
                              (int)min_size(60, name.size), name.data);
}

static bool refuse_template(Conversion *c) {
    return REFUSE(c, "tokenizer.json: the post_processor writes something else than a token in "
                     "front and one behind");
}

static bool read_places(Conversion *c, const Vocab *v, const JsonValue *step,
                        const JsonValue *list, TemplateItems *items) {
    *items = (TemplateItems){0};
    for (size_t i = 0; list && list->kind == JSON_ARRAY && i < list->count; i++) {
        const JsonValue *name = json_get(json_get(&list->items[i], "SpecialToken"), "id");
        size_t at = items->texts, n;
        if (json_get(&list->items[i], "Sequence")) {
            items->texts++;
            continue;
        }
        if (at > 2 || !name || name->kind != JSON_STRING) return refuse_template(c);
        if ((n = items->counts[at]++) == AT_ONCE) return refuse_template(c);
        if (!processor_named_id(c, v, step, name->text, &items->ids[at][n])) return false;
    }
    return true;
}

static int64_t only_id(const TemplateItems *items, size_t at) {
    return items->counts[at] ? items->ids[at][0] : -1;
}

/* Two texts: the same tokens around each, and at most one more between them. */
static bool read_pair(const TemplateItems *pair, Written *written) {
    size_t ends = written->behind >= 0;
    if (pair->texts != 2 || pair->counts[0] > 1 || pair->counts[2] > 1 ||
        only_id(pair, 0) != written->front || only_id(pair, 2) != written->behind)
        return false;
    if (pair->counts[1] < ends || pair->counts[1] > ends + 1 ||
        (ends && pair->ids[1][0] != written->behind))
        return false;
    if (pair->counts[1] > ends) written->between = pair->ids[1][ends];
    return true;
}

static bool read_template(Conversion *c, const Vocab *v, const JsonValue *step,
                          Written *written) {
    TemplateItems single, pair;
    bool scores = strstr(c->family->classes, "ForSequenceClassification") != NULL;
    if (!read_places(c, v, step, json_get(step, "single"), &single)) return false;
    if (single.texts != 1 || single.counts[0] > 1 || single.counts[1] > 1)
        return refuse_template(c);
    *written = (Written){true, only_id(&single, 0), only_id(&single, 1), -1};
    if (!c->recipe || !quirks_of(c->recipe)->vectors) return true;
    const JsonValue *list = json_get(step, "pair");
    bool none = !list || list->kind != JSON_ARRAY || list->count == 0;
    if (none || (read_places(c, v, step, list, &pair) && read_pair(&pair, written)))
        return true;
    return !scores || REFUSE(c, "tokenizer.json: the post_processor joins two texts in another "
                                "way than with what stands around each and at most one token "
                                "more between them");
}

/* ["</s>", 2] */
static bool read_two(Conversion *c, const Vocab *v, const JsonValue *step, Written *written) {
    static const char *const keys[] = {"cls", "sep"};
    size_t ids[2];
    for (int i = 0; i < 2; i++) {
        const JsonValue *token = json_get(step, keys[i]);
        bool pair = token && token->kind == JSON_ARRAY && token->count == 2;
        if (!pair || !json_size(&token->items[1], &ids[i]) || ids[i] >= v->count)
            return REFUSE(
                c,
                "tokenizer.json: %s of the post_processor is not a pair of a token and "
                "its id in the vocabulary",
                keys[i]);
    }
    bool twice = json_is(json_get(step, "type"), "RobertaProcessing");
    *written = (Written){true, (int64_t)ids[0], (int64_t)ids[1], twice ? (int64_t)ids[1] : -1};
    return true;
}

bool read_processor(Conversion *c, const Vocab *v, const JsonValue *step, Written *written) {
    const JsonValue *type = json_get(step, "type"), *list = json_get(step, "processors");
    if (!step || step->kind == JSON_NULL || json_is(type, "ByteLevel")) return true;
    if (json_is(type, "BertProcessing") || json_is(type, "RobertaProcessing"))
        return read_two(c, v, step, written);
    if (json_is(type, "TemplateProcessing")) return read_template(c, v, step, written);
    bool known = json_is(type, "Sequence") && list && list->kind == JSON_ARRAY;
    for (size_t i = 0; known && i < list->count; i++) {
        known = !json_get(&list->items[i], "processors");
        if (known && !read_processor(c, v, &list->items[i], written)) return false;
    }
    return known || REFUSE(c, "tokenizer.json: a post_processor of this type is not built in");
}
