/* decoder.c - see decoder.h. */
#include "draft_head.h"
#include "session_rows.h"
#include "session_source.h"

#include <math.h>
#include <string.h>

static void layout_kv(Session *s, const SessionConfig *c) {
    const Model *m = s->model;
    KvShape shapes[2 * MODEL_LAYERS] = {{0}};
    size_t layers = m->sizes.layers;
    for (size_t l = 0; l < m->sizes.layers; l++) {
        const LayerSizes *z = &m->layers[l];
        shapes[l] = (KvShape){.kv_heads = z->back || z->encodes ? 0 : z->kv_heads,
                              .key_dim = z->head_dim,
                              .value_dim = z->value_dim,
                              .window = m->recipe->both_ways ? 0 : z->window,
                              .state = block_state(&m->blocks[l])};
        const Indexer *index = &m->blocks[l].extras->mla.index;
        if (index->heads) shapes[index->layer] = (KvShape){1, index->width, 0, 0, 0};
        if (index->heads) layers = 2 * m->sizes.layers;
    }
    KvConfig config = {.shapes = shapes,
                       .layers = layers,
                       .dtype = c->kv.dtype,
                       .hadamard = c->kv.hadamard,
                       .sequences = c->sequences,
                       .ctx = c->ctx ? c->ctx : m->sizes.ctx,
                       .batch = c->max_tokens,
                       .budget = c->pages,
                       /* rows of a source see all of it: none is another text's beginning */
                       .prefixes = m->sizes.encoder ? 0 : c->prefixes,
                       .rewind = c->rewind ? c->rewind : 1};
    kv_init(&s->kv, &config, &s->arena);
    prefix_init(&s->kv, &s->arena);
}

static size_t widest_key(const Model *m) {
    size_t widest = 0;
    for (size_t l = 0; l < m->sizes.layers; l++)
        widest = max_size(widest, m->layers[l].head_dim);
    return widest;
}

/* What a text's row, its vector and its scores need. */
static void layout_text_head(Session *s) {
    const TextHead *h = &s->model->text_head;
    size_t dim = max_size(s->model->sizes.dim, h->labels), wide = dim;
    if (h->dense[0].w.data) wide = max_size(wide, h->dense[0].w.shape[0]);
    s->pooled = arena_take(&s->arena, dim, sizeof *s->pooled);
    s->wide = arena_take(&s->arena, wide, sizeof *s->wide);
    s->wide_scratch = arena_take(&s->arena, linear_scratch_bytes(1, wide), 1);
}

static void layout(Session *s, SessionConfig c) {
    const ModelSizes *m = &s->model->sizes;
    size_t f = sizeof(float);
    s->max_tokens = c.max_tokens, s->max_logits = c.max_logits;
    s->hidden_only = c.vectors;
    layout_kv(s, &c);
    const BlockPlan plan = {.pool = s->pool,
                            .blocks = s->model->blocks,
                            .count = m->layers,
                            .dim = m->dim,
                            .rows = c.max_tokens,
                            .ctx = session_ctx(s),
                            .arena = &s->arena};
    block_run_init(&s->run, &plan);
    s->key = arena_take(&s->arena, widest_key(s->model), f);
    s->x = arena_take(&s->arena, c.max_tokens * m->dim * max_size(1, s->model->streams), f);
    s->hidden = arena_take(&s->arena, c.max_logits * m->dim, f);
    if (!c.vectors) s->logits = arena_take(&s->arena, c.max_logits * m->vocab, f);
    if (s->model->guesses.row_of) s->few = arena_take(&s->arena, s->model->guesses.count, f);
    layout_text_head(s);
    s->sequence = arena_take(&s->arena, c.max_tokens, sizeof *s->sequence);
    s->position = arena_take(&s->arena, c.max_tokens, sizeof *s->position);
    s->wanted = arena_take(&s->arena, c.max_tokens, sizeof *s->wanted);
    size_t parts = m->encoder ? c.max_tokens : 0;
    s->part.token = arena_take(&s->arena, parts, sizeof *s->part.token);
    s->part.sequence = arena_take(&s->arena, parts, sizeof *s->part.sequence);
    s->part.position = arena_take(&s->arena, parts, sizeof *s->part.position);
    s->part.wanted = arena_take(&s->arena, parts, sizeof *s->part.wanted);
}

static bool check_direction(const Model *model, bool canvas, Fault *fault) {
    const char *arch = model->recipe->arch;
    if (model->recipe->both_ways == canvas) return true;
    return canvas ? fault_set(fault,
                              "a %s model writes from left to right (strata generate): it has "
                              "not learned to fill places in any order",
                              arch)
                  : fault_set(fault,
                              "a %s model does not write from left to right: it is a diffusion "
                              "model, which fills places in any order (strata diffuse)",
                              arch);
}

