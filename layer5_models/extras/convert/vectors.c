/* vectors.c - pooling and scores: modules.json and the files it names, id2label.  See parts.h.
 *
 *     [{"path": "", "type": "sentence_transformers.models.Transformer"},
 *      {"path": "1_Pooling", "type": "sentence_transformers.models.Pooling"},
 *      {"path": "2_Normalize", "type": "sentence_transformers.models.Normalize"}]
 *
 *     1_Pooling/config.json     {"pooling_mode_mean_tokens": true, ...}
 *
 *     sentence_bert_config.json              {"max_seq_length": 256, "do_lower_case": false}
 *     config_sentence_transformers.json      {"prompts": {"query": "query: "}, ...}
 *
 * Normalization is done on request; any other module is refused.
 *
 * Source   the sentence-transformers library's models, for their names. */
#include "parts.h"
#include "pooling.h"
#include "json.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ------------------------------------------------------------------ pooling */

static const struct {
    const char *flag, *mode; /* older files: a flag for each; newer ones: a word */
    Pooling pooling;
} modes[] = {{"pooling_mode_mean_tokens", "mean", POOLING_MEAN},
             {"pooling_mode_cls_token", "cls", POOLING_CLS},
             {"pooling_mode_lasttoken", "lasttoken", POOLING_LAST}};

/* The pooling mode; POOLING_NONE: none, several, or an unsupported one. */
static Pooling mode_of(const JsonValue *config) {
    Pooling found = POOLING_NONE;
    size_t asked = 0;
    for (size_t i = 0; i < config->count; i++) {
        Text key = config->keys[i];
        asked += key.size > 13 && memcmp(key.data, "pooling_mode_", 13) == 0 &&
                 config->items[i].kind == JSON_TRUE;
    }
    for (size_t i = 0; i < sizeof modes / sizeof *modes; i++)
        if (json_true(config, modes[i].flag) ||
            (!asked && json_is(json_get(config, "pooling_mode"), modes[i].mode)))
            found = modes[i].pooling;
    return asked > 1 ? POOLING_NONE : found;
}

static bool check_width(Conversion *c, const char *file, const JsonValue *config,
                        const char *key) {
    size_t width, dim = config_size(c, "embedding_length", 0);
    if (!json_size(json_get(config, key), &width) || width == dim) return true;
    return REFUSE(c, "%s: %s is %zu, and config.json has a hidden_size of %zu", file, key,
                  width, dim);
}

static bool put_pooling(Conversion *c, Text path) {
    char file[120];
    if (path.size > 80 || memchr(path.data, '/', path.size) || *path.data == '.')
        return REFUSE(c, "modules.json: the path '%.*s' is not a folder in this one",
                      (int)min_size(80, path.size), path.data);
    snprintf(file, sizeof file, "%.*s/config.json", (int)path.size, path.data);
    Json *json = folder_json(&c->folder, file, false, c->fault);
    if (!json) return false;
    const JsonValue *config = json_root(json);
    Pooling pooling = config->kind == JSON_OBJECT ? mode_of(config) : POOLING_NONE;
    bool ok = pooling != POOLING_NONE ||
              REFUSE(c, "%s: wanted one pooling of mean, cls and lasttoken", file);
    ok = ok && check_width(c, file, config, "word_embedding_dimension") &&
         check_width(c, file, config, "embedding_dimension");
    if (ok) put_size(c, "pooling_type", pooling);
    json_free(json);
    return ok;
}

/* {"in_features": 768, "out_features": 3072, "bias": false, "activation_function": "..."} */
static bool check_dense(Conversion *c, Text path) {
    char file[40];
    if (!text_equal(path, text_of("2_Dense")) && !text_equal(path, text_of("3_Dense")))
        return REFUSE(c, "modules.json: a map of vectors in '%.*s', wanted 2_Dense or 3_Dense",
                      (int)min_size(80, path.size), path.data);
    snprintf(file, sizeof file, "%.*s/config.json", (int)path.size, path.data);
    Json *json = folder_json(&c->folder, file, false, c->fault);
    bool ok = json && (json_is(json_get(json_root(json), "activation_function"), IDENTITY) ||
                       REFUSE(c, "%s: activation_function is not %s", file, IDENTITY));
    json_free(json);
    return ok;
}

