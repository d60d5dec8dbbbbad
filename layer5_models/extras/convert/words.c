/* words.c - tokenizer.json: tokens and merges.  See parts.h.
 *
 *     {"model": {"type": "BPE", "vocab": {"a": 0, ...}, "merges": ["a b", ...]},
 *      "added_tokens": [{"id": 5, "content": "<s>", "special": true}, ...],
 *      "normalizer": ..., "pre_tokenizer": ..., "post_processor": ...} */
#include "parts.h"
#include "json.h"

#include <stdlib.h>
#include <string.h>

/* ------------------------------------------------------------------ merges */

/* "a b", or ["a", "b"] in newer files. */
static bool read_merge(Conversion *c, Vocab *v, const JsonValue *item, Text *merge) {
    *merge = item->text;
    if (item->kind == JSON_STRING) return true;
    if (item->kind != JSON_ARRAY || item->count != 2 || item->items[0].kind != JSON_STRING ||
        item->items[1].kind != JSON_STRING)
        return REFUSE(c, "tokenizer.json: a merge is not a pair of texts");
    Text left = item->items[0].text, right = item->items[1].text;
    char *joined = region_alloc(&v->region, left.size + right.size + 1);
    if (!joined) return REFUSE(c, "no memory for the merges");
    memcpy(joined, left.data, left.size);
    joined[left.size] = ' ';
    memcpy(joined + left.size + 1, right.data, right.size);
    *merge = (Text){joined, left.size + right.size + 1};
    return true;
}

typedef struct Entry {
    Text token;
    size_t id;
} Entry;

static int convert_words_by_token(const void *a, const void *b) {
    return text_order(((const Entry *)a)->token, ((const Entry *)b)->token);
}

/* The merged token of "a b". */
static Text convert_words_whole_of(Text merge, char *out) {
    const char *space = merge.size > 1 ? memchr(merge.data + 1, ' ', merge.size - 1) : NULL;
    if (!space) return merge;
    size_t left = (size_t)(space - merge.data);
    memcpy(out, merge.data, left);
    memcpy(out + left, space + 1, merge.size - left - 1);
    return (Text){out, merge.size - 1};
}

/* The earlier a merge was learned, the higher its result's score: then best score first is
 * earliest merge first. */
static bool score_by_merges(Conversion *c, Vocab *v, const Text *merges, size_t count) {
    Entry *entries = malloc((v->count + 1) * sizeof *entries);
    char *room = malloc(1 << 16);
    bool ok = (entries && room) || REFUSE(c, "no memory for %zu tokens", v->count);
    size_t n = 0;
    for (size_t i = 0; ok && i < v->count; i++) {
        if (v->tokens[i].data) entries[n++] = (Entry){v->tokens[i], i};
        v->scores[i] = -1e6; /* not made by a merge */
    }
    if (ok) qsort(entries, n, sizeof *entries, convert_words_by_token);
    for (size_t i = 0; ok && i < count; i++) {
        if (merges[i].size > 1 << 16)
            ok = REFUSE(c, "tokenizer.json: a merge of %zu bytes", merges[i].size);
        Entry wanted = {ok ? convert_words_whole_of(merges[i], room) : (Text){"", 0}, 0},
              *found = bsearch(&wanted, entries, n, sizeof *entries, convert_words_by_token);
        if (found && v->scores[found->id] == -1e6) v->scores[found->id] = -(double)i;
    }
    free(entries), free(room);
    return ok;
}

static bool put_merges(Conversion *c, Vocab *v, const JsonValue *list, bool plain) {
    if (!list || list->kind != JSON_ARRAY) return REFUSE(c, "tokenizer.json has no merges");
    Text *merges = malloc((list->count + 1) * sizeof *merges);
    bool ok = merges || REFUSE(c, "no memory for %zu merges", list->count);
    for (size_t i = 0; ok && i < list->count; i++)
        ok = read_merge(c, v, &list->items[i], &merges[i]);
    if (ok && plain)
        ok = score_by_merges(c, v, merges, list->count);
    else if (ok)
        gguf_put_strings(c->writer, "tokenizer.ggml.merges", merges, list->count);
    free(merges);
    return ok;
}

/* ------------------------------------------------------------------ tokens */