/* Keys of eight bits meet queries of as many, which have room for so much. */
bool session_takes_kv(const Model *m, KvFormat kv, Fault *fault) {
    size_t widest = widest_key(m);
    for (size_t l = 0; l < m->sizes.layers; l++)
        widest = max_size(widest, m->blocks[l].extras->mla.index.width);
    return kv.dtype != DTYPE_Q8_0 || widest <= KV_BYTE_KEY ||
           fault_set(fault,
                     "keys of %zu numbers do not go with --kv %s, which takes %d at most",
                     widest, kv_format_name(kv), KV_BYTE_KEY);
}

bool session_open(Session *session, const Model *model, Pool *pool, SessionConfig config,
                  Fault *fault) {
    if (model->recipe->guesses && !model->guesses.model)
        return fault_set(
            fault,
            "a file of the family %s is a draft head, no model by itself: give the "
            "model that it drafts for with -m, and this one with --draft",
            model->recipe->arch);
    if (!config.vectors && !model_writes(model))
        return fault_set(
            fault, "this %s model does not write: it makes %s of texts, as strata %s shows",
            model->recipe->arch,
            model->text_head.pooling == POOLING_RANK ? "scores" : "vectors",
            model->text_head.pooling == POOLING_RANK ? "rerank" : "embed");
    if (!config.vectors && !check_direction(model, config.canvas, fault)) return false;
    if (!session_takes_kv(model, config.kv, fault)) return false;
    *session = (Session){.model = model, .pool = pool, .canvas = model->recipe->both_ways};
    arena_measure(&session->arena);
    layout(session, config);
    if (!arena_init(&session->arena, session->arena.used, fault)) return false;
    layout(session, config);
    return true;
}

