/* session_source.c - encoder-decoder models.  See families.h.
 *
 *     tokens       Wie  spät ist   es   </s> | <start>  What  time ...
 *     position      0    1    2    3    4    |    5       6     7
 *     read by      encoder, bidirectional    | decoder, from left to right
 *
 * All encoder blocks work in the cache of the first decoder layer: each block's keys and values
 * replace the previous one's, and finally that layer's cross-attention keys replace them. */
#include "families/parts.h"

/* Rows from row i on that belong to the same sequence and come before its start token. */
static size_t source_at(const Session *s, const Batch *batch, size_t i) {
    size_t source = 0;
    for (size_t k = i; k < batch->count; k++) {
        if (batch->sequence[k] != batch->sequence[i]) continue;
        if (batch->token[k] == model_extras(s->model)->start) break;
        source++;
    }
    return source;
}

/* The sequence that begins with row i: its source is complete and wants no logits. */
static bool check_begin(const Session *s, const Batch *batch, size_t i, Fault *fault) {
    const Model *m = s->model;
    size_t source = source_at(s, batch, i);
    if (source == 0)
        return fault_set(fault, "the source is empty: give the model something to read");
    for (size_t k = i; k < batch->count; k++)
        if (batch->sequence[k] == batch->sequence[i] && batch->wanted[k] &&
            (size_t)batch->position[k] < source)
            return fault_set(fault,
                             "a %s model reads one text and writes another: what it reads has "
                             "no logits, and token %d, which begins what it writes, does not "
                             "follow",
                             m->recipe->arch, model_extras(m)->start);
    return true;
}

bool source_check(const Session *s, const Batch *batch, Fault *fault) {
    const Model *m = s->model;
    if (!model_extras(m)->encoder) return true;
    if (batch->input)
        return fault_set(fault, "a %s model reads tokens: rows cannot replace them",
                         m->recipe->arch);
    for (size_t i = 0; i < batch->count; i++) {
        size_t position = (size_t)batch->position[i], source = s->kv.source[batch->sequence[i]];
        if (position == 0 && !check_begin(s, batch, i, fault)) return false;
        if (position > 0 && position == source && batch->token[i] != model_extras(m)->start)
            return fault_set(fault,
                             "a %s model reads a source of at most %zu tokens, all at once: "
                             "behind the first %zu token %d has to follow, not %d",
                             m->recipe->arch, s->max_tokens, source, model_extras(m)->start,
                             batch->token[i]);
    }
    return true;
}

static bool is_source(const Session *s, const Batch *batch, size_t i) {
    return (size_t)batch->position[i] < s->kv.source[batch->sequence[i]];
}

/* The source rows of a batch, or the others, in order. */
static Batch part_of(Session *s, const Batch *batch, bool source, size_t at) {
    Batch part = {0,
                  s->extras->split.token + at,
                  s->extras->split.sequence + at,
                  s->extras->split.position + at,
                  s->extras->split.wanted + at,
                  NULL};
    for (size_t i = 0; i < batch->count; i++) {
        if (is_source(s, batch, i) != source) continue;
        size_t to = at + part.count++;
        s->extras->split.token[to] = batch->token[i],
        s->extras->split.sequence[to] = batch->sequence[i];
        s->extras->split.position[to] = batch->position[i],
        s->extras->split.wanted[to] = batch->wanted[i];
    }
    return part;
}

void source_split(Session *s, const Batch *batch, Batch *source, Batch *text) {
    for (size_t i = 0; i < batch->count; i++)
        if (batch->position[i] == 0) s->kv.source[batch->sequence[i]] = source_at(s, batch, i);
    *source = part_of(s, batch, true, 0);
    *text = part_of(s, batch, false, source->count);
}

void source_keep(Session *s, const Batch *source) {
    const Model *m = s->model;
    const size_t dim = m->sizes.dim;
    norm_apply_rows(s->pool, &model_extras(m)->source_norm, s->x, s->x, source->count, dim);
    for (size_t l = model_extras(m)->encoder; l < m->sizes.layers; l++)
        cross_keep(s->pool, &m->blocks[l].extras->cross, &s->run.attention, &s->kv, l, source,
                   s->x);
}

void model_end_prompt(const Model *m, TokenList *tokens) {
    if (!model_extras(m)->encoder) return;
    tokenizer_end(m->tokenizer, tokens);
    token_list_add(tokens, model_extras(m)->start);
}

/* Tokens before the first start token. */
size_t source_of(const Model *m, const int32_t *tokens, size_t count) {
    const ModelExtras *e = m->extras;
    size_t n = 0;
    while (e->encoder && n < count && tokens[n] != e->start) n++;
    return n;
}

bool check_source(const Model *m, const int32_t *tokens, size_t count, size_t batch,
                  Fault *fault) {
    const size_t source = source_of(m, tokens, count);
    if (!m->extras->encoder) return true;
    if (source == count)
        return fault_set(fault,
                         "a %s model reads one text and writes another: it goes on with no "
                         "prompt and keeps no chat, but begins behind token %d, which does not "
                         "stand behind this text",
                         m->recipe->arch, m->extras->start);
    if (source == 0)
        return fault_set(fault, "the source is empty: give the model something to read");
    if (source <= batch) return true;
    return fault_set(fault,
                     "the source has %zu tokens, and a %s model reads it at once, %zu at most: "
                     "shorten it",
                     source, m->recipe->arch, batch);
}
