/* markers.c - special tokens that begin and end a text, and the chat template.  See parts.h.
 *
 * Several files name them; the first that does wins: tokenizer_config.json,
 * special_tokens_map.json, generation_config.json, config.json.  Which are added automatically
 * is up to tokenizer.json's post_processor: see processor.c. */
#include "parts.h"
#include "json.h"

#include <stdio.h>
#include <string.h>

typedef struct MarkerFiles {
    Json *words, *map, *generation; /* own; NULL: no such file */
    Written written;
} MarkerFiles;

static const char *const files[] = {"tokenizer_config.json", "special_tokens_map.json"};

/* "<s>", or {"content": "<s>", ...} */
static Text token_text(const JsonValue *value) {
    if (value && value->kind == JSON_OBJECT) value = json_get(value, "content");
    return json_text(value);
}

static Text said_text(const Json *json, const char *key) {
    return token_text(json ? json_get(json_root(json), key) : NULL);
}

/* A named marker must be in the vocabulary, or another token would be taken silently. */
static bool check_name(Conversion *c, const Vocab *v, const char *file, const Json *json,
                       const char *name) {
    char key[40];
    snprintf(key, sizeof key, "%s_token", name);
    const JsonValue *value = json ? json_get(json_root(json), key) : NULL;
    if (value && value->kind == JSON_OBJECT) value = json_get(value, "content");
    if (!value || value->kind == JSON_NULL) return true;
    Text text = token_text(value);
    if (value->kind != JSON_STRING)
        return REFUSE(c, "%s: %s is not text, wanted a token or null", file, key);
    if (!text.size || vocab_id(v, text) >= 0) return true;
    return REFUSE(c,
                  "%s: %s is '%.*s', and the vocabulary has no such token; "
                  "write there one that it has, or null for none",
                  file, key, (int)min_size(60, text.size), text.data);
}

static bool markers_check_names(Conversion *c, const Vocab *v, const MarkerFiles *from) {
    static const char *const bert[] = {"pad", "unk", "cls", "sep", "mask"};
    static const char *const others[] = {"pad", "unk", "bos", "eos", "sep", "mask"};
    bool vectors = c->recipe && quirks_of(c->recipe)->vectors;
    size_t n = v->wordpiece ? 5 : vectors ? 6 : 4;
    for (size_t i = 0; i < n; i++)
        if (!check_name(c, v, files[0], from->words, v->wordpiece ? bert[i] : others[i]) ||
            !check_name(c, v, files[1], from->map, v->wordpiece ? bert[i] : others[i]))
            return false;
    return true;
}

static int64_t first_id(const JsonValue *value, size_t i) {
    size_t id;
    if (value && value->kind == JSON_ARRAY)
        value = i < value->count ? &value->items[i] : NULL;
    else if (i)
        return -1;
    return json_size(value, &id) ? (int64_t)id : -1;
}

/* BERT's markers have default names: "[CLS]". */
static int64_t usual_id(const Vocab *v, const char *name) {
    char usual[] = "[    ]";
    if (!v->wordpiece) return -1;
    size_t n = strlen(name);
    for (size_t i = 0; i < n; i++) usual[1 + i] = (char)(name[i] - 'a' + 'A');
    usual[1 + n] = ']', usual[2 + n] = 0;
    return vocab_id(v, text_of(usual));
}

/* The token that the post_processor writes for this one; -1: none. */
static int64_t written_id(const Vocab *v, const Written *written, const char *name) {
    if (strcmp(name, v->wordpiece ? "cls" : "bos") == 0) return written->front;
    if (strcmp(name, v->wordpiece ? "sep" : "eos") == 0) return written->behind;
    return strcmp(name, "sep") == 0 ? written->between : -1;
}

static int64_t markers_named_id(const Conversion *c, const Vocab *v, const MarkerFiles *from,
                                const char *name) {
    char key[40];
    snprintf(key, sizeof key, "%s_token", name);
    Text text = said_text(from->words, key);
    if (!text.size) text = said_text(from->map, key);
    int64_t id = text.size ? vocab_id(v, text) : -1;
    snprintf(key, sizeof key, "%s_token_id", name);
    if (id < 0 && from->generation)
        id = first_id(json_get(json_root(from->generation), key), 0);
    if (id < 0) id = first_id(json_get(c->folder.sizes, key), 0);
    if (id < 0) id = usual_id(v, name);
    return id < (int64_t)v->count ? id : -1;
}