static bool put_module(Conversion *c, const JsonValue *module, bool scores) {
    Text type = json_text(json_get(module, "type"));
    if (text_ends(type, text_of(".Transformer")) || text_ends(type, text_of(".Normalize")))
        return true;
    if (text_ends(type, text_of(".Dense")) && quirks_of(c->recipe)->dense)
        return check_dense(c, json_text(json_get(module, "path")));
    if (text_ends(type, text_of(".Pooling")) && !scores)
        return put_pooling(c, json_text(json_get(module, "path")));
    return REFUSE(c, "modules.json: a module '%.*s' is not built in%s",
                  (int)min_size(100, type.size), type.data,
                  scores ? " for a model that scores" : "");
}

static bool put_modules(Conversion *c, bool scores) {
    c->fault->text[0] = 0;
    Json *json = folder_json(&c->folder, "modules.json", true, c->fault);
    if (!json && c->fault->text[0]) return false;
    if (!json && quirks_of(c->recipe)->vectors && !scores)
        convert_note(c, "no modules.json says how rows are pooled: the mean is used");
    const JsonValue *list = json ? json_root(json) : NULL;
    bool ok = !list || list->kind == JSON_ARRAY || REFUSE(c, "modules.json is not a list");
    for (size_t i = 0; ok && list && i < list->count; i++)
        ok = put_module(c, &list->items[i], scores);
    json_free(json);
    return ok;
}

/* ------------------------------------------------------------------ preprocessing */

static void note_unknown(const Conversion *c, const JsonValue *limits) {
    static const char *const known[] = {"do_lower_case", "max_seq_length"};
    char names[150] = "";
    size_t used = 0;
    for (size_t i = 0; limits && i < limits->count; i++) {
        const Text key = limits->keys[i];
        if (limits->items[i].kind == JSON_NULL || text_equal(key, text_of(known[0])) ||
            text_equal(key, text_of(known[1])) || used + 43 > sizeof names)
            continue;
        used += (size_t)snprintf(names + used, sizeof names - used, "%s%.*s", used ? ", " : "",
                                 (int)min_size(40, key.size), key.data);
    }
    if (used)
        convert_note(c, "sentence_bert_config.json says %s, which nothing here reads", names);
}

static bool read_limits(Conversion *c) {
    Json *json;
    if (!folder_object(&c->folder, "sentence_bert_config.json", &json, c->fault)) return false;
    const JsonValue *limits = json ? json_root(json) : NULL;
    size_t longest, items = size_or(c->folder.sizes, "max_position_embeddings", SIZE_MAX);
    c->lowers = json_true(limits, "do_lower_case");
    if (json_size(json_get(limits, "max_seq_length"), &longest) &&
        longest < items - min_size(items, c->first_position))
        convert_note(c,
                     "sentence_bert_config.json cuts texts after %zu tokens: here they are "
                     "read whole, as far as the context goes",
                     longest);
    note_unknown(c, limits);
    json_free(json);
    return true;
}

/* Prompts in front of texts, which GGUF files cannot express. */
static bool read_prompts(Conversion *c) {
    Json *json;
    if (!folder_object(&c->folder, "config_sentence_transformers.json", &json, c->fault))
        return false;
    const JsonValue *said = json ? json_root(json) : NULL, *prompts = json_get(said, "prompts");
    Text name = json_text(json_get(said, "default_prompt_name")), prompt = {"", 0};
    if (name.size && prompts && json_find(prompts, name) &&
        json_find(prompts, name)->kind == JSON_STRING)
        prompt = json_find(prompts, name)->text;
    bool ok = !name.size || (prompts && json_find(prompts, name)) ||
              REFUSE(c,
                     "config_sentence_transformers.json: default_prompt_name is '%.*s', and "
                     "prompts has none of this name",
                     (int)min_size(60, name.size), name.data);
    if (prompt.size)
        convert_note(c,
                     "config_sentence_transformers.json has the prompt '%.*s' in front of "
                     "every text: GGUF files cannot say so, give it with the text",
                     (int)min_size(100, prompt.size), prompt.data);
    json_free(json);
    return ok;
}

