/* markers.c - the tokens that begin and end a text, and the chat template.  See parts.h.
 *
 * They are said in several files; the first that speaks wins: tokenizer_config.json, generation_config.json,
 * config.json.  Whether they are written by themselves, the post_processor of tokenizer.json knows best. */
#include "parts.h"

#include <stdio.h>
#include <string.h>

typedef struct Says {
    Json *words, *generation; /* own */
} Says;

/* "<s>", or {"content": "<s>", ...} */
static Text token_text(const JsonValue *value) {
    if (value && value->kind == JSON_OBJECT) value = json_get(value, "content");
    return value && value->kind == JSON_STRING ? value->text : (Text){"", 0};
}

/* A marker that tokenizer_config.json names is a token of the vocabulary: else the name would be passed over in silence,
 * and another token taken. */
static bool check_name(Conversion *c, const Vocab *v, const Says *says, const char *name) {
    char key[40];
    snprintf(key, sizeof key, "%s_token", name);
    const JsonValue *value = says->words ? json_get(json_root(says->words), key) : NULL;
    if (value && value->kind == JSON_OBJECT) value = json_get(value, "content");
    if (!value || value->kind == JSON_NULL) return true;
    Text text = token_text(value);
    if (value->kind != JSON_STRING)
        return REFUSE(c, "tokenizer_config.json: %s is no text, wanted a token or null", key);
    if (!text.size || vocab_id(v, text) >= 0) return true;
    return REFUSE(c,
                  "tokenizer_config.json: %s is '%.*s', and the vocabulary has no such token; "
                  "write there one that it has, or null for none",
                  key, (int)min_size(60, text.size), text.data);
}

static bool check_names(Conversion *c, const Vocab *v, const Says *says) {
    static const char *const bert[] = {"pad", "unk", "cls", "sep", "mask"};
    static const char *const others[] = {"pad", "unk", "bos", "eos", "sep", "mask"};
    bool vectors = c->recipe && c->recipe->vectors;
    size_t n = v->wordpiece ? 5 : vectors ? 6 : 4;
    for (size_t i = 0; i < n; i++)
        if (!check_name(c, v, says, v->wordpiece ? bert[i] : others[i])) return false;
    return true;
}

/* An id, or the first of a list of them; -1: none. */
static int64_t first_id(const JsonValue *value, size_t i) {
    size_t id;
    if (value && value->kind == JSON_ARRAY)
        value = i < value->count ? &value->items[i] : NULL;
    else if (i)
        return -1;
    return json_size(value, &id) ? (int64_t)id : -1;
}

/* What BERT's markers are called, where nothing says otherwise: "[CLS]"; elsewhere nothing is. */
static int64_t usual_id(const Vocab *v, const char *name) {
    char usual[] = "[    ]";
    if (!v->wordpiece) return -1;
    size_t n = strlen(name);
    for (size_t i = 0; i < n; i++) usual[1 + i] = (char)(name[i] - 'a' + 'A');
    usual[1 + n] = ']', usual[2 + n] = 0;
    return vocab_id(v, text_of(usual));
}

static int64_t find_id(const Conversion *c, const Vocab *v, const Says *says,
                       const char *name) {
    char key[40];
    snprintf(key, sizeof key, "%s_token", name);
    Text text = says->words ? token_text(json_get(json_root(says->words), key)) : (Text){"", 0};
    int64_t id = text.size ? vocab_id(v, text) : -1;
    snprintf(key, sizeof key, "%s_token_id", name);
    if (id < 0 && says->generation)
        id = first_id(json_get(json_root(says->generation), key), 0);
    if (id < 0) id = first_id(json_get(c->folder.sizes, key), 0);
    if (id < 0) id = usual_id(v, name);
    return id < (int64_t)v->count ? id : -1;
}

