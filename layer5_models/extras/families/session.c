/* session.c - forward passes of families beyond plain decoders, or of a plain one with lent or
 * tapped rows.  See families.h.
 *
 * It is decoder.c with more steps: sources, rows in place of tokens, a join, norms and tables
 * beside the embedding, parallel streams. */
#include "decoder_parts.h"
#include "draft_head.h"
#include "families/parts.h"
#include "layers_elsewhere.h"

#include <math.h>
#include <string.h>

/* ------------------------------------------------------------------ opening */

static bool check_direction(const Model *m, bool bidirectional, Fault *fault) {
    if (model_extras(m)->quirks->bidirectional == bidirectional) return true;
    return bidirectional
               ? fault_set(fault,
                           "a %s model writes from left to right (strata generate): it has "
                           "not been trained to fill masked positions",
                           m->recipe->arch)
               : fault_set(fault,
                           "a %s model does not write from left to right: it is a diffusion "
                           "model, which fills masked positions in any order (strata diffuse)",
                           m->recipe->arch);
}

bool check_more_session(const Model *m, const SessionConfig *config, Fault *fault) {
    const ModelExtras *x = model_extras(m);
    const bool ranks = x->text_head.pooling == POOLING_RANK;
    if ((x->quirks->is_draft_head || x->quirks->assists) && !x->draft_head.model)
        return fault_set(
            fault,
            "a file of the family %s is a draft head, no model by itself: give the "
            "model that it drafts for with -m, and this one with --draft",
            m->recipe->arch);
    if (!config->vectors && !model_writes(m))
        return fault_set(
            fault, "this %s model does not write: it makes %s of texts, as strata %s shows",
            m->recipe->arch, ranks ? "scores" : "vectors", ranks ? "rerank" : "embed");
    return config->vectors || check_direction(m, config->bidirectional, fault);
}

size_t more_shapes(const Model *m, KvConfig *config, KvShape *shapes) {
    const ModelExtras *x = m->extras;
    size_t layers = m->sizes.layers;
    for (size_t l = 0; l < m->sizes.layers; l++) {
        const LayerExtras *e = m->layers[l].extras;
        const Indexer *index = &m->blocks[l].extras->mla.index;
        shapes[l].state = block_state(&m->blocks[l]);
        if (l && x->vision.kind) shapes[l].kv_heads = 0; /* one layer at a time needs room */
        if (e->kv_back || e->encodes) shapes[l].kv_heads = 0;
        if (x->quirks->bidirectional) shapes[l].window = 0;
        if (!index->heads) continue;
        shapes[index->layer] = (KvShape){1, index->width, 0, 0, 0};
        layers = 2 * m->sizes.layers;
    }
    if (x->quirks->rope_sections)
        shapes[layers++] = (KvShape){.kv_heads = 1, .key_dim = KV_LAG_BITS};
    /* source rows see the whole source, so no prefix can be shared */
    if (x->encoder) config->prefixes = 0;
    return layers;
}

static void layout_text_head(Session *s, SessionExtras *x) {
    const TextHead *h = &model_extras(s->model)->text_head;
    size_t dim = max_size(s->model->sizes.dim, h->labels), wide = dim;
    if (h->dense[0].w.data) wide = max_size(wide, h->dense[0].w.shape[0]);
    x->pooled = arena_take(&s->arena, dim, sizeof *x->pooled);
    x->wide = arena_take(&s->arena, wide, sizeof *x->wide);
    x->wide_scratch = arena_take(&s->arena, linear_scratch_bytes(1, wide), 1);
}

/* Do a batch's rows have places of their own? */
static bool has_places(const Model *m) {
    return model_extras(m)->quirks->rope_sections || model_extras(m)->vision.axes ||
           assistant_is(m);
}

const LayersElsewhere *layers_elsewhere;

