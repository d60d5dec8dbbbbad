/* assistant.c - a draft model that reads the keys and values of its model.  See draft_head.h.
 *
 *     the model has read      0 .. n - 1                  its layers' keys and values
 *     the assistant reads     token n      with h_(n-1)   -> token n + 1, g
 *                             token n + 1  with g         -> token n + 2, g', ...
 *
 * Each of them stands at position n and sees 0 .. n - 1: what was drafted has no key.  As a
 * row of attention it is at n - 1, the last position that has one, with a window that is one
 * shorter, and is rotated as at n.  Nothing is stored, so a row whose logits are not wanted
 * is not computed.
 *
 * Source   llama.cpp (d8a24cc), src/models/gemma4-assistant.cpp, common/speculative.cpp; the
 *          transformers library's modeling_gemma4_assistant.py. */
#include "decoder_parts.h"
#include "draft_head.h"
#include "families/parts.h"

#include <string.h>

bool assistant_is(const Model *m) { return model_extras(m)->quirks->assists; }

/* ------------------------------------------------------------------ its file */

/* E2B and E4B are published with clusters of tokens, so that a head computes the logits of the
 * likeliest clusters alone.  All logits are computed here, so the clusters are not needed. */
static void leave_clusters(Binder *b) {
    static const char *const idle[] = {"masked_embd_centroids.weight", "masked_embd_ordering",
                                       "masked_embd_ordering.weight"};
    for (size_t i = 0; i < sizeof idle / sizeof *idle; i++) {
        const GgufTensor *t = gguf_find_tensor(&b->model->gguf, idle[i]);
        if (t) b->used_tensors[t - b->model->gguf.tensors] = true;
    }
}

void read_assistant(Binder *b) {
    const size_t layers = b->model->sizes.layers;
    key_size(b, "nextn_predict_layers", layers, layers, layers);
    key_size(b, "embedding_length_per_layer_input", 0, 0, 0);
    extras_of(b)->draft_head.width = need_size(b, "embedding_length_out", 1, MAX_SIZE);
}

void bind_assistant(Binder *b) {
    static const char from[] = "embedding_length and embedding_length_out";
    DraftHead *g = &extras_of(b)->draft_head;
    const size_t dim = b->model->sizes.dim;
    g->count = b->model->sizes.vocab;
    g->in = bind_map(b, "nextn.pre_projection", true, dim, 2 * g->width, from);
    g->out = bind_map(b, "nextn.post_projection", true, g->width, dim, from);
    leave_clusters(b);
}

/* Pairs of a row rotate by its place, which is not its position. */
void place_ropes(Binder *b) {
    Model *m = b->model;
    for (int i = 0; i < 2 && quirks_in(b)->assists && b->ok; i++) {
        unsigned char *axis = arena_take(&m->arena, m->ropes[i].rotary / 2, 1);
        if (axis) memset(axis, 0, m->ropes[i].rotary / 2);
        m->ropes[i].axis = axis;
    }
}

/* ------------------------------------------------------------------ its model */

/* The last layer of a model with a window, or without, as layer l of the assistant; the number
 * of layers: none. */
static size_t layer_like(const Model *m, const LayerSizes *own) {
    for (size_t l = m->sizes.layers; l > 0; l--)
        if (!m->layers[l - 1].window == !own->window) return l - 1;
    return m->sizes.layers;
}

/* Whose keys and values layer l of an assistant reads. */
static size_t layer_read(const Model *assistant, const Model *m, size_t l) {
    const size_t like = layer_like(m, &assistant->layers[l]);
    return like - m->layers[like].extras->kv_back;
}

static bool check_layer(const Model *assistant, const Model *m, size_t l, Fault *fault) {
    const LayerSizes *own = &assistant->layers[l], *z;
    const size_t like = layer_like(m, own);
    if (like == m->sizes.layers)
        return fault_set(fault,
                         "layer %zu of the assistant reads keys of a layer %s a window, and "
                         "the model has none: wanted one that was trained for this model",
                         l, own->window ? "with" : "without");
    z = &m->layers[like];
    if (own->kv_heads == z->kv_heads && own->head_dim == z->head_dim &&
        own->value_dim == z->value_dim && own->window == z->window)
        return own->window != 1 ||
               fault_set(fault, "a window of 1 shows an assistant no keys of its model");
    return fault_set(fault,
                     "layer %zu of the assistant reads %zu keys and values of %zu and %zu "
                     "numbers in a window of %zu (0: none), layer %zu of the model has %zu of "
                     "%zu and %zu in one of %zu: wanted one that was trained for this model",
                     l, own->kv_heads, own->head_dim, own->value_dim, own->window, like,
                     z->kv_heads, z->head_dim, z->value_dim, z->window);
}

bool assistant_fit(Model *assistant, const Model *m, Fault *fault) {
    DraftHead *g = &assistant->extras->draft_head;
    const char *family = assistant->extras->quirks->assists;
    if (strcmp(m->recipe->arch, family) != 0)
        return fault_set(fault,
                         "a %s model drafts for a %s model, whose keys and values it reads: "
                         "this is a %s model",
                         assistant->recipe->arch, family, m->recipe->arch);
    if (g->width != m->sizes.dim)
        return fault_set(fault,
                         "the assistant reads rows of %zu numbers (embedding_length_out), "
                         "those of the model have %zu: wanted one that was trained for this "
                         "model",
                         g->width, m->sizes.dim);
    if (assistant->sizes.vocab != m->sizes.vocab)
        return fault_set(
            fault, "the assistant has %zu tokens, the model %zu: they must share a vocabulary",
            assistant->sizes.vocab, m->sizes.vocab);
    for (size_t l = 0; l < assistant->sizes.layers; l++)
        if (!check_layer(assistant, m, l, fault)) return false;
    g->model = m;
    return true;
}