static int64_t put_id(Conversion *c, const Vocab *v, const Says *says, const char *name,
                      const char *ours) {
    char key[64];
    int64_t id = find_id(c, v, says, name);
    snprintf(key, sizeof key, "tokenizer.ggml.%s_token_id", ours);
    if (id >= 0) gguf_put_int(c->writer, key, GGUF_U32, id);
    return id;
}

static void put_unknown(Conversion *c, const Vocab *v, const Says *says) {
    if (v->unknown < 0)
        put_id(c, v, says, "unk", "unknown");
    else
        gguf_put_int(c->writer, "tokenizer.ggml.unknown_token_id", GGUF_U32, v->unknown);
}

/* [CLS] text [SEP], which this kind of tokenizer always writes. */
static bool put_wordpiece(Conversion *c, const Vocab *v, const Says *says, bool processor,
                          const int adds[3]) {
    static const char *const theirs[] = {"cls", "sep", "unk", "mask"};
    static const char *const ours[] = {"bos", "seperator", "unknown", "mask"};
    for (int i = 0; i < 4; i++)
        if (put_id(c, v, says, theirs[i], ours[i]) < 0 && strcmp(ours[i], "mask") != 0)
            return REFUSE(c, "the vocabulary has no token that is its %s_token", theirs[i]);
    if (processor && (adds[0] != 1 || adds[1] != 1))
        return REFUSE(c,
                      "tokenizer.json: the post_processor does not write a token in front of "
                      "a text and one behind, as this kind always does");
    return true;
}

/* Further tokens that end a text: two keys for them. */
static void put_ends(Conversion *c, const Vocab *v, const Says *says, int64_t eos) {
    static const char *const keys[] = {"tokenizer.ggml.eot_token_id",
                                       "tokenizer.ggml.eom_token_id"};
    const JsonValue *list =
        says->generation ? json_get(json_root(says->generation), "eos_token_id") : NULL;
    if (!list) list = json_get(c->folder.sizes, "eos_token_id");
    size_t used = 0;
    for (size_t i = 0; i < 16 && used < 2; i++) {
        int64_t id = first_id(list, i);
        if (id >= 0 && id != eos && id < (int64_t)v->count)
            gguf_put_int(c->writer, keys[used++], GGUF_U32, id);
    }
}

/* ------------------------------------------------------------------ written by themselves */

/* Tokens that a template puts between two texts. */
static int tokens_between(const JsonValue *pair) {
    int between = 0, texts = 0;
    for (size_t i = 0; pair && pair->kind == JSON_ARRAY && i < pair->count; i++)
        if (json_get(&pair->items[i], "Sequence"))
            texts++;
        else if (texts == 1)
            between++;
    return between;
}

/* Does a template put a token in front, behind? */
static bool read_single(Conversion *c, const JsonValue *single, int adds[3]) {
    size_t n = single && single->kind == JSON_ARRAY ? single->count : 0, text = n;
    for (size_t i = 0; i < n; i++)
        if (json_get(&single->items[i], "Sequence")) text = i;
    if (text == n || text > 1 || n - text > 2)
        return REFUSE(
            c, "tokenizer.json: the post_processor writes something else than a token in "
               "front and one behind");
    adds[0] = text == 1, adds[1] = n - text == 2;
    return true;
}

static bool read_processor(Conversion *c, const JsonValue *step, int adds[3]) {
    const JsonValue *type = json_get(step, "type"), *list = json_get(step, "processors");
    if (!step || step->kind == JSON_NULL || json_is(type, "ByteLevel")) return true;
    if (json_is(type, "BertProcessing")) return adds[0] = adds[1] = adds[2] = 1, true;
    if (json_is(type, "RobertaProcessing")) return adds[0] = adds[1] = 1, adds[2] = 2, true;
    if (json_is(type, "TemplateProcessing")) {
        adds[2] = tokens_between(json_get(step, "pair"));
        return read_single(c, json_get(step, "single"), adds);
    }
    if (!json_is(type, "Sequence") || !list || list->kind != JSON_ARRAY)
        return REFUSE(c, "tokenizer.json: a post_processor of this type is not built in");
    for (size_t i = 0; i < list->count; i++)
        if (json_get(&list->items[i], "processors") ||
            !read_processor(c, &list->items[i], adds))
            return REFUSE(c, "tokenizer.json: a post_processor of this type is not built in");
    return true;
}

