/* model.c - from a file to a model.  See model.h. */
#include "bind.h"

#include <stdlib.h>
#include <string.h>

static const char vocab_keys[] = "tokenizer.ggml.tokens and embedding_length";

void bind_tables(Binder *b, bool required) {
    Model *m = b->model;
    const size_t table[2] = {m->sizes.vocab, m->sizes.dim},
                 places[2] = {m->sizes.ctx, m->sizes.dim};
    m->embedding = bind_tensor(b, "token_embd.weight", required, 2, table, vocab_keys);
    if (m->recipe->learned_positions)
        m->positions = bind_tensor(b, "position_embd.weight", true, 2, places,
                                   "context_length and embedding_length");
}

void bind_out_norm(Binder *b, const char *name) {
    b->model->out_norm = bind_norm(b, name, true, 1, b->model->sizes.dim, "embedding_length");
}

void bind_head(Binder *b, size_t rows, const char *from) {
    Model *m = b->model;
    const size_t shape[2] = {rows, m->sizes.dim};
    m->head.w = bind_tensor(b, "output.weight", rows < m->sizes.vocab, 2, shape, from);
    bind_scale(b, &m->head, "output.weight", 1, from);
    if (!m->head.w.data) m->head.w = m->embedding; /* a tied head */
    m->head.bias = bind_vector(b, "output.bias", false, rows, vocab_keys);
}

void bind_ends(Binder *b) {
    bind_tables(b, true);
    bind_out_norm(b, "output_norm");
    bind_head(b, b->model->sizes.vocab, vocab_keys);
}

/* Everything that takes memory; run on a measuring arena, then on the real one. */
static bool bind_model(Binder *b) {
    Model *m = b->model;
    const FamilyHooks *h = m->hooks;
    Block spare;
    m->blocks = arena_take(&m->arena, m->sizes.blocks, sizeof *m->blocks);
    (h ? h->read_ropes : read_ropes)(b);
    (h ? h->bind_ends : bind_ends)(b);
    for (size_t l = 0; l < m->sizes.blocks && b->ok; l++)
        (h ? h->bind_block : bind_block)(b, m->blocks ? &m->blocks[l] : &spare, l);
    return b->ok;
}

static bool read_layers(Binder *b) {
    Model *m = b->model;
    const FamilyHooks *h = m->hooks;
    const size_t blocks = m->sizes.blocks, more = h ? h->layer_bytes : 0;
    if (!(m->layers = calloc(blocks, sizeof *m->layers + more)))
        return b->ok = fault_set(b->fault, "no memory for %zu layers", blocks);
    for (size_t l = 0; l < blocks && b->ok; l++) {
        LayerSizes *s = &m->layers[l];
        s->dim = m->sizes.dim;
        if (more) s->extras = (void *)((char *)(m->layers + blocks) + l * more);
        (h ? h->read_layer : read_layer)(b, l, s);
        m->sizes.key = max_size(m->sizes.key, s->head_dim);
    }
    return b->ok;
}

/* Tokenizer test files have a family but no weights. */
static bool check_weights(Binder *b) {
    return b->model->gguf.n_tensors ||
           fault_set(b->fault, "the file has no tensors, it is a vocabulary alone: strata "
                               "tokenize reads it; all else wants the whole model");
}

static bool refuse_family(Binder *b, Text arch) {
    const int size = (int)min_size(60, arch.size);
    size_t families = 0;
    if (!more_families.n_rows)
        return fault_set(b->fault, "models of the family '%.*s' are not built in%s", size,
                         arch.data, more_families.advice);
    while (recipe_row(families)) families++;
    return fault_set(b->fault,
                     "models of the family '%.*s' are not built in; strata inspect --families "
                     "lists the %zu that are",
                     size, arch.data, families);
}

static bool find_recipe(Binder *b) {
    Text arch;
    if (!gguf_string(gguf_find(&b->model->gguf, "general.architecture"), &arch))
        return fault_set(
            b->fault,
            "the file does not say what model it is: key 'general.architecture' is missing");
    if (!(b->model->recipe = recipe_find(arch))) return refuse_family(b, arch);
    b->keys = b->model->recipe->arch, b->blocks = "blk";
    return (!more_families.find || more_families.find(b)) && check_weights(b);
}

static bool bind_file(Binder *b) {
    Model *m = b->model;
    if (!check_container(b) || !find_recipe(b)) return false;
    if (b->kind->words && !(m->tokenizer = tokenizer_open(&m->gguf, b->fault))) return false;
    if (!(m->hooks ? m->hooks->read_sizes : read_sizes)(b) || !read_layers(b)) return false;
    arena_measure(&m->arena);
    if (!bind_model(b) || !refuse_unknown(b)) return false;
    size_t needed = m->arena.used;
    return arena_init(&m->arena, needed, b->fault) && bind_model(b);
}

static bool open_parsed(Model *m, const FileKind *kind, Fault *fault) {
    bool *marks = calloc(m->gguf.n_pairs + m->gguf.n_tensors + 1, sizeof *marks);
    if (!marks) return fault_set(fault, "no memory for %zu tensors", m->gguf.n_tensors);
    Binder b = {.model = m,
                .fault = fault,
                .kind = kind,
                .ok = true,
                .used_keys = marks,
                .used_tensors = marks + m->gguf.n_pairs};
    bool ok = bind_file(&b);
    free(marks);
    return ok;
}

static const FileKind model_kind = {"model", "a model", "give the model that it belongs to",
                                    true};

bool model_open_kind(Model *model, const void *bytes, size_t size, const FileKind *kind,
                     Fault *fault) {
    *model = (Model){0};
    if (gguf_parse(&model->gguf, bytes, size, fault) && open_parsed(model, kind, fault))
        return true;
    model_close(model);
    return false;
}

bool model_open_memory(Model *model, const void *bytes, size_t size, Fault *fault) {
    return model_open_kind(model, bytes, size, &model_kind, fault);
}

bool model_open(Model *model, const char *path, Fault *fault) {
    *model = (Model){0};
    if (!gguf_open(&model->file, &model->gguf, path, fault)) return false;
    if (open_parsed(model, &model_kind, fault)) return true;
    model_close(model);
    return fault_prefix(fault, path);
}

size_t model_source(const Model *m, const int32_t *tokens, size_t count) {
    return m->hooks ? m->hooks->source(m, tokens, count) : 0;
}

bool model_check_prompt(const Model *m, const int32_t *tokens, size_t count, size_t batch,
                        Fault *fault) {
    return !m->hooks || m->hooks->check_prompt(m, tokens, count, batch, fault);
}

void model_close(Model *model) {
    if (model->drop_adapters) model->drop_adapters(model);
    free(model->packed), memory_free(model->packed_data, model->packed_size);
    if (model->hooks) model->hooks->close(model);
    free(model->layers);
    tokenizer_close(model->tokenizer);
    arena_free(&model->arena);
    gguf_close(&model->file, &model->gguf);
    *model = (Model){0};
}
