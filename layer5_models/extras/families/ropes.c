/* ropes.c - other ropes than a plain decoder's.  See parts.h. */
#include "families/parts.h"

#include <string.h>

#include <math.h>

/* Longrope, Ding et al. 2024, arXiv:2402.13753: two lists of divisors. */
static bool is_long(const Binder *b) {
    const Gguf *g = &b->model->gguf;
    return quirks_in(b)->rope_long && (gguf_find_tensor(g, "rope_factors_long.weight") ||
                                       gguf_find_tensor(g, "rope_factors_short.weight"));
}

/* DeepSeek scales the scores by m^2 and not the rotated vectors: the key is 0.1 mscale_all_dim
 * of the paper's code, m = 1 + key * ln(factor).  Without the key both are scaled.
 *
 * Elsewhere YaRN's magnitude is 1 + 0.1 ln(factor), divided by 1 + 0.1 m ln(factor) with m =
 * yarn_log_multiplier (mscale_all_dim in the papers' code). */
static void read_multiplier(Binder *b, RopeConfig *c) {
    const Quirks *q = quirks_in(b);
    if (c->scaling != ROPE_SCALE_YARN || !b->ok || !(q->latents || q->yarn_multiplier)) return;
    double key = key_number(b, "rope.scaling.yarn_log_multiplier", 0, 0, 10),
           m = 1 + (key > 0 ? key : 0.1) * log(c->factor);
    if (!q->latents) {
        c->attn_factor /= 1 + 0.1 * key * log(c->factor);
        return;
    }
    if (key > 0) c->attn_factor /= 1 + 0.1 * log(c->factor);
    extras_of(b)->latent_scale = (float)(m * m);
}

static void scale_more_ropes(Binder *b, RopeConfig *c) {
    const bool lists = is_long(b);
    Text name = key_text(b, "rope.scaling.type", "linear");
    c->scaling =
        lists && text_equal(name, text_of("longrope")) ? ROPE_SCALE_NONE : read_scaling(b);
    read_scale_factor(b, c, lists || c->scaling == ROPE_SCALE_YARN);
    read_multiplier(b, c);
}

/* Hunyuan's longer context: theta * alpha^(d / (d - 2)), "NTK-aware". */
static void read_alpha(Binder *b, RopeConfig *c) {
    double d = (double)c->rotary, alpha = key_number(b, "rope.scaling.alpha", 1, 1, 1e6);
    if (d > 2) c->theta *= pow(alpha, d / (d - 2));
}

/* Of pair i: 0 time, 1 row, 2 column. */
static unsigned char axis_of(RopeSections sections, const int64_t count[4], int64_t i) {
    const int64_t turn = i % 3;
    if (sections == SECTIONS_MIXED) return (unsigned char)(i < 3 * count[turn] ? turn : 0);
    return i < count[0] ? 0 : i < count[0] + count[1] ? 1 : 2;
}

/* How many pairs rotate by what, in pictures.  HunyuanOCR has four things, and counts a text's
 * tokens in all of them (its class in transformers; llama.cpp leaves the fourth at 0). */
static void read_sections(Binder *b, const RopeConfig *c, bool four, int64_t count[4]) {
    const char *key = "rope.dimension_sections";
    const GgufPair *pair = find_key(b, key);
    int64_t sum = 0;
    bool ok = pair && pair->type == GGUF_ARRAY && pair->count == 4;
    if (four && !pair) return;
    for (uint64_t i = 0; ok && i < 4; i++)
        ok = gguf_int(pair, i, &count[i]) && count[i] >= 0 && (sum += count[i]) <= 65536;
    if (!ok || (count[3] != 0 && !four) || (size_t)sum != c->rotary / 2)
        refuse_key(b, key,
                   four ? "four numbers of pairs, of all that rotate"
                        : "four numbers of pairs, the last 0, of all that rotate",
                   "in text every pair is rotated by the token's position");
}

/* Pairs of a picture's token rotate by its time, row or column; in text all three are the
 * position. */
static const unsigned char *read_axes(Binder *b, const RopeConfig *c) {
    int64_t count[4] = {0};
    read_sections(b, c, false, count);
    b->model->extras->deep = key_size(b, "n_deepstack_layers", 0, 0, b->model->sizes.layers);
    unsigned char *axis = arena_take(&b->model->arena, c->rotary / 2, 1);
    for (size_t i = 0; axis && b->ok && i < c->rotary / 2; i++)
        axis[i] = axis_of(quirks_in(b)->rope_sections, count, (int64_t)i);
    return axis;
}

/* Two ropes, and the magnitude of rotated vectors; the session's length decides. */
static void read_long(Binder *b, RopeConfig *c) {
    Model *m = b->model;
    ModelExtras *x = m->extras;
    const char *from = "rope.dimension_count";
    RopeConfig longer = *c;
    longer.divisors = bind_vector(b, "rope_factors_long.weight", true, c->rotary / 2, from);
    c->divisors = bind_vector(b, "rope_factors_short.weight", true, c->rotary / 2, from);
    x->long_ctx = need_size(b, "rope.scaling.original_context_length", 1, KEY_MAX_CTX);
    if (!b->ok) return;
    rope_init(&m->ropes[0], c, &m->arena);
    rope_init(&x->long_rope, &longer, &m->arena);
    m->ropes[0].magnitude = x->long_rope.magnitude = (float)c->attn_factor;
}

bool model_choose_rope(Model *model, const char *which, Fault *fault) {
    static const char *const words[] = {
        [ROPE_BY_LENGTH] = "auto", [ROPE_SHORT] = "short", [ROPE_LONG] = "long"};
    int i = 0;
    while (i < 3 && strcmp(words[i], which) != 0) i++;
    if (i == 3) return fault_set(fault, "'%.40s' is not auto, short or long", which);
    if (model_extras(model)->long_ctx) return model->extras->long_choice = (RopeChoice)i, true;
    return i == ROPE_BY_LENGTH ||
           fault_set(fault, "this model has one list of rotary positions, not longrope's two");
}

void read_more_ropes(Binder *b) {
    Model *m = b->model;
    const Quirks *q = quirks_in(b);
    RopeConfig c = {.style = m->recipe->rope, .rotary = rotary_of(m, false), .factor = 1};
    const unsigned char *axis = NULL;
    if (c.style != ROPE_NONE) {
        c.theta = key_number(b, "rope.freq_base", 10000, 2, 1e12);
        if (q->rope_alpha) read_alpha(b, &c);
        if (q->rope_sections && c.rotary) axis = read_axes(b, &c);
        if (q->text_sections && c.rotary) read_sections(b, &c, true, (int64_t[4]){0});
        scale_more_ropes(b, &c);
        if (m->recipe->rope_freqs) c.divisors = read_divisors(b, q->rope_freqs_needed);
    }
    if (!b->ok) return;
    if (is_long(b))
        read_long(b, &c);
    else
        rope_init(&m->ropes[0], &c, &m->arena);
    m->ropes[0].axis = axis;
    if (q->rope_freqs_full) c.divisors = NULL;
    read_window_rope(b, &c);
    place_ropes(b);
}