static void put_adds(Conversion *c, const Says *says, const JsonValue *root,
                     const int found[2]) {
    static const char *const theirs[] = {"add_bos_token", "add_eos_token"},
                             *const ours[] = {"tokenizer.ggml.add_bos_token",
                                              "tokenizer.ggml.add_eos_token"};
    for (int i = 0; i < 2; i++) {
        const JsonValue *said =
            says->words ? json_get(json_root(says->words), theirs[i]) : NULL;
        bool flag = said && (said->kind == JSON_TRUE || said->kind == JSON_FALSE);
        int add = found[i] >= 0 ? found[i] : flag ? said->kind == JSON_TRUE : root ? 0 : -1;
        if (add >= 0) gguf_put_int(c->writer, ours[i], GGUF_BOOL, add);
    }
}

/* Two texts that are read together, <s> A </s></s> B </s>: a token more between them than behind the first. */
static void put_pairs(Conversion *c, const Vocab *v, const Says *says, const int adds[3]) {
    put_id(c, v, says, "mask", "mask");
    if (put_id(c, v, says, "sep", "seperator") >= 0)
        gguf_put_int(c->writer, "tokenizer.ggml.add_sep_token", GGUF_BOOL,
                     adds[2] > (adds[1] == 1));
}

/* ------------------------------------------------------------------ the chat template */

/* One text, or a list of named ones, of which "default" is taken. */
static Text template_in(const JsonValue *value) {
    for (size_t i = 0; value && value->kind == JSON_ARRAY && i < value->count; i++)
        if (json_is(json_get(&value->items[i], "name"), "default"))
            return token_text(json_get(&value->items[i], "template"));
    return value && value->kind == JSON_STRING ? value->text : (Text){"", 0};
}

static bool put_template(Conversion *c, const Says *says) {
    static const char key[] = "tokenizer.chat_template", file[] = "chat_template.jinja";
    Text text = {"", 0};
    FileMap map;
    if (says->words) text = template_in(json_get(json_root(says->words), "chat_template"));
    if (text.size) return gguf_put_string(c->writer, key, text), true;
    if (!folder_has(&c->folder, file)) return true;
    if (!folder_map(&c->folder, file, &map, c->fault)) return false;
    gguf_put_string(c->writer, key, (Text){(const char *)map.data, map.size});
    file_close(&map);
    return true;
}

bool put_markers(Conversion *c, const Vocab *v, const JsonValue *root) {
    Says says = {0};
    int adds[3] = {-1, -1, -1}; /* in front, behind, between two texts */
    c->fault->text[0] = 0;
    says.words = folder_json(&c->folder, "tokenizer_config.json", true, c->fault);
    if (!c->fault->text[0])
        says.generation = folder_json(&c->folder, "generation_config.json", true, c->fault);
    bool ok = !c->fault->text[0] && check_names(c, v, &says) &&
              read_processor(c, json_get(root, "post_processor"), adds);
    put_id(c, v, &says, "pad", "padding");
    if (ok && v->wordpiece) {
        ok = put_wordpiece(c, v, &says, root != NULL, adds) && put_template(c, &says);
    } else if (ok) {
        put_id(c, v, &says, "bos", "bos");
        put_ends(c, v, &says, put_id(c, v, &says, "eos", "eos"));
        put_unknown(c, v, &says);
        put_adds(c, &says, root, adds);
        if (c->recipe && c->recipe->vectors) put_pairs(c, v, &says, adds);
        ok = put_template(c, &says);
    }
    json_free(says.words), json_free(says.generation);
    return ok;
}
