/* beside.c - what belongs to a language model: a draft head.  Its folder has one layer, and
 * neither tokens nor the size of its model: those are in the model's folder (--target).  See
 * parts.h.
 *
 * Source   llama.cpp (d8a24cc), conversion/llama.py, for the keys. */
#include "parts.h"
#include "json.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ------------------------------------------------------------------ a draft head */

static const JsonValue *beside_sizes(const Folder *target) {
    const JsonValue *root = json_root(target->config), *text = json_get(root, "text_config");
    return text && text->kind == JSON_OBJECT ? text : root;
}

bool open_target(Conversion *c) {
    const bool head = quirks_of(c->recipe)->is_draft_head;
    if (!head && c->how->target)
        return REFUSE(c, "--target is for draft heads, and the folder has a %.*s", CLASS(c));
    if (!head) return true;
    if (!c->how->target)
        return REFUSE(c,
                      "a %.*s is a draft head for another model, whose folder has the tokens: "
                      "name it with --target",
                      CLASS(c));
    c->target.path = c->how->target;
    c->target.config = folder_json(&c->target, "config.json", false, c->fault);
    if (!c->target.config) return false;
    return c->target.sizes = beside_sizes(&c->target), true;
}

/* It reads the rows that go into a low, a middle and a high layer. */
bool put_draft_head(Conversion *c) {
    const size_t layers = size_or(c->target.sizes, "num_hidden_layers", 0),
                 width = size_or(c->target.sizes, "hidden_size", 0);
    const JsonValue *early = json_get(c->folder.sizes, "norm_before_residual");
    if (layers < 3 || !width)
        return REFUSE(c,
                      "%.200s: config.json has no num_hidden_layers of 3 or more, or no "
                      "hidden_size",
                      c->target.path);
    const int64_t read[3] = {2, (int64_t)(layers / 2), (int64_t)(layers - 3)};
    gguf_put_ints(c->writer, "eagle3.target_layers", GGUF_I32, read, 3);
    put_size(c, "target_hidden_size", size_or(c->folder.sizes, "target_hidden_size", width));
    gguf_put_int(c->writer, "eagle3.norm_before_residual", GGUF_BOOL,
                 early && early->kind == JSON_TRUE);
    return true;
}

/* All layers read the model's keys and values; 0: all, too. */
bool put_assistant(Conversion *c) {
    const size_t shared = size_or(c->folder.sizes, "num_kv_shared_layers", 0);
    if (shared && shared != c->layers)
        return REFUSE(c,
                      "config.json: num_kv_shared_layers is %zu, wanted %zu: all layers of a "
                      "%.*s read the keys and values of its model",
                      shared, c->layers, CLASS(c));
    put_size(c, "attention.shared_kv_layers", c->layers);
    put_size(c, "nextn_predict_layers", c->layers);
    return true;
}

/* The tokens are the target's. */
bool put_target_words(Conversion *c) {
    const Folder own = c->folder;
    const size_t tokens = size_or(c->target.sizes, "vocab_size", 0);
    if (!tokens) return REFUSE(c, "%.200s: config.json has no vocab_size", c->target.path);
    c->folder = c->target;
    bool ok = put_words(c, tokens);
    return c->folder = own, ok;
}

/* ------------------------------------------------------------------ draft heads of a model */

/* "mtp.layers.0.mlp.up_proj.weight" and "mtp.fc.weight" as names of a layer behind the last:
 * "layers.48.mlp.up_proj.weight", "layers.48.eh_proj.weight". */
Text draft_name(const Conversion *c, Text name, char room[256]) {
    static const char *const ends[][2] = {{"fc.", "eh_proj."},
                                          {"pre_fc_norm_embedding.", "enorm."},
                                          {"pre_fc_norm_hidden.", "hnorm."},
                                          {"norm.", "shared_head.norm."}};
    char rest[200], *at = rest;
    size_t begin, layer = c->layers - c->drafts;
    if (!c->drafts || !begins_with_one_of(name, "mtp.|model.mtp.", &begin)) return name;
    snprintf(rest, sizeof rest, "%.*s", (int)min_size(199, name.size - begin),
             name.data + begin);
    if (strncmp(rest, "layers.", 7) == 0) {
        layer += strtoul(rest + 7, &at, 10);
        snprintf(room, 256, "layers.%zu%s", layer, at);
        return text_of(room);
    }
    const char *theirs = "", *ours = ""; /* others are refused, under a name of the layer */
    for (size_t i = 0; i < 4; i++)
        if (strncmp(rest, ends[i][0], strlen(ends[i][0])) == 0)
            theirs = ends[i][0], ours = ends[i][1];
    snprintf(room, 256, "layers.%zu.%s%s", layer, ours, rest + strlen(theirs));
    return text_of(room);
}
