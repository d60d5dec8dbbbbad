/* decoder.c - see decoder.h. */
#include "decoder_parts.h"
#include "model/bind.h"

#include <math.h>
#include <string.h>

/* ------------------------------------------------------------------ memory */

SessionShapes *session_shapes;

static size_t layer_shapes(const Model *m, KvShape *shapes) {
    for (size_t l = 0; l < m->sizes.layers; l++) {
        const LayerSizes *z = &m->layers[l];
        shapes[l] = (KvShape){z->kv_heads, z->head_dim, z->value_dim, z->window, 0};
    }
    return m->sizes.layers;
}

static void layout_kv(Session *s, const SessionConfig *c) {
    const Model *m = s->model;
    KvShape shapes[2 * MODEL_LAYERS] = {{0}};
    size_t layers = layer_shapes(m, shapes);
    KvConfig config = {.shapes = shapes,
                       .dtype = c->kv.dtype,
                       .hadamard = c->kv.hadamard,
                       .sequences = c->sequences,
                       .ctx = c->ctx ? c->ctx : m->sizes.ctx,
                       .batch = c->max_tokens,
                       .budget = c->pages,
                       .prefixes = c->prefixes,
                       .rewind = c->rewind ? c->rewind : 1};
    if (m->hooks) layers = m->hooks->shapes(m, &config, shapes);
    config.layers = layers;
    if (session_shapes) session_shapes(s, shapes, layers);
    kv_init(&s->kv, &config, &s->arena);
    prefix_init(&s->kv, &s->arena);
}

static void layout(Session *s, SessionConfig c) {
    const ModelSizes *m = &s->model->sizes;
    s->max_tokens = c.max_tokens, s->max_logits = c.max_logits;
    s->hidden_only = c.vectors;
    layout_kv(s, &c);
    const BlockPlan plan = {s->pool,      s->model->blocks, m->layers, m->dim,
                            c.max_tokens, session_ctx(s),   &s->arena};
    block_run_init(&s->run, &plan);
    s->x = arena_take(&s->arena, c.max_tokens * m->stream, sizeof *s->x);
    s->hidden = arena_take(&s->arena, c.max_logits * m->dim, sizeof *s->hidden);
    if (!c.vectors) s->logits = arena_take(&s->arena, c.max_logits * m->vocab, sizeof(float));
    s->sequence = arena_take(&s->arena, c.max_tokens, sizeof *s->sequence);
    s->position = arena_take(&s->arena, c.max_tokens, sizeof *s->position);
    s->wanted = arena_take(&s->arena, c.max_tokens, sizeof *s->wanted);
    if (more_families.layout_session) more_families.layout_session(s, &c);
}

/* Q8_0 keys are multiplied by queries in 8 bits, whose buffer holds KV_BYTE_KEY numbers. */
bool session_takes_kv(const Model *m, KvFormat kv, Fault *fault) {
    return kv.dtype != DTYPE_Q8_0 || m->sizes.key <= KV_BYTE_KEY ||
           fault_set(fault, "keys of %zu numbers cannot be kept as %s, which takes %d at most",
                     m->sizes.key, kv_format_name(kv), KV_BYTE_KEY);
}

bool session_open(Session *session, const Model *model, Pool *pool, SessionConfig config,
                  Fault *fault) {
    if ((more_families.check_session && !more_families.check_session(model, &config, fault)) ||
        !session_takes_kv(model, config.kv, fault))
        return false;
    *session = (Session){.model = model, .pool = pool, .hooks = model->hooks};
    arena_measure(&session->arena);
    layout(session, config);
    if (!arena_init(&session->arena, session->arena.used, fault)) return false;
    layout(session, config);
    return true;
}

void session_close(Session *session) {
    if (session_shapes) session_shapes(session, NULL, 0);
    arena_free(&session->arena);
    *session = (Session){0};
}

void session_plan(const Model *model, SessionConfig config, size_t *cache, size_t *work) {
    Session s = {.model = model};
    arena_measure(&s.arena);
    layout_kv(&s, &config);
    *cache = s.arena.used;
    arena_measure(&s.arena);
    layout(&s, config);
    *work = s.arena.used - *cache;
}

/* ------------------------------------------------------------------ a batch */

bool check_batch(const Session *s, const Batch *batch, size_t ids, Fault *fault) {
    size_t wanted = 0;
    REQUIRE(batch->count <= s->max_tokens, "a batch of %zu tokens in room for %zu",
            batch->count, s->max_tokens);
    for (size_t i = 0; i < batch->count; wanted += batch->wanted[i++])
        if (ids && (batch->token[i] < 0 || (size_t)batch->token[i] >= ids))
            return fault_set(fault, "token %d is not in the vocabulary: ids are 0 to %zu",
                             batch->token[i], s->model->sizes.vocab - 1);
    if (wanted <= s->max_logits) return true;
    return fault_set(fault, "%zu rows of logits are wanted at once, there is room for %zu",
                     wanted, s->max_logits);
}

