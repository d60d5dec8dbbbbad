/* ropes.c - how a model's positions turn, from its keys.  See bind.h. */
#include "bind.h"

#include <math.h>
#include <stdio.h>

size_t trained_ctx(Binder *b) {
    return key_size(b, "rope.scaling.original_context_length", false, b->model->sizes.ctx, 1,
                    KEY_MAX_CTX);
}

/* Longrope: Ding et al. 2024, arXiv:2402.13753.  All of it stands in the two lists of divisors. */
static bool is_long(const Binder *b) {
    const Gguf *g = &b->model->gguf;
    return b->model->recipe->rope_long && (gguf_find_tensor(g, "rope_factors_long.weight") ||
                                           gguf_find_tensor(g, "rope_factors_short.weight"));
}

static RopeScaling read_scaling(Binder *b) {
    Text name = key_text(b, "rope.scaling.type", "linear");
    if (text_equal(name, text_of("none"))) return ROPE_SCALE_NONE;
    if (text_equal(name, text_of("linear"))) return ROPE_SCALE_LINEAR;
    if (text_equal(name, text_of("yarn"))) return ROPE_SCALE_YARN;
    if (is_long(b) && text_equal(name, text_of("longrope"))) return ROPE_SCALE_NONE;
    refuse_key(b, "rope.scaling.type", "none, linear or yarn",
               "no other way to stretch a context is built in");
    return ROPE_SCALE_NONE;
}

/* DeepSeek lets the scores grow, by m^2, and leaves what turns its size: the key has 0.1 mscale_all_dim of the paper's
 * code, m = 1 + key * ln(factor).  Files without the key let both grow. */
static void read_latent_yarn(Binder *b, RopeConfig *c) {
    double key = key_number(b, "rope.scaling.yarn_log_multiplier", false, 0, 0, 10),
           m = 1 + (key > 0 ? key : 0.1) * log(c->factor);
    if (key > 0) c->attn_factor /= 1 + 0.1 * log(c->factor);
    b->model->latent_scale = (float)(m * m);
}

/* The magnitude of YaRN is 1 + 0.1 ln(factor), and what yarn_log_multiplier m (mscale_all_dim in
 * the papers' code) says is divided out again: 1 + 0.1 m ln(factor). */
static void read_yarn(Binder *b, RopeConfig *c) {
    c->beta_fast = key_number(b, "rope.scaling.yarn_beta_fast", false, 32, 1, 1e6);
    c->beta_slow = key_number(b, "rope.scaling.yarn_beta_slow", false, 1, 0.001, c->beta_fast);
    if (b->model->recipe->latents) {
        read_latent_yarn(b, c);
        return;
    }
    if (!b->model->recipe->yarn_multiplier) return;
    double out = key_number(b, "rope.scaling.yarn_log_multiplier", false, 0, 0, 10);
    c->attn_factor /= 1 + 0.1 * out * log(c->factor);
}

/* rope.scale_linear is the old name of rope.scaling.factor. */
static double read_linear(Binder *b) {
    double old = key_number(b, "rope.scale_linear", false, 1, 0.001, 1e4),
           factor = key_number(b, "rope.scaling.factor", false, old, 0.001, 1e4);
    char wanted[40];
    snprintf(wanted, sizeof wanted, "%.9g", factor);
    if (factor != old && find_key(b, "rope.scale_linear"))
        refuse_key(b, "rope.scale_linear", wanted, "rope.scaling.factor says so");
    return factor;
}

static void read_stretching(Binder *b, RopeConfig *c) {
    c->scaling = read_scaling(b);
    bool yarn = c->scaling == ROPE_SCALE_YARN, sized = yarn || is_long(b);
    c->factor = c->scaling == ROPE_SCALE_LINEAR
                    ? read_linear(b)
                    : key_number(b, "rope.scaling.factor", yarn, 1, 1, yarn ? 1e4 : 1);
    c->trained_ctx = (double)trained_ctx(b);
    c->attn_factor = key_number(b, "rope.scaling.attn_factor", false, 1, sized ? 0.001 : 1,
                                sized ? 1000 : 1);
    if (yarn && b->ok) read_yarn(b, c);
}

/* Windowed layers reach no further than they were trained, so some families do not stretch them.
 * YaRN that does not stretch still leaves attn_factor. */