void layout_more_session(Session *s, const SessionConfig *c) {
    const ModelExtras *m = model_extras(s->model);
    SessionExtras spare, *x = s->extras = arena_take(&s->arena, 1, sizeof *x);
    if (!x) x = &spare; /* while the arena measures */
    x->elsewhere = s->extras && layers_elsewhere && layers_elsewhere->has(s);
    if (x->elsewhere) s->hooks = &more_hooks;
    const size_t few = m->draft_head.row_of ? m->draft_head.count : 0,
                 parts = m->encoder || assistant_is(s->model) ? c->max_tokens : 0;
    x->key = arena_take(&s->arena, s->model->sizes.key, sizeof *x->key);
    layout_text_head(s, x);
    if (few) x->reduced_logits = arena_take(&s->arena, few, sizeof *x->reduced_logits);
    x->groups = arena_take(&s->arena, c->max_tokens, sizeof *x->groups);
    x->places =
        arena_take(&s->arena, has_places(s->model) ? c->max_tokens : 0, sizeof *x->places);
    x->split.token = arena_take(&s->arena, parts, sizeof *x->split.token);
    x->split.sequence = arena_take(&s->arena, parts, sizeof *x->split.sequence);
    x->split.position = arena_take(&s->arena, parts, sizeof *x->split.position);
    x->split.wanted = arena_take(&s->arena, parts, sizeof *x->split.wanted);
    layout_assistant(s, x, c->sequences);
}

/* ------------------------------------------------------------------ what goes in */

/* Other machines have the file's weights, and no word of what is between their layers. */
static bool check_split(const Session *s, Fault *fault) {
    if (!s->extras->elsewhere) return true;
    if (s->model->adapters)
        return fault_set(fault, "adapters change layers that other machines compute from the "
                                "file: wanted --split rows");
    if (model_extras(s->model)->deep && s->extras->n_rows)
        return fault_set(fault, "pictures change rows between layers that other machines "
                                "compute: wanted --split rows");
    return !s->extras->tap.count ||
           fault_set(fault, "what reads rows between layers (a draft head, early layers) needs "
                            "all of them on this machine: wanted --split rows");
}

static bool check_more(Session *s, const Batch *batch, Fault *fault) {
    const bool joins = draft_head_is(s->model);
    REQUIRE(!joins || batch->input, "a draft head reads tokens and rows");
    if (batch->input && model_extras(s->model)->layer_table.table.data)
        return fault_set(fault,
                         "a %s model has per-layer inputs by token: rows cannot replace tokens",
                         s->model->recipe->arch);
    return check_split(s, fault) &&
           check_batch(s, batch, batch->input && !joins ? 0 : session_tokens(s), fault) &&
           source_check(s, batch, fault) && see_groups(s, batch, fault);
}

/* Does the token belong to the second text?  False for files with one row of types. */
static size_t text_of_token(const Session *s, int32_t position) {
    const size_t second = s->extras->second;
    return second && (size_t)position >= second && model_extras(s->model)->types.shape[0] > 1;
}

/* The lent row of a token, (1 + deep, dim); NULL: it has none. */
static const float *lent_row(const Session *s, int32_t token) {
    const size_t vocab = s->model->sizes.vocab, id = (size_t)token;
    return id < vocab ? NULL : s->extras->rows + (id - vocab) * session_lent_width(s->model);
}

/* The row (dim) that replaces the embedding of token i, from the batch or the session; NULL:
 * none. */
static const float *row_of_token(const Session *s, const Batch *batch, size_t i) {
    if (batch->input) return batch->input + i * s->model->sizes.dim;
    return lent_row(s, batch->token[i]);
}

/* Behind layer l: add its part of the lent rows. */
static void add_deep(Session *s, const Batch *batch, size_t l) {
    const size_t dim = s->model->sizes.dim;
    if (batch->input || l >= model_extras(s->model)->deep) return;
    for (size_t i = 0; i < batch->count; i++) {
        const float *row = lent_row(s, batch->token[i]);
        if (row) axpy(s->x + i * dim, 1, row + (1 + l) * dim, dim);
    }
}

/* x = an embedding, or a row from the batch or the session, plus its position and type, then
 * the norm. */
static void embed_more(Session *s, const Batch *batch, size_t i) {
    const Model *m = s->model;
    const ModelExtras *e = model_extras(m);
    const size_t dim = m->sizes.dim;
    const float *row = row_of_token(s, batch, i);
    float *x = s->x + i * dim;
    if (row)
        memcpy(x, row, dim * sizeof *x);
    else
        embed_token(m, x, batch->token[i]);
    if (m->positions.data)
        position_add_learned(x, &m->positions, (size_t)batch->position[i], s->run.normed);
    if (e->types.data)
        position_add_learned(x, &e->types, text_of_token(s, batch->position[i]), s->run.normed);
    norm_apply(&e->embedding_norm, x, x, dim);
}