static int64_t find_id(const Conversion *c, const Vocab *v, const MarkerFiles *from,
                       const char *name) {
    int64_t id = written_id(v, &from->written, name);
    return id >= 0 ? id : markers_named_id(c, v, from, name);
}

static int64_t put_id(Conversion *c, const Vocab *v, const MarkerFiles *from, const char *name,
                      const char *ours) {
    char key[64];
    int64_t id = find_id(c, v, from, name);
    snprintf(key, sizeof key, "tokenizer.ggml.%s_token_id", ours);
    if (id >= 0) gguf_put_int(c->writer, key, GGUF_U32, id);
    return id;
}

static void put_unknown(Conversion *c, const Vocab *v, const MarkerFiles *from) {
    if (v->unknown < 0)
        put_id(c, v, from, "unk", "unknown");
    else
        gguf_put_int(c->writer, "tokenizer.ggml.unknown_token_id", GGUF_U32, v->unknown);
}

/* [CLS] text [SEP], which this kind of tokenizer always writes. */
static bool put_wordpiece(Conversion *c, const Vocab *v, const MarkerFiles *from,
                          bool processor) {
    static const char *const theirs[] = {"cls", "sep", "unk", "mask"};
    static const char *const ours[] = {"bos", "seperator", "unknown", "mask"};
    for (int i = 0; i < 4; i++)
        if (put_id(c, v, from, theirs[i], ours[i]) < 0 && strcmp(ours[i], "mask") != 0)
            return REFUSE(c, "the vocabulary has no token that is its %s_token", theirs[i]);
    if (processor && (from->written.front < 0 || from->written.behind < 0))
        return REFUSE(c,
                      "tokenizer.json: the post_processor does not write a token in front of "
                      "a text and one behind, as this kind always does");
    return true;
}

/* The bos or eos of other files, if the processor writes another one; -1: none. */
static int64_t other_id(Conversion *c, const Vocab *v, const MarkerFiles *from,
                        const char *name, int64_t id) {
    int64_t named = markers_named_id(c, v, from, name);
    bool ends = strcmp(name, "eos") == 0;
    if (named < 0 || named == id) return -1;
    convert_note(c,
                 "a text %s with '%.*s', as tokenizer.json has it, and not with the %s_token "
                 "'%.*s'%s",
                 ends ? "ends" : "begins", (int)min_size(40, v->tokens[id].size),
                 v->tokens[id].data, name, (int)min_size(40, v->tokens[named].size),
                 v->tokens[named].data, ends ? ", which ends an answer too" : "");
    return named;
}

/* More tokens that end a text: there are two keys for them. */
static void put_ends(Conversion *c, const Vocab *v, const MarkerFiles *from, int64_t eos) {
    static const char *const keys[] = {"tokenizer.ggml.eot_token_id",
                                       "tokenizer.ggml.eom_token_id"};
    const JsonValue *list =
        from->generation ? json_get(json_root(from->generation), "eos_token_id") : NULL;
    if (!list) list = json_get(c->folder.sizes, "eos_token_id");
    int64_t other = other_id(c, v, from, "eos", eos);
    size_t used = 0;
    if (other >= 0) gguf_put_int(c->writer, keys[used++], GGUF_U32, other);
    for (size_t i = 0; i < 16 && used < 2; i++) {
        int64_t id = first_id(list, i);
        if (id >= 0 && id != eos && id != other && id < (int64_t)v->count)
            gguf_put_int(c->writer, keys[used++], GGUF_U32, id);
    }
}

/* ------------------------------------------------------------------ written by themselves */

static void put_adds(Conversion *c, const MarkerFiles *from, const JsonValue *root) {
    static const char *const theirs[] = {"add_bos_token", "add_eos_token"},
                             *const ours[] = {"tokenizer.ggml.add_bos_token",
                                              "tokenizer.ggml.add_eos_token"};
    const Written *w = &from->written;
    const int found[] = {w->front >= 0, w->behind >= 0};
    for (int i = 0; i < 2; i++) {
        const JsonValue *said =
            from->words ? json_get(json_root(from->words), theirs[i]) : NULL;
        bool flag = said && (said->kind == JSON_TRUE || said->kind == JSON_FALSE);
        int add = w->said ? found[i] : flag ? said->kind == JSON_TRUE : root ? 0 : -1;
        if (add >= 0) gguf_put_int(c->writer, ours[i], GGUF_BOOL, add);
    }
}

/* Two texts read together, <s> A </s></s> B </s>: one more token between them than at the
 * end. */
