/* runner.c - one model's batch of a step, and what a slot has read.  See take.h. */
#include "take.h"

#include <string.h>

static void runner_layout(ModelRunner *runner) {
    size_t n = runner->session->max_tokens;
    runner->token = arena_take(&runner->arena, n, sizeof *runner->token);
    runner->sequence = arena_take(&runner->arena, n, sizeof *runner->sequence);
    runner->position = arena_take(&runner->arena, n, sizeof *runner->position);
    runner->wanted = arena_take(&runner->arena, n, sizeof *runner->wanted);
    runner->used =
        arena_take(&runner->arena, runner->session->kv.config.sequences, sizeof *runner->used);
}

bool runner_open(ModelRunner *runner, Session *session, Fault *fault) {
    *runner = (ModelRunner){.session = session};
    arena_measure(&runner->arena);
    runner_layout(runner);
    if (!arena_init(&runner->arena, runner->arena.used, fault)) return false;
    runner_layout(runner);
    memset(runner->used, 0, session->kv.config.sequences * sizeof *runner->used);
    session_reset(session);
    return true;
}

size_t runner_room(const ModelRunner *runner) {
    size_t max = runner->session->max_tokens < PREFILL_BATCH ? runner->session->max_tokens
                                                             : PREFILL_BATCH;
    return max - runner->count;
}

void runner_push(ModelRunner *runner, size_t id, int32_t token, size_t position, bool wanted) {
    runner->token[runner->count] = token, runner->sequence[runner->count] = (int32_t)id;
    runner->position[runner->count] = (int32_t)position, runner->wanted[runner->count] = wanted;
    runner->count++, runner->rows += wanted;
}

bool engine_forward(Engine *e, size_t number, Fault *fault) {
    PROFILE("forward");
    ModelRunner *runner = &e->runners[number];
    if (e->hooks.before_forward) e->hooks.before_forward(e, number);
    const Batch batch = {runner->count,    runner->token,  runner->sequence,
                         runner->position, runner->wanted, runner->input};
    if (runner->count && !session_forward(runner->session, &batch, fault)) return false;
    if (e->hooks.after_forward) e->hooks.after_forward(e, number);
    return true;
}

float *slot_row(const Slot *slot) {
    return slot->session->logits +
           (slot->row + slot->rows - 1) * slot->session->model->sizes.vocab;
}

size_t slot_length(const Slot *slot) {
    return session_length(slot->session, slot->id) + slot->dropped;
}

size_t slot_kept(const Slot *slot) {
    size_t length = session_length(slot->session, slot->id);
    return slot->dropped ? min_size(length, slot->sink_tokens) : length;
}

void slot_rewind(Slot *slot, size_t length) {
    session_rewind(slot->session, slot->id, length);
    if (length == 0) slot->dropped = 0;
}

size_t slot_total(const Sequence *s, const Slot *slot) {
    return slot->instead ? slot->instead->count + s->result.tokens : s->tokens->count;
}

int32_t slot_token(const Sequence *s, const Slot *slot, size_t i) {
    if (!slot->instead) return s->tokens->ids[i];
    return i < slot->instead->count
               ? slot->instead->ids[i]
               : s->tokens->ids[s->step.prompt_count + i - slot->instead->count];
}
