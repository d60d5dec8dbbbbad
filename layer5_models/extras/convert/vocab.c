/* vocab.c - collecting the tokens of a model.  See parts.h. */
#include "parts.h"
#include "json.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool vocab_init(Vocab *v, size_t count, Fault *fault) {
    *v = (Vocab){.count = count, .unknown = -1};
    v->tokens = calloc(count + 1, sizeof *v->tokens);
    v->types = calloc(count + 1, sizeof *v->types);
    v->scores = calloc(count + 1, sizeof *v->scores);
    return (v->tokens && v->types && v->scores) ||
           fault_set(fault, "no memory for %zu tokens", count);
}

void vocab_free(Vocab *v) {
    region_free(&v->region);
    free(v->tokens), free(v->types), free(v->scores);
}

bool vocab_set(Vocab *v, size_t id, Text token, int type, double score, bool spare,
               Fault *fault) {
    if (id >= v->count)
        return spare ||
               fault_set(fault, "the token '%.*s' has the id %zu, and the embedding %zu rows",
                         (int)min_size(60, token.size), token.data, id, v->count);
    if (v->tokens[id].data && !text_equal(v->tokens[id], token))
        return fault_set(fault, "two tokens have the id %zu: '%.*s' and '%.*s'", id,
                         (int)min_size(60, v->tokens[id].size), v->tokens[id].data,
                         (int)min_size(60, token.size), token.data);
    v->tokens[id] = token, v->types[id] = type, v->scores[id] = score;
    return true;
}

int64_t vocab_id(const Vocab *v, Text token) {
    for (size_t i = 0; i < v->count; i++)
        if (v->tokens[i].data && text_equal(v->tokens[i], token)) return (int64_t)i;
    return -1;
}

static bool fill_gaps(Vocab *v, Fault *fault) {
    for (size_t i = 0; i < v->count; i++) {
        char *name = v->tokens[i].data ? NULL : region_alloc(&v->region, 24);
        if (v->tokens[i].data) continue;
        if (!name) return fault_set(fault, "no memory for %zu tokens", v->count);
        snprintf(name, 24, "[PAD%zu]", i);
        v->tokens[i] = text_of(name), v->types[i] = TOKEN_UNUSED, v->scores[i] = -10000;
    }
    return true;
}

static const char *file_of(const Folder *folder, const char *const names[2]) {
    for (size_t i = 0; i < 2; i++)
        if (names[i] && folder_has(folder, names[i])) return names[i];
    return NULL;
}

static bool read_files(Conversion *c, Vocab *v, const JsonValue *root) {
    static const char *const models[] = {"tokenizer.model", "spiece.model"}, *const lists[] = {
                                                                                 "vocab.txt",
                                                                                 NULL};
    FileMap file;
    const char *model = file_of(&c->folder, models), *name = model;
    if (!name && root) return read_tokenizer_json(c, v, root);
    bool found = false;
    if (!name && !read_tiktoken(c, v, &found)) return false;
    if (!name && !found && !read_world_words(c, v, &found)) return false;
    if (found) return true;
    if (!name && strcmp(c->family->arch, "bert") == 0) name = file_of(&c->folder, lists);
    if (!name)
        return REFUSE(c, "the folder has neither tokenizer.json nor tokenizer.model, nor the "
                         "vocab.txt of a BERT");
    if (!folder_map(&c->folder, name, &file, c->fault)) return false;
    bool ok = model ? read_tokenizer_model(c, v, &file) || fault_prefix(c->fault, name)
                    : read_word_list(c, v, &file);
    file_close(&file);
    return ok && (!root || read_added(c, v, json_get(root, "added_tokens")));
}

bool put_vocab(Conversion *c, Vocab *v, const JsonValue *root) {
    if (!fill_gaps(v, c->fault)) return false;
    if (c->lowers && !v->wordpiece)
        return REFUSE(c, "sentence_bert_config.json: do_lower_case is true, which is built in "
                         "for WordPiece alone");
    put_form(c);
    gguf_put_strings(c->writer, "tokenizer.ggml.tokens", v->tokens, v->count);
    gguf_put_ints(c->writer, "tokenizer.ggml.token_type", GGUF_I32, v->types, v->count);
    if (v->has_scores)
        gguf_put_floats(c->writer, "tokenizer.ggml.scores", GGUF_F32, v->scores, v->count);
    return put_markers(c, v, root);
}

bool put_words(Conversion *c, size_t vocab) {
    Vocab v;
    c->fault->text[0] = 0;
    Json *json = folder_json(&c->folder, "tokenizer.json", true, c->fault);
    const JsonValue *root = json ? json_root(json) : NULL;
    bool ok = (json || !c->fault->text[0]) && vocab_init(&v, vocab, c->fault);
    if (!ok) return json_free(json), false;
    ok = read_files(c, &v, root) && put_vocab(c, &v, root);
    vocab_free(&v), json_free(json);
    return ok;
}