static void put_pairs(Conversion *c, const Vocab *v, const MarkerFiles *from) {
    put_id(c, v, from, "mask", "mask");
    if (put_id(c, v, from, "sep", "seperator") >= 0)
        gguf_put_int(c->writer, "tokenizer.ggml.add_sep_token", GGUF_BOOL,
                     from->written.between >= 0);
}

/* The token for open positions of a diffusion model. */
static bool put_mask(Conversion *c, const Vocab *v, const MarkerFiles *from) {
    static const char key[] = "tokenizer.ggml.mask_token_id";
    const Quirks *q = c->recipe ? quirks_of(c->recipe) : NULL;
    if (!q || !q->bidirectional || q->vectors || put_id(c, v, from, "mask", "mask") >= 0)
        return true;
    int64_t id = vocab_id(v, text_of("<|mdm_mask|>"));
    if (id < 0) id = vocab_id(v, text_of("<|mask|>"));
    if (id < 0) return REFUSE(c, "config.json: no mask_token_id, which a %.*s needs", CLASS(c));
    return gguf_put_int(c->writer, key, GGUF_U32, id), true;
}

/* ------------------------------------------------------------------ the chat template */

/* One text, or the "default" of a list of named ones. */
static Text template_in(const JsonValue *value) {
    for (size_t i = 0; value && value->kind == JSON_ARRAY && i < value->count; i++)
        if (json_is(json_get(&value->items[i], "name"), "default"))
            return token_text(json_get(&value->items[i], "template"));
    return json_text(value);
}

static bool put_template(Conversion *c, const MarkerFiles *from) {
    static const char key[] = "tokenizer.chat_template", file[] = "chat_template.jinja";
    Text text = {"", 0};
    FileMap map;
    if (from->words) text = template_in(json_get(json_root(from->words), "chat_template"));
    if (text.size) return gguf_put_string(c->writer, key, text), true;
    if (!folder_has(&c->folder, file)) return true;
    if (!folder_map(&c->folder, file, &map, c->fault)) return false;
    gguf_put_string(c->writer, key, (Text){(const char *)map.data, map.size});
    file_close(&map);
    return true;
}

/* Tokens that generation_config.json never lets the model say. */
static bool put_suppressed(Conversion *c, const Vocab *v, const MarkerFiles *from) {
    const JsonValue *list =
        from->generation ? json_get(json_root(from->generation), "suppress_tokens") : NULL;
    int64_t ids[64];
    size_t count = list && list->kind == JSON_ARRAY ? list->count : 0, id;
    for (size_t i = 0; i < count; i++) {
        if (count > 64 || !json_size(&list->items[i], &id) || id >= v->count)
            return REFUSE(c,
                          "generation_config.json: suppress_tokens is not a list of at most 64 "
                          "ids of tokens");
        ids[i] = (int64_t)id;
    }
    if (count) gguf_put_ints(c->writer, "tokenizer.ggml.suppress_tokens", GGUF_I32, ids, count);
    return true;
}

static bool read_marker_files(const Conversion *c, MarkerFiles *from) {
    Json **const jsons[] = {&from->words, &from->map, &from->generation};
    const char *const names[] = {files[0], files[1], "generation_config.json"};
    c->fault->text[0] = 0;
    for (int i = 0; i < 3 && !c->fault->text[0]; i++)
        *jsons[i] = folder_json(&c->folder, names[i], true, c->fault);
    return !c->fault->text[0];
}

bool put_markers(Conversion *c, const Vocab *v, const JsonValue *root) {
    MarkerFiles from = {.written = {false, -1, -1, -1}};
    bool ok = read_marker_files(c, &from) && markers_check_names(c, v, &from) &&
              read_processor(c, v, json_get(root, "post_processor"), &from.written);
    ok = ok && put_suppressed(c, v, &from);
    put_id(c, v, &from, "pad", "padding");
    if (ok && v->wordpiece) {
        ok = put_wordpiece(c, v, &from, root != NULL) && put_template(c, &from);
    } else if (ok) {
        other_id(c, v, &from, "bos", put_id(c, v, &from, "bos", "bos"));
        put_ends(c, v, &from, put_id(c, v, &from, "eos", "eos"));
        put_unknown(c, v, &from);
        put_adds(c, &from, root);
        if (c->recipe && quirks_of(c->recipe)->vectors) put_pairs(c, v, &from);
        ok = put_mask(c, v, &from) && put_template(c, &from);
    }
    json_free(from.words), json_free(from.map), json_free(from.generation);
    return ok;
}
