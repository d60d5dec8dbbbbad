/* wordpiece.c - BERT's vocabulary: tokenizer.json of kind WordPiece, or vocab.txt.  See
 * parts.h.
 *
 *     {"model": {"type": "WordPiece", "unk_token": "[UNK]", "continuing_subword_prefix": "##",
 *     ...}, "normalizer": {"type": "BertNormalizer", "lowercase": true, "strip_accents": null,
 *     ...}, "pre_tokenizer": {"type": "BertPreTokenizer"}}
 *
 * There ## marks a token that continues a word; here U+2581 marks one that begins a word:
 *
 *     play ##ing   ->   U+2581play ing
 *
 * Source   the tokenizers library's models/wordpiece and normalizers/bert; transformers'
 *          BertTokenizer, whose defaults apply to vocab.txt. */
#include "parts.h"
#include "json.h"
#include "tokenizers.h"

#include <stdlib.h>
#include <string.h>

static const char begins[] = "\u2581";

/* ------------------------------------------------------------------ how text is made plain */

/* Settings of a normalizer, or of tokenizer_config.json; missing keys have the defaults of
 * both. */
typedef struct Plain {
    const char *file, *lowercase, *ideographs; /* names of the keys */
    const JsonValue *said;
} Plain;

static bool flag_or(const JsonValue *object, const char *key, bool otherwise) {
    const JsonValue *value = json_get(object, key);
    bool said = value && (value->kind == JSON_TRUE || value->kind == JSON_FALSE);
    return said ? value->kind == JSON_TRUE : otherwise;
}

/* Accents are stripped with lower-casing, unless the file says otherwise. */
static bool convert_wordpiece_put_plain(Conversion *c, const Plain *p) {
    const char *const always[] = {"clean_text", p->ideographs, "do_basic_tokenize"};
    bool lowercase = flag_or(p->said, p->lowercase, true);
    for (int i = 0; i < 3; i++)
        if (!flag_or(p->said, always[i], true))
            return REFUSE(c, "%s: '%s' is false, which is not built in for WordPiece", p->file,
                          always[i]);
    gguf_put_string(c->writer, "tokenizer.ggml.model", text_of("bert"));
    gguf_put_int(c->writer, "tokenizer.ggml.normalizer.lowercase", GGUF_BOOL,
                 lowercase || c->lowers);
    gguf_put_int(c->writer, "tokenizer.ggml.normalizer.strip_accents", GGUF_BOOL,
                 flag_or(p->said, "strip_accents", lowercase));
    return true;
}

static bool check_type(Conversion *c, const JsonValue *step, const char *part,
                       const char *wanted) {
    const JsonValue *type = json_get(step, "type");
    if (json_is(type, wanted)) return true;
    Text got = type && type->kind == JSON_STRING ? type->text : text_of("(none)");
    return REFUSE(c, "tokenizer.json: the %s is '%.*s', wanted %s, as WordPiece has it", part,
                  (int)min_size(60, got.size), got.data, wanted);
}

static bool convert_wordpiece_check_model(Conversion *c, const JsonValue *model) {
    const JsonValue *prefix = json_get(model, "continuing_subword_prefix");
    size_t longest;
    if (prefix && !json_is(prefix, "##"))
        return REFUSE(c, "tokenizer.json: continuing_subword_prefix is another one than ##");
    if (json_size(json_get(model, "max_input_chars_per_word"), &longest) &&
        longest != WORDPIECE_LONGEST)
        return REFUSE(c, "tokenizer.json: max_input_chars_per_word is %zu, wanted %d", longest,
                      WORDPIECE_LONGEST);
    return true;
}

/* ------------------------------------------------------------------ tokens */

/* BERT's special tokens by name, whatever the rest of the file says. */
static void mark_specials(Vocab *v) {
    static const char *const names[] = {"[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        int64_t id = vocab_id(v, text_of(names[i]));
        if (id >= 0) v->types[id] = TOKEN_CONTROL;
    }
}