/* ------------------------------------------------------------------ its session */

void layout_assistant(Session *s, SessionExtras *x, size_t sequences) {
    const size_t wide = 2 * model_extras(s->model)->draft_head.width, n = s->max_tokens;
    if (!assistant_is(s->model)) return;
    x->assistant.sequence = arena_take(&s->arena, sequences, sizeof *x->assistant.sequence);
    x->assistant.both = arena_take(&s->arena, n * wide, sizeof *x->assistant.both);
    x->assistant.scratch =
        arena_take(&s->arena, linear_scratch_bytes(n, max_size(wide, s->model->sizes.dim)), 1);
    x->assistant.row = arena_take(&s->arena, n, sizeof *x->assistant.row);
}

bool assistant_reads(Session *s, const Session *model, Fault *fault) {
    const Model *m = model->model;
    REQUIRE(model_extras(s->model)->draft_head.model == m, "an assistant of another model");
    for (size_t l = 0; l < s->model->sizes.layers; l++) {
        const size_t from = layer_read(s->model, m, l);
        if (model->extras->elsewhere ||
            model->kv.shape[from].kv_heads != m->layers[from].kv_heads)
            return fault_set(fault,
                             "other machines have some of the model's keys and values, which "
                             "a %s model reads: it needs all of them on this one",
                             s->model->recipe->arch);
    }
    s->extras->assistant.model = model;
    return true;
}

/* What the model has read of a row's sequence, at most what is before the row. */
static size_t known_to(const Session *s, int32_t sequence, int32_t position) {
    const size_t model = s->extras->assistant.sequence[sequence];
    return min_size((size_t)position, session_length(s->extras->assistant.model, model));
}

/* The wanted rows, as attention has them, and in `both` what each reads. */
static Batch take_wanted(Session *s, const Batch *batch) {
    SessionExtras *x = s->extras;
    const size_t width = model_extras(s->model)->draft_head.width;
    Batch wanted = {0,   x->split.token, x->split.sequence, x->split.position, x->split.wanted,
                    NULL};
    for (size_t i = 0; i < batch->count; i++) {
        if (!batch->wanted[i]) continue;
        const size_t known = known_to(s, batch->sequence[i], batch->position[i]),
                     to = wanted.count++;
        float *both = x->assistant.both + to * 2 * width;
        REQUIRE(known, "an assistant drafts for a text that its model has begun to read");
        embed_token(x->assistant.model->model, both, batch->token[i]);
        memcpy(both + width, batch->input + i * width, width * sizeof *both);
        x->split.token[to] = batch->token[i], x->split.wanted[to] = true;
        x->split.sequence[to] = (int32_t)x->assistant.sequence[batch->sequence[i]];
        x->split.position[to] = (int32_t)known - 1, x->places[to][0] = (int32_t)known;
        x->assistant.row[to] = i;
    }
    return wanted;
}

/* x through block l, in the model's cache. */
static void run_layer(Session *s, size_t l, const Batch *batch) {
    const Session *model = s->extras->assistant.model;
    const Block *b = &s->model->blocks[l];
    KvCache seen = model->kv; /* is read alone, without the groups of the model's last batch */
    Rope *rope = &s->extras->assistant.rope;
    Block own = *b;
    const Pass pass = {&s->run, &seen,
                       layer_read(s->model, model->model, l) + b->attention.kv_back, batch,
                       s->model->sizes.dim};
    seen.n_groups = 0;
    *rope = *b->attention.rope, rope->places = (const int32_t(*)[3])s->extras->places;
    own.attention.rope = rope;
    if (own.attention.shape.mask.window) own.attention.shape.mask.window--;
    block_forward(&own, &pass, s->x);
}

bool run_assistant(Session *s, const Batch *batch, Batch *wanted) {
    const SessionExtras *x = s->extras;
    const Linear *in = &model_extras(s->model)->draft_head.in;
    REQUIRE(x->assistant.model, "an assistant without its model's session (assistant_reads)");
    *wanted = take_wanted(s, batch);
    s->extras->assistant.count = wanted->count;
    if (!wanted->count) return true;
    linear(s->pool, in, x->assistant.both, wanted->count, s->x, x->assistant.scratch);
    for (size_t l = 0; l < s->model->sizes.layers; l++) {
        if (s->is_wanted && !s->is_wanted(s->context)) return false;
        run_layer(s, l, wanted);
    }
    return true;
}

void assistant_rows(Session *s, float *rows) {
    const SessionExtras *x = s->extras;
    const DraftHead *g = &model_extras(s->model)->draft_head;
    const size_t n = x->assistant.count;
    if (n) linear(s->pool, &g->out, s->hidden, n, rows, x->assistant.scratch);
    for (size_t k = n; k-- > 0;) /* a row never moves to the front */
        memmove(rows + x->assistant.row[k] * g->width, rows + k * g->width,
                g->width * sizeof *rows);
}
