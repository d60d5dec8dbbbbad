/* look_ahead.c - see look_ahead.h. */
#include "look_ahead.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

bool look_ahead_open(LookAhead *look, Session *session, Fault *fault) {
    *look = (LookAhead){.session = session,
                        .next = malloc(session->model->sizes.dim * sizeof *look->next)};
    return look->next || fault_set(fault, "no memory for a hidden state");
}

void look_ahead_close(LookAhead *look) { free(look->states), free(look->next); }

static void unit(float *out, const float *x, size_t n) {
    float scale = 1 / (sqrtf(dot_f32(x, x, n)) + 1e-20f);
    for (size_t i = 0; i < n; i++) out[i] = x[i] * scale;
}

static bool add_state(LookAhead *look, Fault *fault) {
    size_t dim = look->session->model->sizes.dim;
    if (look->count == look->room) {
        size_t room = 2 * look->room + 64;
        float *states = realloc(look->states, room * dim * sizeof *states);
        if (!states) return fault_set(fault, "no memory for %zu hidden states", room);
        look->states = states, look->room = room;
    }
    unit(look->states + look->count++ * dim, look->session->hidden, dim);
    return true;
}

/* One token at a time: the logits of the last call stay in place for the chain. */
bool look_ahead_feed(LookAhead *look, const int32_t *tokens, size_t count, Fault *fault) {
    for (size_t i = 0; i < count; i++)
        if (!session_feed(look->session, tokens + i, 1, false, fault) ||
            !add_state(look, fault))
            return false;
    return true;
}

bool look_ahead(void *context, const int32_t *tokens, size_t n, float *similarity) {
    LookAhead *look = context;
    Session *s = look->session;
    size_t dim = s->model->sizes.dim, length = session_length(s, 0);
    for (size_t i = 0; i < n; i++) {
        if (!session_feed(s, tokens + i, 1, false, &look->fault)) return false;
        unit(look->next, s->hidden, dim);
        session_rewind(s, 0, length);
        similarity[i] = -1;
        for (size_t k = 0; k < look->count; k++)
            similarity[i] =
                fmaxf(similarity[i], dot_f32(look->next, look->states + k * dim, dim));
    }
    return true;
}