static bool respell(Conversion *c, Vocab *v) {
    mark_specials(v);
    for (size_t i = 0; i < v->count; i++) {
        Text *token = &v->tokens[i];
        if (!token->data || v->types[i] != TOKEN_NORMAL) continue;
        if (token->size >= 2 && memcmp(token->data, "##", 2) == 0) {
            token->data += 2, token->size -= 2;
            continue;
        }
        char *spelled = region_alloc(&v->region, token->size + sizeof begins - 1);
        if (!spelled) return REFUSE(c, "no memory for %zu tokens", v->count);
        memcpy(spelled, begins, sizeof begins - 1);
        memcpy(spelled + sizeof begins - 1, token->data, token->size);
        *token = (Text){spelled, token->size + sizeof begins - 1};
    }
    return v->wordpiece = true;
}

bool read_wordpiece(Conversion *c, Vocab *v, const JsonValue *root) {
    const JsonValue *model = json_get(root, "model");
    const Plain plain = {"tokenizer.json", "lowercase", "handle_chinese_chars",
                         after_forms(c, json_get(root, "normalizer"))};
    return check_type(c, plain.said, "normalizer", "BertNormalizer") &&
           check_type(c, json_get(root, "pre_tokenizer"), "pre_tokenizer",
                      "BertPreTokenizer") &&
           convert_wordpiece_check_model(c, model) && convert_wordpiece_put_plain(c, &plain) &&
           read_vocab(c, v, model, false) && read_added(c, v, json_get(root, "added_tokens")) &&
           respell(c, v);
}

static int convert_wordpiece_by_token(const void *a, const void *b) {
    const Text *x = *(Text *const *)a, *y = *(Text *const *)b;
    int order = text_order(*x, *y);
    return order ? order : x < y ? -1 : x > y;
}

/* The last of several equal lines counts; the other rows have no token. */
static bool drop_repeated(Conversion *c, Vocab *v) {
    Text **order = malloc((v->count + 1) * sizeof *order);
    size_t n = 0;
    if (!order) return REFUSE(c, "no memory for %zu tokens", v->count);
    for (size_t i = 0; i < v->count; i++)
        if (v->tokens[i].data) order[n++] = &v->tokens[i];
    qsort(order, n, sizeof *order, convert_wordpiece_by_token);
    for (size_t i = 1; i < n; i++)
        if (text_equal(*order[i - 1], *order[i])) order[i - 1]->data = NULL;
    free(order);
    return true;
}

/* A token per line, from 0. */
static bool read_lines(Conversion *c, Vocab *v, Text text) {
    for (size_t id = 0, size; text.size; id++) {
        const char *end = memchr(text.data, '\n', text.size);
        size = end ? (size_t)(end - text.data) : text.size;
        size_t shown = size && text.data[size - 1] == '\r' ? size - 1 : size;
        char *token =
            region_alloc(&v->region, shown + 1); /* the file is closed before the vocabulary */
        if (!token) return REFUSE(c, "no memory for %zu tokens", v->count);
        memcpy(token, text.data, shown);
        if (!vocab_set(v, id, (Text){token, shown}, TOKEN_NORMAL, 0, false, c->fault))
            return fault_prefix(c->fault, "vocab.txt");
        text.data += size + (end != NULL), text.size -= size + (end != NULL);
    }
    return true;
}

bool read_word_list(Conversion *c, Vocab *v, const FileMap *file) {
    c->fault->text[0] = 0;
    Json *json = folder_json(&c->folder, "tokenizer_config.json", true, c->fault);
    const Plain plain = {"tokenizer_config.json", "do_lower_case", "tokenize_chinese_chars",
                         json ? json_root(json) : NULL};
    bool ok = (json || !c->fault->text[0]) && convert_wordpiece_put_plain(c, &plain) &&
              read_lines(c, v, (Text){(const char *)file->data, file->size}) &&
              drop_repeated(c, v) && respell(c, v);
    json_free(json);
    return ok;
}