bool take_room(Session *s, const Batch *batch, Fault *fault) {
    /* idempotent: for a sequence's later tokens it changes nothing */
    for (size_t i = 0; i < batch->count; i++) kv_slide(&s->kv, (size_t)batch->sequence[i]);
    for (size_t i = 0; i < batch->count; i++) {
        size_t sequence = (size_t)batch->sequence[i], position = (size_t)batch->position[i],
               length = s->kv.length[sequence];
        REQUIRE(position == length, "sequence %zu continues at %zu, not at %zu", sequence,
                length, position);
        if (kv_extend(&s->kv, sequence, position + 1)) {
            /* drafted tokens all want logits, and any of them may be the last one accepted */
            if (batch->wanted[i] && s->kv.snapshots) state_keep(&s->kv, sequence);
            continue;
        }
        while (i-- > 0)
            kv_truncate(&s->kv, (size_t)batch->sequence[i], (size_t)batch->position[i]);
        if (position < session_ctx(s))
            return fault_set(fault, "the KV cache, %zu pages, is full at %zu tokens",
                             s->kv.pages.count, position);
        return fault_set(
            fault, "the context is full at %zu tokens: wanted a longer one or a shorter text",
            position);
    }
    return true;
}

void embed_token(const Model *m, float *x, int32_t token) {
    embedding(x, &m->embedding, (size_t)token);
    if (m->embedding_scale != 1)
        for (size_t k = 0; k < m->sizes.dim; k++) x[k] *= m->embedding_scale;
}

/* The input of the first block: each token's embedding, plus a learned position if the model
 * has them. */
static void embed(Session *s, const Batch *batch) {
    PROFILE("embed");
    const Model *m = s->model;
    for (size_t i = 0; i < batch->count; i++) {
        float *x = s->x + i * m->sizes.dim;
        embed_token(m, x, batch->token[i]);
        if (m->positions.data)
            position_add_learned(x, &m->positions, (size_t)batch->position[i], s->run.normed);
    }
    if (!s->run.probe) return;
    probe_enter(s->run.probe, 0, batch);
    probe_stream(s->run.probe, PROBE_EMBEDDED, s->x, s->model->sizes.dim);
}

/* All layers in order; false: is_wanted, polled before each layer, cancelled the batch. */
static bool run_layers(Session *s, const Batch *batch) {
    const Model *m = s->model;
    for (size_t l = 0; l < m->sizes.layers; l++) {
        if (s->is_wanted && !s->is_wanted(s->context)) return false;
        const Pass pass = {&s->run, &s->kv, l, batch, m->sizes.dim};
        s->run.read = rows_read(s, batch, l);
        block_forward(&m->blocks[l], &pass, s->x);
    }
    s->run.read = NULL;
    return true;
}

static void cap_logits(float *logits, size_t n, float cap) {
    for (size_t i = 0; i < n; i++) logits[i] = cap * tanhf(logits[i] / cap);
}

void unembed(Session *s, const Batch *batch) {
    const Model *m = s->model;
    size_t dim = m->sizes.dim, wanted = 0;
    for (size_t i = 0; i < batch->count; i++)
        if (batch->wanted[i])
            norm_apply(&m->out_norm, s->hidden + wanted++ * dim, s->x + i * dim, dim);
    if (wanted == 0 || s->hidden_only) return;
    linear(s->pool, &m->head, s->hidden, wanted, s->logits, s->run.scratch);
    if (m->logit_softcap > 0) cap_logits(s->logits, wanted * m->sizes.vocab, m->logit_softcap);
}

bool stop_batch(Session *s, const Batch *batch, Fault *fault) {
    for (size_t i = batch->count; i-- > 0;)
        session_rewind(s, (size_t)batch->sequence[i], (size_t)batch->position[i]);
    s->stopped = true;
    return fault_set(fault, "the forward pass was cancelled");
}

/* Checks come before room is taken, so a refused batch changes nothing. */
bool session_forward(Session *s, const Batch *batch, Fault *fault) {
    s->stopped = false;
    if (s->hooks) return s->hooks->forward(s, batch, fault);
    REQUIRE(!batch->input, "a plain decoder reads tokens");
    if (!check_batch(s, batch, s->model->sizes.vocab, fault) || !take_room(s, batch, fault))
        return false;
    embed(s, batch);
    if (!run_layers(s, batch)) return stop_batch(s, batch, fault);
    unembed(s, batch);
    return true;
}

bool eval_batch(Session *s, const int32_t *tokens, size_t count, size_t wanted, Fault *fault) {
    const size_t start = s->kv.length[0];
    for (size_t i = 0; i < count; i++) {
        s->sequence[i] = 0, s->position[i] = (int32_t)(start + i);
        s->wanted[i] = i >= wanted;
    }
    Batch batch = {count, tokens, s->sequence, s->position, s->wanted, NULL};
    return session_forward(s, &batch, fault);
}

bool session_eval(Session *s, const int32_t *tokens, size_t count, bool all_logits,
                  Fault *fault) {
    if (s->hooks) return s->hooks->eval(s, tokens, count, all_logits, fault);
    for (size_t at = 0, n; at < count; at += n) {
        n = min_size(min_size(count - at, s->max_tokens), PREFILL_BATCH);
        if (all_logits) n = min_size(n, s->max_logits);
        if (!eval_batch(s, tokens + at, n, all_logits ? 0 : count - at - 1, fault))
            return false;
    }
    return true;
}