static WiringRun *wiring_run(const Session *s) { return block_memory(&s->run, wiring_open); }

/* Tokens joined with rows of h.  If attention reads the whole joined row, the first token of a
 * text, which has no h, is masked: a source (kv.h) of one. */
static void join_rows(Session *s, const Batch *batch) {
    const Block *b = &s->model->blocks[0];
    join_forward(s->pool, &b->extras->join, &wiring_run(s)->join, batch->input, batch->count,
                 s->x);
    for (size_t i = 0; i < batch->count && b->wiring == &joined_wiring; i++)
        s->kv.source[batch->sequence[i]] = 1;
}

static void embed_stream(Session *s, const Batch *batch) {
    const Model *m = s->model;
    const ModelExtras *e = model_extras(m);
    const bool joins = draft_head_is(m);
    Batch tokens = *batch;
    PROFILE("embed");
    if (joins) tokens.input = NULL; /* rows are joined, not substituted */
    for (size_t i = 0; i < batch->count; i++) embed_more(s, &tokens, i);
    if (joins) join_rows(s, batch);
    if (e->layer_table.table.data)
        layer_inputs(s->pool, &e->layer_table, &wiring_run(s)->layer_input, batch, s->x);
    if (e->streams)
        altup_spread(s->pool, &e->altup, &wiring_run(s)->altup, s->x, batch->count,
                     m->sizes.dim);
}

/* ------------------------------------------------------------------ layers */

static void keep_tapped(Session *s, size_t n, size_t l) {
    const SessionExtras *x = s->extras;
    const size_t dim = s->model->sizes.dim;
    for (size_t k = 0; k < x->tap.count; k++)
        for (size_t i = 0; i < n && x->tap.layers[k] == l; i++)
            memcpy(x->tap.rows + (i * x->tap.count + k) * dim, s->x + i * dim,
                   dim * sizeof *s->x);
}

/* Block l; or, in *own, with the session's rope or a vision tower's windows. */
static const Block *block_of(const Session *s, size_t l, Block *own) {
    const Block *b = &s->model->blocks[l];
    const size_t every = model_extras(s->model)->vision.full_every;
    const bool windows = every && (l + 1) % every;
    if (session_rope(s, l) == b->attention.rope && !windows) return b;
    *own = *b;
    own->attention.rope = session_rope(s, l);
    if (windows) {
        own->attention.shape.chosen = s->extras->windows;
        own->attention.shape.chosen_words = s->extras->window_words;
    }
    return own;
}

static void run_block(Session *s, size_t l, const Batch *batch) {
    const Model *m = s->model;
    Block own;
    keep_tapped(s, batch->count, l);
    /* all encoder blocks work in the cache of the first decoder layer, or of a vision tower's
     * first */
    const size_t layer =
        m->extras && m->extras->vision.kind ? 0 : max_size(l, model_extras(m)->encoder);
    const Pass pass = {&s->run, &s->kv, layer, batch, m->sizes.dim};
    const size_t groups = s->kv.n_groups;
    s->kv.n_groups = layer_groups(m, l, groups);
    if (!s->extras->tap.count) s->run.read = rows_read(s, batch, l);
    block_forward(block_of(s, l, &own), &pass, s->x);
    s->run.read = NULL;
    s->kv.n_groups = groups;
    add_deep(s, batch, l);
}

/* s->x = the batch after layers from .. to - 1; false: cancelled. */
static bool run_some(Session *s, const Batch *batch, size_t from, size_t to) {
    const Model *m = s->model;
    const ModelExtras *e = model_extras(m);
    embed_stream(s, batch);
    if (s->run.probe) {
        probe_enter(s->run.probe, from, batch);
        probe_stream(s->run.probe, PROBE_EMBEDDED, s->x, m->sizes.dim);
    }
    if (s->extras->elsewhere) return layers_elsewhere->forward(s, batch);
    for (size_t l = from; l < to; l++) {
        if (s->is_wanted && !s->is_wanted(s->context)) return false;
        run_block(s, l, batch);
    }
    if (to == m->sizes.layers) keep_tapped(s, batch->count, to);
    if (e->streams)
        altup_gather(s->pool, &e->altup, &wiring_run(s)->altup, s->x, batch->count,
                     m->sizes.dim);
    if (e->streams &&
        s->run.probe) /* instead of the single stream that the last layer showed */
        probe_stream(s->run.probe, PROBE_AFTER, s->x, m->sizes.dim);
    return true;
}

