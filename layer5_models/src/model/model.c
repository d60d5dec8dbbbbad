/* model.c - from a file to a model.  See model.h. */
#include "bind.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void bind_ends(Binder *b) {
    Model *m = b->model;
    const bool shares = m->recipe->guesses; /* what it lacks is another model's */
    const size_t dim = m->sizes.dim, table[2] = {m->sizes.vocab, dim},
                 head[2] = {shares ? m->guesses.count : m->sizes.vocab, dim},
                 places[2] = {m->sizes.ctx, dim};
    const char *from = "tokenizer.ggml.tokens and embedding_length",
               *width = "embedding_length";
    if (m->recipe->sees) {
        bind_eye(b);
        return;
    }
    m->embedding = bind_tensor(b, "token_embd.weight", !shares, 2, table, from);
    if (m->recipe->learned_positions)
        m->positions = bind_tensor(b, "position_embd.weight", true, 2, places,
                                   "context_length and embedding_length");
    if (m->recipe->embedding_norm)
        m->embedding_norm = bind_norm(b, "token_embd_norm", true, 1, dim, width);
    if (m->recipe->token_types) bind_types(b);
    if (!m->recipe->no_out_norm)
        m->out_norm = bind_norm(b, m->recipe->out_norm ? m->recipe->out_norm : "output_norm",
                                true, 1, dim, width);
    if (m->sizes.encoder) m->source_norm = bind_norm(b, "enc.output_norm", true, 1, dim, width);
    bind_text_head(b);
    if (m->recipe->vectors) return;
    m->head.w = bind_tensor(b, "output.weight", head[0] < table[0], 2, head,
                            shares ? "d2t and embedding_length" : from);
    if (!m->head.w.data && m->recipe->scale_tied) m->logit_scale = 1 / sqrtf((float)dim);
    if (!m->head.w.data && !shares) m->head.w = m->embedding; /* a tied head */
    m->head.bias = bind_vector(b, "output.bias", false, head[0], from);
}

/* What a draft head does not share with the model.  Only the first one is used. */
static void bind_draft_ends(Binder *b, size_t layer, DraftEnds *ends) {
    const size_t dim = b->model->sizes.dim, table[2] = {b->model->sizes.vocab, dim};
    const char *from = "tokenizer.ggml.tokens and embedding_length";
    char name[96];
    const size_t size = sizeof name;
    ends->embedding =
        bind_tensor(b, block_name(b, name, size, layer, "nextn.embed_tokens", "weight"), false,
                    2, table, from);
    ends->head.w =
        bind_tensor(b, block_name(b, name, size, layer, "nextn.shared_head_head", "weight"),
                    false, 2, table, from);
    ends->out_norm =
        bind_norm(b, block_name(b, name, size, layer, "nextn.shared_head_norm", NULL), false, 1,
                  dim, "embedding_length");
}

/* What comes beside the stream of a model, before its first block and behind its last. */
static void bind_beside(Binder *b) {
    Model *m = b->model;
    const LayerSizes *s = m->layers;
    const size_t dim = m->sizes.dim, all = m->sizes.layers * s->input,
                 table[2] = {m->sizes.vocab, all}, map[2] = {all, dim},
                 stack[3] = {s->streams ? s->streams - 1 : 0, dim, dim};
    const char *from = "embedding_length_per_layer_input and block_count",
               *parts = "altup.num_inputs and embedding_length";
    if (s->input) {
        LayerTable *t = &m->layer_table;
        t->layers = m->sizes.layers, t->width = s->input;
        t->table = bind_tensor(b, "per_layer_token_embd.weight", true, 2, table, from);
        t->map.w = bind_tensor(b, "per_layer_model_proj.weight", true, 2, map, from);
        t->norm = bind_norm(b, "per_layer_proj_norm", true, 1, s->input, from);
    }
    m->streams = s->streams;
    if (!s->streams) return;
    m->altup.spread.w = bind_tensor(b, "altup_proj.weight", true, 3, stack, parts);
    m->altup.gather.w = bind_tensor(b, "altup_unembd_proj.weight", true, 3, stack, parts);
}

/* Everything that takes memory; runs on a measuring arena and again on the real one. */
static bool bind_model(Binder *b) {
    Model *m = b->model;
    BlockExtras more, *extras = arena_take(&m->arena, all_blocks(b), sizeof *extras);
    Block spare = {.extras = &more};
    DraftEnds idle;
    m->blocks = arena_take(&m->arena, all_blocks(b), sizeof *m->blocks);
    for (size_t l = 0; m->blocks && l < all_blocks(b); l++) m->blocks[l].extras = &extras[l];
    read_ropes(b);
    if (m->recipe->guesses) bind_guesses(b);
    bind_ends(b);
    bind_beside(b);
    for (size_t l = 0; l < all_blocks(b) && b->ok; l++)
        bind_block(b, m->blocks ? &m->blocks[l] : &spare, l);
    for (size_t l = m->sizes.layers; l < all_blocks(b) && b->ok; l++)
        bind_draft_ends(b, l, l == m->sizes.layers ? &m->draft : &idle);
    return b->ok;
}

