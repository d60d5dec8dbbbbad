/* runner.c - one model's batch of a step, and what a slot has read.  See take.h. */
#include "take.h"

#include <string.h>

static void runner_layout(ModelRunner *p) {
    size_t n = p->session->max_tokens;
    p->token = arena_take(&p->arena, n, sizeof *p->token);
    p->sequence = arena_take(&p->arena, n, sizeof *p->sequence);
    p->position = arena_take(&p->arena, n, sizeof *p->position);
    p->wanted = arena_take(&p->arena, n, sizeof *p->wanted);
    p->used = arena_take(&p->arena, p->session->kv.config.sequences, sizeof *p->used);
}

bool runner_open(ModelRunner *p, Session *session, Fault *fault) {
    *p = (ModelRunner){.session = session};
    arena_measure(&p->arena);
    runner_layout(p);
    if (!arena_init(&p->arena, p->arena.used, fault)) return false;
    runner_layout(p);
    memset(p->used, 0, session->kv.config.sequences * sizeof *p->used);
    session_reset(session);
    return true;
}

size_t runner_room(const ModelRunner *p) {
    size_t max =
        p->session->max_tokens < PREFILL_BATCH ? p->session->max_tokens : PREFILL_BATCH;
    return max - p->count;
}

void runner_push(ModelRunner *p, size_t id, int32_t token, size_t position, bool wanted) {
    p->token[p->count] = token, p->sequence[p->count] = (int32_t)id;
    p->position[p->count] = (int32_t)position, p->wanted[p->count] = wanted;
    p->count++, p->rows += wanted;
}

bool engine_forward(Engine *e, size_t number, Fault *fault) {
    PROFILE("forward");
    ModelRunner *p = &e->runners[number];
    if (e->hooks.before_forward) e->hooks.before_forward(e, number);
    const Batch batch = {p->count, p->token, p->sequence, p->position, p->wanted, p->input};
    if (p->count && !model_forward(p->session, &batch, fault)) return false;
    if (e->hooks.after_forward) e->hooks.after_forward(e, number);
    return true;
}

float *slot_row(const Slot *r) {
    return r->session->logits + (r->row + r->rows - 1) * r->session->model->sizes.vocab;
}

size_t slot_length(const Slot *r) { return session_length(r->session, r->id) + r->gone; }

size_t slot_kept(const Slot *r) {
    size_t length = session_length(r->session, r->id);
    return r->gone ? min_size(length, r->kept) : length;
}

void slot_rewind(Slot *r, size_t length) {
    session_rewind(r->session, r->id, length);
    if (length == 0) r->gone = 0;
}

size_t slot_total(const Sequence *s, const Slot *r) {
    return r->instead ? r->instead->count + s->result.tokens : s->tokens->count;
}

int32_t slot_token(const Sequence *s, const Slot *r, size_t i) {
    if (!r->instead) return s->tokens->ids[i];
    return i < r->instead->count ? r->instead->ids[i]
                                 : s->tokens->ids[s->step.prompt_count + i - r->instead->count];
}