/* ------------------------------------------------------------------ what comes out */

static void unembed_more(Session *s, const Batch *batch) {
    const Model *m = s->model;
    const float scale = model_extras(m)->logit_scale;
    const GgufPair *suppressed = model_extras(m)->suppressed;
    size_t wanted = 0;
    unembed(s, batch);
    if (s->hidden_only) return;
    for (size_t i = 0; i < batch->count; i++) wanted += batch->wanted[i];
    for (size_t i = 0; scale != 1 && i < wanted * m->sizes.vocab; i++) s->logits[i] *= scale;
    for (size_t i = 0; suppressed && i < suppressed->count; i++) {
        int64_t id = 0;
        gguf_int(suppressed, i, &id);
        for (size_t row = 0; row < wanted; row++)
            s->logits[row * m->sizes.vocab + (size_t)id] = -INFINITY;
    }
    if (s->extras->reduced_logits) draft_head_spread(s, batch);
}

void session_lens(Session *s, const float *x) {
    memcpy(s->x, x, s->model->sizes.dim * sizeof *x);
    unembed_more(s, &(Batch){.count = 1, .wanted = &(bool){true}});
}

/* Sources through the encoder, then the rest through the other layers. */
static bool run_more(Session *s, const Batch *batch) {
    const size_t encoder = model_extras(s->model)->encoder, layers = s->model->sizes.layers;
    Batch source = {0}, text = *batch;
    if (assistant_is(s->model)) {
        if (!run_assistant(s, batch, &text)) return false;
        unembed_more(s, &text);
        return true;
    }
    if (encoder) source_split(s, batch, &source, &text);
    if (source.count) {
        if (!run_some(s, &source, 0, encoder)) return false;
        source_keep(s, &source);
    }
    if (text.count && !run_some(s, &text, encoder, layers)) return false;
    unembed_more(s, &text);
    return true;
}

bool forward_more(Session *s, const Batch *batch, Fault *fault) {
    if (!check_more(s, batch, fault)) return false;
    for (size_t i = 0; i < batch->count && model_extras(s->model)->quirks->bidirectional; i++)
        kv_truncate(&s->kv, (size_t)batch->sequence[i], 0);
    if (!take_room(s, batch, fault)) return false;
    place_batch(s, batch);
    return run_more(s, batch) || stop_batch(s, batch, fault);
}

/* ------------------------------------------------------------------ a text */

static bool eval_canvas(Session *s, const int32_t *tokens, size_t count, bool all_logits,
                        Fault *fault) {
    size_t most = all_logits ? min_size(s->max_tokens, s->max_logits) : s->max_tokens;
    if (count > most)
        return fault_set(fault,
                         "a text of %zu tokens does not fit into a batch of %zu, and a %s "
                         "model, which is bidirectional, reads a text in one",
                         count, most, s->model->recipe->arch);
    session_rewind(s, 0, 0);
    return count == 0 || eval_batch(s, tokens, count, all_logits ? 0 : count - 1, fault);
}

/* Tokens in batches; a source, which has no logits, in one batch with what follows. */
bool eval_more(Session *s, const int32_t *tokens, size_t count, bool all_logits, Fault *fault) {
    if (model_extras(s->model)->quirks->bidirectional)
        return eval_canvas(s, tokens, count, all_logits, fault);
    for (size_t at = 0, n, left; at < count; at += n) {
        size_t source =
            s->kv.length[0] == 0 ? model_source(s->model, tokens + at, count - at) : 0;
        n = min_size(min_size(count - at, s->max_tokens), PREFILL_BATCH);
        if (all_logits) n = min_size(n, source + s->max_logits);
        if (s->group_of && n < count - at) n -= session_group(s, tokens[at + n], &left);
        const size_t last = count - at - 1; /* the last one is always wanted */
        if (!eval_batch(s, tokens + at, n, all_logits ? min_size(source, last) : last, fault))
            return false;
    }
    return true;
}