void session_close(Session *session) {
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

static bool check_batch(Session *s, const Batch *batch, Fault *fault) {
    size_t known = session_tokens(s), wanted = 0;
    REQUIRE(batch->count <= s->max_tokens, "a batch of %zu tokens in room for %zu",
            batch->count, s->max_tokens);
    const bool joins = draft_head_is(s->model);
    REQUIRE(!joins || batch->input, "a draft head reads tokens and rows");
    if (batch->input && s->model->layer_table.table.data)
        return fault_set(fault, "layers of a %s model look tokens up: vectors will not do",
                         s->model->recipe->arch);
    for (size_t i = 0; i < batch->count; i++) {
        wanted += batch->wanted[i];
        if (batch->input && !joins) continue;
        if (batch->token[i] < 0 || (size_t)batch->token[i] >= known)
            return fault_set(fault, "token %d is not in the vocabulary: ids are 0 to %zu",
                             batch->token[i], s->model->sizes.vocab - 1);
    }
    if (wanted <= s->max_logits) return true;
    return fault_set(fault, "%zu rows of logits are wanted at once, there is room for %zu",
                     wanted, s->max_logits);
}

/* Room in memory for every token of the batch; all or nothing. */
static bool take_room(Session *s, const Batch *batch, Fault *fault) {
    for (size_t i = 0; i < batch->count && s->canvas; i++)
        kv_truncate(&s->kv, (size_t)batch->sequence[i], 0);
    for (size_t i = 0; i < batch->count; i++) kv_slide(&s->kv, (size_t)batch->sequence[i]);
    for (size_t i = 0; i < batch->count; i++) {
        size_t sequence = (size_t)batch->sequence[i], position = (size_t)batch->position[i],
               length = s->kv.length[sequence];
        REQUIRE(position == length, "sequence %zu continues at %zu, not at %zu", sequence,
                length, position);
        if (kv_extend(&s->kv, sequence, position + 1)) {
            /* of drafted tokens each is wanted, and any may be the last that is accepted */
            if (batch->wanted[i]) state_keep(&s->kv, sequence);
            continue;
        }
        while (i-- > 0)
            kv_truncate(&s->kv, (size_t)batch->sequence[i], (size_t)batch->position[i]);
        if (position < session_ctx(s))
            return fault_set(fault,
                             "the memory of keys and values, %zu pages, is full at %zu tokens",
                             s->kv.pages.count, position);
        return fault_set(
            fault, "the context is full at %zu tokens: wanted a longer one or a shorter text",
            position);
    }
    return true;
}

/* Is a token of the first text or of the second?  Files with one row of types make no difference. */
static size_t text_of_token(const Session *s, int32_t position) {
    return s->second && (size_t)position >= s->second && s->model->types.shape[0] > 1;
}

/* x = what goes into the first block: an embedding, scaled, or a row that the batch or the session brings.  Where the
 * model has tables of them the row of its position is added and that of its text (types, text_of_token); then comes the norm. */
static void embed_one(Session *s, const Batch *batch, size_t i) {
    const Model *m = s->model;
    size_t dim = m->sizes.dim;
    float *x = s->x + i * dim;
    const float *row = row_of_token(s, batch, i);
    if (row) {
        memcpy(x, row, dim * sizeof *x);
    } else {
        embedding(x, &m->embedding, (size_t)batch->token[i]);
        if (m->embedding_scale != 1)
            for (size_t k = 0; k < dim; k++) x[k] *= m->embedding_scale;
    }
    if (m->positions.data)
        position_add_learned(x, &m->positions, (size_t)batch->position[i], s->run.normed);
    if (m->types.data)
        position_add_learned(x, &m->types, text_of_token(s, batch->position[i]), s->run.normed);
    norm_apply(&m->embedding_norm, x, x, dim);
}

static WiringRun *wiring_run(const Session *s) { return block_memory(&s->run, wiring_open); }

/* Tokens and the rows beside them.  The first token of a text, beside which there is no row, is nothing that others see
 * where the whole row goes into attention: it is a source (kv.h) of one. */
static void join(Session *s, const Batch *batch) {
    const Block *b = &s->model->blocks[0];
    join_forward(s->pool, &b->extras->join, &wiring_run(s)->join, batch->input, batch->count,
                 s->x);
    for (size_t i = 0; i < batch->count && b->wiring == &joined_wiring; i++)
        s->kv.source[batch->sequence[i]] = 1;
}

/* All that goes into the first block, and what goes into others beside it. */
static void embed(Session *s, const Batch *batch) {
    const Model *m = s->model;
    Batch tokens = *batch;
    PROFILE("embed");
    if (draft_head_is(m))
        tokens.input = NULL; /* rows come beside the tokens, not in their place */
    for (size_t i = 0; i < batch->count; i++) embed_one(s, &tokens, i);
    if (draft_head_is(m)) join(s, batch);
    if (m->layer_table.table.data)
        layer_inputs(s->pool, &m->layer_table, &wiring_run(s)->layer_input, batch, s->x);
    if (m->streams)
        altup_spread(s->pool, &m->altup, &wiring_run(s)->altup, s->x, batch->count,
                     m->sizes.dim);
}

static void cap_logits(float *logits, size_t n, float cap) {
    if (cap <= 0) return;
    for (size_t i = 0; i < n; i++) logits[i] = cap * tanhf(logits[i] / cap);
}

/* The hidden rows that are wanted, and their logits. */
static void unembed(Session *s, const Batch *batch) {
    const Model *m = s->model;
    size_t dim = m->sizes.dim, wanted = 0;
    for (size_t i = 0; i < batch->count; i++)
        if (batch->wanted[i])
            norm_apply(&m->out_norm, s->hidden + wanted++ * dim, s->x + i * dim, dim);
    if (wanted == 0 || s->hidden_only) return;
    linear(s->pool, &m->head, s->hidden, wanted, s->logits, s->run.scratch);
    size_t numbers = wanted * m->sizes.vocab;
    if (m->logit_scale != 1)
        for (size_t i = 0; i < numbers; i++) s->logits[i] *= m->logit_scale;
    cap_logits(s->logits, numbers, m->logit_softcap);
}

void session_lens(Session *s, const float *x) {
    memcpy(s->x, x, s->model->sizes.dim * sizeof *x);
    unembed(s, &(Batch){.count = 1, .wanted = &(bool){true}});
}

const Rope *session_rope(const Session *s, size_t l) {
    const Model *m = s->model;
    const Rope *rope = m->blocks[l].attention.rope;
    bool longer = m->long_ctx && session_ctx(s) > m->long_ctx && rope == &m->ropes[0];
    return longer ? &m->ropes[2] : rope;
}

void session_tap(Session *s, const size_t *layers, size_t count, float *rows) {
    s->tap.layers = layers, s->tap.count = count, s->tap.rows = rows;
}

/* What goes into layer l, where that is asked for. */
static void keep_tapped(Session *s, size_t n, size_t l) {
    const size_t dim = s->model->sizes.dim;
    for (size_t k = 0; k < s->tap.count; k++)
        for (size_t i = 0; i < n && s->tap.layers[k] == l; i++)
            memcpy(s->tap.rows + (i * s->tap.count + k) * dim, s->x + i * dim,
                   dim * sizeof *s->x);
}

static void run_block(Session *s, size_t l, const Batch *batch) {
    const Model *m = s->model;
    Block longer, *b = &m->blocks[l];
    keep_tapped(s, batch->count, l);
    if (session_rope(s, l) != b->attention.rope) {
        longer = *b;
        longer.attention.rope = session_rope(s, l);
        b = &longer;
    }
    /* all blocks of an encoder work in the memory of the first layer behind them */
    const Pass pass = {&s->run, &s->kv, max_size(l, m->sizes.encoder), batch, m->sizes.dim};
    block_forward(b, &pass, s->x);
}

/* The sequences of a batch are as they were before it. */
static void undo(Session *s, const Batch *batch) {
    for (size_t i = batch->count; i-- > 0;)
        session_rewind(s, (size_t)batch->sequence[i], (size_t)batch->position[i]);
}

/* s->x = the tokens of a batch behind layers from .. to - 1; false: nobody wants it any more, which is_wanted (or NULL)
 * says before each layer.  A probe (or NULL) is told the first layer and shown what goes into it (probe_enter,
 * probe_stream: PROBE_EMBEDDED); a model of several streams gathers them behind the last (altup_gather). */
static bool run_layers(Session *s, const Batch *batch, size_t from, size_t to) {
    const Model *m = s->model;
    embed(s, batch);
    if (s->run.probe) {
        probe_enter(s->run.probe, from, batch);
        probe_stream(s->run.probe, PROBE_EMBEDDED, s->x, m->sizes.dim);
    }
    for (size_t l = from; l < to; l++) {
        if (s->is_wanted && !s->is_wanted(s->context)) return false;
        run_block(s, l, batch);
    }
    if (m->streams)
        altup_gather(s->pool, &m->altup, &wiring_run(s)->altup, s->x, batch->count,
                     m->sizes.dim);
    if (m->streams && s->run.probe) /* in place of the one stream that the last layer showed */
        probe_stream(s->run.probe, PROBE_AFTER, s->x, m->sizes.dim);
    return true;
}

/* Sources through the encoder, then what is written through the other layers. */
static bool run_model(Session *s, const Batch *batch) {
    const size_t encoder = s->model->sizes.encoder, layers = s->model->sizes.layers;
    Batch source = {0}, text = *batch;
    if (encoder) source_split(s, batch, &source, &text);
    if (source.count) {
        if (!run_layers(s, &source, 0, encoder)) return false;
        source_keep(s, &source);
    }
    if (text.count && !run_layers(s, &text, encoder, layers)) return false;
    unembed(s, &text);
    if (s->few) draft_head_spread(s, &text);
    return true;
}

/* Batch and sources are checked before room is taken: what is refused changes nothing. */
bool model_forward(Session *s, const Batch *batch, Fault *fault) {
    s->stopped = false;
    if (!check_batch(s, batch, fault) || !source_check(s, batch, fault) ||
        !take_room(s, batch, fault))
        return false;
    if (run_model(s, batch)) return true;
    s->stopped = true, undo(s, batch);
    return fault_set(fault, "nobody wants what was being read any more");
}

/* Tokens of a text in one batch, `source` of which have no logits: as many as there is room for, of a causal
 * model not more than PREFILL_BATCH; 0: they must all be there at once, and there is no room. */
static size_t batch_of(const Session *s, size_t count, size_t source, bool all_logits,
                       Fault *fault) {
    size_t most = s->max_tokens;
    if (all_logits) most = min_size(most, source + s->max_logits);
    if (!s->canvas) return min_size(min_size(count, most), PREFILL_BATCH);
    if (count <= most) return count;
    fault_set(
        fault,
        "a text of %zu tokens does not fit into a batch of %zu, and a %s model, which looks "
        "both ways, reads a text in one",
        count, most, s->model->recipe->arch);
    return 0;
}

bool session_eval(Session *s, const int32_t *tokens, size_t count, bool all_logits,
                  Fault *fault) {
    for (size_t at = 0, n; at < count; at += n) {
        size_t start = s->canvas ? 0 : s->kv.length[0],
               source = start == 0 ? model_source(s->model, tokens + at, count - at) : 0;
        if (!(n = batch_of(s, count - at, source, all_logits, fault))) return false;
        for (size_t i = 0; i < n; i++) {
            s->sequence[i] = 0, s->position[i] = (int32_t)(start + i);
            s->wanted[i] = (all_logits && i >= source) || at + i + 1 == count;
        }
        Batch batch = {n, tokens + at, s->sequence, s->position, s->wanted, NULL};
        if (!model_forward(s, &batch, fault)) return false;
    }
    return true;
}