/* ------------------------------------------------------------------ scores */

static Text label_at(const JsonValue *names, size_t at, char usual[32]) {
    char key[24];
    snprintf(key, sizeof key, "%zu", at);
    snprintf(usual, 32, "LABEL_%zu", at);
    Text name = json_text(json_get(names, key));
    return name.size ? name : text_of(usual);
}

static bool put_labels(Conversion *c, size_t count) {
    const JsonValue *names = json_get(c->folder.sizes, "id2label");
    char key[64], (*usual)[32] = malloc(count * sizeof *usual);
    Text *labels = malloc(count * sizeof *labels);
    bool ok = (usual && labels) || REFUSE(c, "no memory for %zu labels", count);
    if (ok && names && names->kind == JSON_OBJECT && names->count != count)
        ok = REFUSE(c, "config.json: id2label has %zu labels, and the head %zu rows",
                    names->count, count);
    for (size_t i = 0; ok && i < count; i++) labels[i] = label_at(names, i, usual[i]);
    snprintf(key, sizeof key, "%s.classifier.output_labels", c->family->arch);
    if (ok) gguf_put_strings(c->writer, key, labels, count);
    free(usual), free(labels);
    return ok;
}

/* "sentence_transformers": {"activation_fn": "...", "version": "5.0.0"}: scores must be raw. */
static bool check_activation(Conversion *c) {
    const JsonValue *said = json_get(c->folder.sizes, "sentence_transformers");
    bool object = said && said->kind == JSON_OBJECT;
    if (said && !object && said->kind != JSON_NULL)
        return REFUSE(c, "config.json: 'sentence_transformers' is not an object");
    for (size_t i = 0; object && i < said->count; i++) {
        Text key = said->keys[i], value = json_text(json_get(said, "activation_fn"));
        bool activation = text_equal(key, text_of("activation_fn"));
        if (text_equal(key, text_of("version")) || said->items[i].kind == JSON_NULL) continue;
        if (!activation)
            return REFUSE(c, "config.json: nothing is known of '%.*s' in sentence_transformers",
                          (int)min_size(60, key.size), key.data);
        if (!text_equal(value, text_of(IDENTITY)))
            return REFUSE(c,
                          "config.json: activation_fn is '%.*s', wanted %s: scores are given "
                          "as the head computes them",
                          (int)min_size(80, value.size), value.data, IDENTITY);
    }
    return true;
}

bool put_vectors(Conversion *c) {
    const Target *head = target_of(c, "cls.output.weight"),
                 *types = target_of(c, "token_types.weight");
    bool scores = strstr(c->family->classes, "ForSequenceClassification") != NULL;
    char key[64];
    if (scores && (!head || !target_of(c, "cls.weight")))
        return REFUSE(c, "a %.*s without the head that scores: a file may be missing",
                      CLASS(c));
    if (!check_activation(c) || !read_limits(c) || !read_prompts(c)) return false;
    snprintf(key, sizeof key, "%s.attention.causal", c->family->arch);
    if (quirks_of(c->recipe)->bidirectional) gguf_put_int(c->writer, key, GGUF_BOOL, 0);
    if (head) put_size(c, "pooling_type", POOLING_RANK);
    if (types)
        gguf_put_int(c->writer, "tokenizer.ggml.token_type_count", GGUF_U32,
                     (int64_t)types->shape[0]);
    return (!head || put_labels(c, head->shape[0])) && put_modules(c, head != NULL);
}
