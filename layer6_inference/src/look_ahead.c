/* look_ahead.c - see look_ahead.h. */
#include "look_ahead.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

void look_ahead_open(LookAhead *look, Session *session) {
    *look = (LookAhead){.session = session};
}

void look_ahead_close(LookAhead *look) { free(look->states); }

static void unit(float *out, const float *x, size_t n) {
    float scale = 1 / (sqrtf(dot_f32(x, x, n)) + 1e-20f);
    for (size_t i = 0; i < n; i++) out[i] = x[i] * scale;
}

static float *add_state(LookAhead *look) {
    size_t dim = look->session->model->sizes.dim;
    if (look->count == look->room) {
        look->room = 2 * look->room + 64;
        look->states = realloc(look->states, look->room * dim * sizeof *look->states);
        REQUIRE(look->states, "no memory for %zu hidden states", look->room);
    }
    return look->states + look->count++ * dim;
}

/* One token at a time: the logits of the last call stay in place for the chain. */
bool look_ahead_feed(LookAhead *look, const int32_t *tokens, size_t count, Fault *fault) {
    for (size_t i = 0; i < count; i++) {
        if (!session_feed(look->session, tokens + i, 1, false, fault)) return false;
        unit(add_state(look), look->session->picked, look->session->model->sizes.dim);
    }
    return true;
}

bool look_ahead(void *context, const int32_t *tokens, size_t n, float *similarity) {
    LookAhead *look = context;
    Session *s = look->session;
    size_t dim = s->model->sizes.dim, length = s->kv.length[0];
    float *state = malloc(dim * sizeof *state);
    bool ok = state != NULL;
    for (size_t i = 0; ok && i < n; i++) {
        if (!(ok = session_feed(s, tokens + i, 1, false, &look->fault))) break;
        unit(state, s->picked, dim);
        kv_truncate(&s->kv, 0, length);
        similarity[i] = -1;
        for (size_t k = 0; k < look->count; k++)
            similarity[i] = fmaxf(similarity[i], dot_f32(state, look->states + k * dim, dim));
    }
    free(state);
    return ok;
}