static void for_windows(Binder *b, RopeConfig *c) {
    const Recipe *r = b->model->recipe;
    if (r->window_pattern == 0 && !r->window_listed) return;
    c->theta = key_number(b, "rope.freq_base_swa", false,
                          r->window_theta > 0 ? r->window_theta : c->theta, 2, 1e12);
    if (r->window_stretching != WINDOW_STRETCHED) c->factor = 1;
    if (r->window_stretching == WINDOW_AS_TRAINED) c->scaling = ROPE_SCALE_NONE;
}

/* Hunyuan writes its longer context as an alpha: theta * alpha^(d / (d - 2)), "NTK-aware". */
static void read_alpha(Binder *b, RopeConfig *c) {
    double d = (double)c->rotary, alpha = key_number(b, "rope.scaling.alpha", false, 1, 1, 1e6);
    if (d > 2) c->theta *= pow(alpha, d / (d - 2));
}

/* Pairs of an image's tokens turn by time, height or width; of a text all three are the position,
 * so that every pair turns by it. */
static void check_sections(Binder *b, const RopeConfig *c) {
    const char *key = "rope.dimension_sections";
    const GgufPair *pair = find_key(b, key);
    int64_t section = 0, sum = 0;
    bool ok = pair && pair->type == GGUF_ARRAY && pair->count == 4;
    for (uint64_t i = 0; ok && i < 4; i++)
        ok = gguf_int(pair, i, &section) && section >= 0 && (sum += section) <= 65536;
    if (!ok || section != 0 || (size_t)sum != c->rotary / 2)
        refuse_key(b, key, "four numbers of pairs, the last 0, of all that turn",
                   "text turns every pair by its position here");
    find_key(b, "n_deepstack_layers"); /* of images */
}

/* What turns in layers of one kind: the first that has it says how many numbers. */
static size_t rotary_of(const Model *m, bool windowed) {
    for (size_t l = 0; l < m->sizes.layers; l++)
        if (m->layers[l].heads && (m->layers[l].window > 0) == windowed)
            return m->layers[l].rotary;
    return attention_sizes(m)->rotary;
}

/* A divisor for each pair that turns anywhere; layers that turn fewer use the first. */
static const float *read_divisors(Binder *b) {
    size_t full = rotary_of(b->model, false), windowed = rotary_of(b->model, true);
    return bind_vector(b, "rope_freqs.weight", b->model->recipe->rope_freqs_needed,
                       max_size(full, windowed) / 2, "rope.dimension_count");
}

/* Two ropes in place of one, and the size of what they turn; which, a session's length says. */
static void read_long(Binder *b, RopeConfig *c) {
    Model *m = b->model;
    const char *from = "rope.dimension_count";
    const float *far = bind_vector(b, "rope_factors_long.weight", true, c->rotary / 2, from);
    c->divisors = bind_vector(b, "rope_factors_short.weight", true, c->rotary / 2, from);
    m->long_ctx = key_size(b, "rope.scaling.original_context_length", true, 1, 1, KEY_MAX_CTX);
    RopeConfig longer = *c;
    longer.divisors = far;
    if (!b->ok) return;
    rope_init(&m->ropes[0], c, &m->arena);
    rope_init(&m->ropes[2], &longer, &m->arena);
    m->ropes[0].magnitude = m->ropes[2].magnitude = (float)c->attn_factor;
}

void read_ropes(Binder *b) {
    Model *m = b->model;
    const Recipe *r = m->recipe;
    RopeConfig c = {.style = r->rope, .rotary = rotary_of(m, false), .factor = 1};
    m->latent_scale = 1;
    if (c.style != ROPE_NONE) {
        c.theta = key_number(b, "rope.freq_base", false, 10000, 2, 1e12);
        if (r->rope_alpha) read_alpha(b, &c);
        if (r->rope_sections && c.rotary) check_sections(b, &c);
        read_stretching(b, &c);
        if (r->rope_freqs) c.divisors = read_divisors(b);
    }
    if (!b->ok) return;
    if (is_long(b))
        read_long(b, &c);
    else
        rope_init(&m->ropes[0], &c, &m->arena);
    c.rotary = rotary_of(m, true);
    if (r->rope_freqs_full) c.divisors = NULL;
    for_windows(b, &c);
    if (b->ok) rope_init(&m->ropes[1], &c, &m->arena);
}