static bool read_layers(Binder *b) {
    Model *m = b->model;
    size_t blocks = all_blocks(b);
    if (!(m->layers = calloc(blocks, sizeof *m->layers)))
        return b->ok = fault_set(b->fault, "no memory for %zu layers", blocks);
    for (size_t l = 0; l < blocks && b->ok; l++) m->layers[l] = layer_sizes(b, l);
    return b->ok;
}

/* A model of texts and the eye of one do not stand in for each other. */
static bool check_senses(Binder *b) {
    const Recipe *r = b->model->recipe;
    if (r->sees == b->sees) return true;
    return b->sees ? fault_set(b->fault,
                               "a %s model reads texts: wanted a file that reads pictures "
                               "for it (mmproj)",
                               r->arch)
                   : fault_set(b->fault,
                               "the file reads pictures for another model: give that one with "
                               "-m, and this one with --mmproj");
}

/* The vocabularies that tokenizers are tested with say which family they are for, too. */
static bool check_weights(Binder *b) {
    return b->model->gguf.n_tensors ||
           fault_set(b->fault, "the file has no tensors, it is a vocabulary alone: strata "
                               "tokenize reads it; all else wants the whole model");
}

static bool find_recipe(Binder *b) {
    Text arch;
    const Recipe *list;
    if (!gguf_string(gguf_find(&b->model->gguf, "general.architecture"), &arch))
        return fault_set(
            b->fault,
            "the file does not say what model it is: key 'general.architecture' is missing");
    if ((b->model->recipe = recipe_find(arch))) return check_senses(b) && check_weights(b);
    return fault_set(b->fault,
                     "models of the family '%.*s' are not built in; strata inspect --families "
                     "lists the %zu that are",
                     (int)(arch.size < 60 ? arch.size : 60), arch.data, recipe_list(&list));
}

static bool bind_file(Binder *b) {
    Model *m = b->model;
    if (!check_container(b) || !find_recipe(b)) return false;
    if (!b->sees && !(m->tokenizer = tokenizer_open(&m->gguf, b->fault))) return false;
    if (!read_sizes(b) || !read_layers(b)) return false;
    arena_measure(&m->arena);
    if (!bind_model(b) || !refuse_left_over(b)) return false;
    size_t needed = m->arena.used;
    return arena_init(&m->arena, needed, b->fault) && bind_model(b);
}

static bool open_parsed(Model *m, bool sees, ClassPlace place, Fault *fault) {
    bool *marks = calloc(m->gguf.n_pairs + m->gguf.n_tensors + 1, sizeof *marks);
    if (!marks) return fault_set(fault, "no memory for %zu tensors", m->gguf.n_tensors);
    Binder b = {m, fault, sees, place, true, marks, marks + m->gguf.n_pairs};
    bool ok = bind_file(&b);
    free(marks);
    return ok;
}

static bool open_memory(Model *m, const void *bytes, size_t size, bool sees, ClassPlace place,
                        Fault *fault) {
    *m = (Model){0};
    bool ok = gguf_parse(&m->gguf, bytes, size, fault) && open_parsed(m, sees, place, fault);
    if (!ok) model_close(m);
    return ok;
}

bool model_open_memory(Model *model, const void *bytes, size_t size, Fault *fault) {
    return open_memory(model, bytes, size, false, CLASS_FIRST, fault);
}

bool model_open_eye(Model *model, const void *bytes, size_t size, ClassPlace place,
                    Fault *fault) {
    return open_memory(model, bytes, size, true, place, fault);
}

bool model_open(Model *model, const char *path, Fault *fault) {
    *model = (Model){0};
    if (!gguf_open(&model->file, &model->gguf, path, fault)) return false;
    if (open_parsed(model, false, CLASS_FIRST, fault)) return true;
    model_close(model);
    return fault_prefix(fault, path);
}

void model_end_prompt(const Model *m, TokenList *tokens) {
    if (!m->sizes.encoder) return;
    tokenizer_end(m->tokenizer, tokens);
    token_list_add(tokens, m->start);
}

size_t model_source(const Model *m, const int32_t *tokens, size_t count) {
    size_t n = 0;
    if (!m->sizes.encoder) return 0;
    while (n < count && tokens[n] != m->start) n++;
    return n;
}

bool model_check_prompt(const Model *m, const int32_t *tokens, size_t count, size_t batch,
                        Fault *fault) {
    const size_t source = model_source(m, tokens, count);
    if (!m->sizes.encoder) return true;
    if (source == count)
        return fault_set(fault,
                         "a %s model reads one text and writes another: it goes on with no "
                         "prompt and keeps no chat, but begins behind token %d, which does not "
                         "stand behind this text",
                         m->recipe->arch, m->start);
    if (source == 0)
        return fault_set(fault, "the source is empty: give the model something to read");
    if (source <= batch) return true;
    return fault_set(fault,
                     "the source has %zu tokens, and a %s model reads it at once, %zu at most: "
                     "shorten it",
                     source, m->recipe->arch, batch);
}

void model_close(Model *model) {
    if (model->drop_adapters) model->drop_adapters(model);
    free(model->packed), memory_give(model->packed_data, model->packed_size);
    free(model->layers);
    tokenizer_close(model->tokenizer);
    arena_free(&model->arena);
    gguf_close(&model->file, &model->gguf);
    *model = (Model){0};
}
