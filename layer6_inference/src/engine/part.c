/* part.c - the tokens that one model reads in a step, and which they are.  See take.h. */
#include "take.h"

#include <string.h>

static void layout(EnginePart *p) {
    const Model *m = p->session->model;
    size_t n = p->session->max_tokens;
    p->token = arena_take(&p->arena, n, sizeof *p->token);
    p->sequence = arena_take(&p->arena, n, sizeof *p->sequence);
    p->position = arena_take(&p->arena, n, sizeof *p->position);
    p->wanted = arena_take(&p->arena, n, sizeof *p->wanted);
    if (draft_head_is(m)) {
        p->input = arena_take(&p->arena, n * m->sizes.dim, sizeof *p->input);
        p->known = arena_take(&p->arena, PREFILL_BATCH * m->sizes.dim, sizeof *p->known);
        p->tapped = arena_take(&p->arena, PREFILL_BATCH * GUESS_DEPTHS * m->guesses.width,
                               sizeof *p->tapped);
    }
    p->used = arena_take(&p->arena, p->session->kv.config.sequences, sizeof *p->used);
}

bool part_open(EnginePart *p, Session *session, Fault *fault) {
    *p = (EnginePart){.session = session};
    arena_measure(&p->arena);
    layout(p);
    if (!arena_init(&p->arena, p->arena.used, fault)) return false;
    layout(p);
    memset(p->used, 0, session->kv.config.sequences * sizeof *p->used);
    session_reset(session);
    return true;
}

size_t part_room(const EnginePart *p) {
    size_t max =
        p->session->max_tokens < PREFILL_BATCH ? p->session->max_tokens : PREFILL_BATCH;
    return max - p->count;
}

void part_push(EnginePart *p, size_t id, int32_t token, size_t position, bool wanted) {
    p->token[p->count] = token, p->sequence[p->count] = (int32_t)id;
    p->position[p->count] = (int32_t)position, p->wanted[p->count] = wanted;
    p->count++, p->rows += wanted;
}

static bool part_forward(EnginePart *p, Fault *fault) {
    PROFILE("forward");
    Batch batch = {p->count, p->token, p->sequence, p->position, p->wanted, p->input};
    return p->count == 0 || model_forward(p->session, &batch, fault);
}

bool engine_forward(Engine *e, size_t number, Fault *fault) {
    const bool alone = e->n_parts == 1; /* no draft head reads beside it */
    if (!alone) draft_head_feed(e, number);
    if (!part_forward(&e->parts[number], fault)) return false;
    if (!alone) draft_head_keep(e, number);
    return true;
}

float *part_row(const EnginePart *p, size_t row) {
    return p->session->logits + row * p->session->model->sizes.vocab;
}

size_t reader_length(const Reader *r) { return session_length(r->session, r->id) + r->gone; }

void reader_rewind(Reader *r, size_t length) {
    session_rewind(r->session, r->id, length);
    if (length == 0) r->gone = 0;
}

size_t reader_total(const Sequence *s, const Reader *r) {
    return r->instead ? r->instead->count + s->result.tokens : s->tokens->count;
}

size_t reader_source(const Sequence *s, const Reader *r) {
    const TokenList *list = r->instead ? r->instead : s->tokens;
    return model_source(r->session->model, list->ids, list->count);
}

int32_t reader_token(const Sequence *s, const Reader *r, size_t i) {
    if (!r->instead) return s->tokens->ids[i];
    return i < r->instead->count ? r->instead->ids[i]
                                 : s->tokens->ids[s->step.prompt_count + i - r->instead->count];
}