/* "<0x0A>" */
static bool is_byte(Text token) {
    return token.size == 6 && memcmp(token.data, "<0x", 3) == 0 && token.data[5] == '>';
}

bool read_vocab(Conversion *c, Vocab *v, const JsonValue *model, bool plain) {
    const JsonValue *vocab = json_get(model, "vocab"), *unknown = json_get(model, "unk_token");
    size_t id;
    if (!vocab || vocab->kind != JSON_OBJECT) return REFUSE(c, "tokenizer.json has no vocab");
    for (size_t i = 0; i < vocab->count; i++) {
        Text token = vocab->keys[i];
        int type = plain && is_byte(token) ? TOKEN_BYTE : TOKEN_NORMAL;
        if (unknown && unknown->kind == JSON_STRING && text_equal(unknown->text, token))
            type = TOKEN_UNKNOWN;
        if (!json_size(&vocab->items[i], &id))
            return REFUSE(c, "tokenizer.json: a token's id is not an integer");
        if (!vocab_set(v, id, token, type, 0, false, c->fault)) return false;
    }
    return true;
}

static void note_strips(Conversion *c, const JsonValue *token) {
    if (!json_true(token, "rstrip") && !json_true(token, "lstrip")) return;
    if (!c->strips && strcmp(c->family->arch, "phi3") != 0)
        convert_note(c, "white space beside special tokens stays: GGUF files cannot "
                        "say that it is dropped");
    c->strips = true;
}

bool read_added(Conversion *c, Vocab *v, const JsonValue *added) {
    size_t id;
    if (!added || added->kind != JSON_ARRAY) return true;
    for (size_t i = 0; i < added->count; i++) {
        const JsonValue *token = &added->items[i], *text = json_get(token, "content");
        if (!text || text->kind != JSON_STRING || !json_size(json_get(token, "id"), &id))
            return REFUSE(c, "tokenizer.json: an added token has no content or no id");
        if (json_true(token, "single_word"))
            return REFUSE(
                c,
                "tokenizer.json: '%.*s' is only found as a whole word, which is not built in",
                (int)min_size(60, text->text.size), text->text.data);
        note_strips(c, token);
        if (id >= v->count)
            convert_note(c, "an added token has no row in the embedding: it is left out");
        int old = id < v->count && v->tokens[id].data ? (int)v->types[id] : TOKEN_NORMAL,
            type = json_true(token, "special") ? TOKEN_CONTROL : TOKEN_USER;
        if (old == TOKEN_UNKNOWN || old == TOKEN_BYTE) type = old;
        double score = id < v->count ? v->scores[id] : 0;
        if (!vocab_set(v, id, text->text, type, score, true, c->fault)) return false;
    }
    return true;
}

static bool convert_words_check_model(Conversion *c, const JsonValue *model) {
    static const char *const off[] = {"dropout", "continuing_subword_prefix",
                                      "end_of_word_suffix"};
    if (!json_is(json_get(model, "type"), "BPE") && json_get(model, "type"))
        return REFUSE(
            c, "tokenizer.json: the model is of another type than BPE, Unigram and WordPiece");
    for (size_t i = 0; i < sizeof off / sizeof *off; i++) {
        const JsonValue *value = json_get(model, off[i]);
        if (value && value->kind != JSON_NULL && !json_is(value, ""))
            return REFUSE(c, "tokenizer.json: the model has a '%s', which is not built in",
                          off[i]);
    }
    return true;
}

bool read_tokenizer_json(Conversion *c, Vocab *v, const JsonValue *root) {
    const JsonValue *model = json_get(root, "model");
    const char *pre;
    bool plain;
    if (json_is(json_get(model, "type"), "Unigram")) return read_unigram(c, v, root);
    if (json_is(json_get(model, "type"), "WordPiece")) return read_wordpiece(c, v, root);
    if (!convert_words_check_model(c, model) || !read_splits(c, root, &plain, &pre))
        return false;
    gguf_put_string(c->writer, "tokenizer.ggml.model", text_of(plain ? "llama" : "gpt2"));
    if (pre) gguf_put_string(c->writer, "tokenizer.ggml.pre", text_of(pre));
    v->has_scores = plain;
    return read_vocab(c, v, model, plain) &&
           put_merges(c, v, json_get(model, "merges"), plain) &&
           read_added(c, v, json_get(root, "added_tokens"));
}
