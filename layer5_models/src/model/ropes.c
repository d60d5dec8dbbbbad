/* ropes.c - a model's rotary positions, from its keys.  See bind.h. */
#include "bind.h"

#include <math.h>
#include <stdio.h>

size_t trained_ctx(Binder *b) {
    return key_size(b, "rope.scaling.original_context_length", b->model->sizes.ctx, 1,
                    KEY_MAX_CTX);
}

RopeScaling read_scaling(Binder *b) {
    Text name = key_text(b, "rope.scaling.type", "linear");
    if (text_equal(name, text_of("none"))) return ROPE_SCALE_NONE;
    if (text_equal(name, text_of("linear"))) return ROPE_SCALE_LINEAR;
    if (text_equal(name, text_of("yarn"))) return ROPE_SCALE_YARN;
    refuse_key(b, "rope.scaling.type", "none, linear or yarn",
               "other kinds of rope scaling are not built in");
    return ROPE_SCALE_NONE;
}

/* rope.scale_linear is the old name of rope.scaling.factor. */
static double read_linear(Binder *b) {
    double old = key_number(b, "rope.scale_linear", 1, 0.001, 1e4),
           factor = key_number(b, "rope.scaling.factor", old, 0.001, 1e4);
    char wanted[40];
    snprintf(wanted, sizeof wanted, "%.9g", factor);
    if (factor != old && find_key(b, "rope.scale_linear"))
        refuse_key(b, "rope.scale_linear", wanted, "rope.scaling.factor says so");
    return factor;
}

void read_scale_factor(Binder *b, RopeConfig *c, bool sized) {
    bool yarn = c->scaling == ROPE_SCALE_YARN;
    c->factor = c->scaling == ROPE_SCALE_LINEAR ? read_linear(b)
                : yarn                          ? need_number(b, "rope.scaling.factor", 1, 1e4)
                                                : key_number(b, "rope.scaling.factor", 1, 1, 1);
    c->trained_ctx = (double)trained_ctx(b);
    c->attn_factor =
        key_number(b, "rope.scaling.attn_factor", 1, sized ? 0.001 : 1, sized ? 1000 : 1);
    if (!yarn || !b->ok) return;
    c->beta_fast = key_number(b, "rope.scaling.yarn_beta_fast", 32, 1, 1e6);
    c->beta_slow = key_number(b, "rope.scaling.yarn_beta_slow", 1, 0.001, c->beta_fast);
}

size_t rotary_of(const Model *m, bool windowed) {
    for (size_t l = 0; l < m->sizes.layers; l++)
        if (m->layers[l].heads && (m->layers[l].window > 0) == windowed)
            return m->layers[l].rotary;
    return attention_sizes(m)->rotary;
}

const float *read_divisors(Binder *b, bool required) {
    size_t full = rotary_of(b->model, false), windowed = rotary_of(b->model, true);
    return bind_vector(b, "rope_freqs.weight", required, max_size(full, windowed) / 2,
                       "rope.dimension_count");
}

/* Windowed layers reach no further than in training, so some families do not scale them;
 * WINDOW_ROPE_UNSCALED still has YaRN's attn_factor. */
void read_window_rope(Binder *b, RopeConfig *c) {
    const Recipe *r = b->model->recipe;
    c->rotary = rotary_of(b->model, true);
    if (r->window_pattern || r->window_theta > 0) {
        c->theta = key_number(b, "rope.freq_base_swa",
                              r->window_theta > 0 ? r->window_theta : c->theta, 2, 1e12);
        if (r->window_rope != WINDOW_ROPE_SCALED) c->factor = 1;
        if (r->window_rope == WINDOW_ROPE_AS_TRAINED) c->scaling = ROPE_SCALE_NONE;
    }
    if (b->ok) rope_init(&b->model->ropes[1], c, &b->model->arena);
}

void read_ropes(Binder *b) {
    Model *m = b->model;
    const Recipe *r = m->recipe;
    RopeConfig c = {.style = r->rope, .rotary = rotary_of(m, false), .factor = 1};
    if (c.style != ROPE_NONE) {
        c.theta = key_number(b, "rope.freq_base", 10000, 2, 1e12);
        c.scaling = read_scaling(b);
        read_scale_factor(b, &c, c.scaling == ROPE_SCALE_YARN);
        if (r->rope_freqs) c.divisors = read_divisors(b, false);
    }
    if (!b->ok) return;
    rope_init(&m->ropes[0], &c, &m->arena);
    read_window_rope(b, &c);
}
