/* bounds.c - maps whose inputs and outputs are held between bounds: Gemma 4's small models.
 * See parts.h.
 *
 *     x --hold: input_min to input_max--> W --hold: output_min to output_max--> y
 *
 * Source   the published code (Gemma4ClippableLinear): arithmetic of few bits needs bounds in
 *          training */
#include "vision/parts.h"

#include <math.h>
#include <stdio.h>

typedef struct Bounds {
    LinearOwn own; /* first: the map points to it */
    const VisionTower *tower;
    float in[2], out[2];
} Bounds;

static void hold(float *y, const float *x, size_t n, const float bounds[2]) {
    for (size_t i = 0; i < n; i++) {
        const float least = x[i] < bounds[0] ? bounds[0] : x[i];
        y[i] = least > bounds[1] ? bounds[1] : least;
    }
}

static void bounded_rows(const LinearOwn *own, Pool *pool, const LinearProduct *p,
                         const float *x, void *scratch) {
    const Bounds *b = (const void *)own;
    const size_t in = p->map->w.shape[1], out = p->map->w.shape[0];
    float *held = b->tower->held;
    Linear plain = *p->map;
    plain.own = NULL;
    hold(held, x + p->first * in, p->n * in, b->in);
    linear(pool, &plain, held, p->n, p->y, scratch);
    hold(p->y, p->y, p->n * out, b->out);
}

/* A bound of the map, or `none`. */
static float bound(Binder *b, const char *map, const char *which, float none, size_t *found) {
    char name[96];
    snprintf(name, sizeof name, "%s.%s", map, which);
    const float *number = bind_vector(b, name, false, 1, "the rule that a bound is one number");
    if (!number) return none;
    ++*found;
    return *number;
}

static bool are_bounds(Binder *b, const char *map, const char *what, const float bounds[2]) {
    return bounds[0] <= bounds[1] ||
           (b->ok = fault_set(b->fault,
                              "tensors '%s.%s_min' and _max are %g and %g: wanted two numbers, "
                              "the first not above the second",
                              map, what, (double)bounds[0], (double)bounds[1]));
}

void bind_bounds(Binder *b, const char *name, Linear *map) {
    VisionTower *s = &extras_of(b)->vision;
    Bounds own = {.own = {bounded_rows}, .tower = s};
    size_t found = 0;
    own.in[0] = bound(b, name, "input_min", -INFINITY, &found);
    own.in[1] = bound(b, name, "input_max", INFINITY, &found);
    own.out[0] = bound(b, name, "output_min", -INFINITY, &found);
    own.out[1] = bound(b, name, "output_max", INFINITY, &found);
    if (!b->ok || !found || !map->w.data || !are_bounds(b, name, "input", own.in) ||
        !are_bounds(b, name, "output", own.out))
        return;
    Bounds *kept = arena_take(&b->model->arena, 1, sizeof *kept);
    s->held_width = max_size(s->held_width, map->w.shape[1]);
    if (!kept) return; /* while the arena measures */
    *kept = own;
    map->own = &kept->own;
}

void bind_block_bounds(Binder *b, Block *block, size_t layer) {
    Attention *a = &block->attention;
    Network *net = &block->ffn.net;
    const struct {
        const char *name;
        Linear *map;
    } maps[] = {{"attn_q", &a->q},       {"attn_k", &a->k},        {"attn_v", &a->v},
                {"attn_out", &a->o},     {"ffn_gate", &net->gate}, {"ffn_up", &net->up},
                {"ffn_down", &net->down}};
    for (size_t i = 0; i < sizeof maps / sizeof *maps; i++) {
        char name[80];
        snprintf(name, sizeof name, "v.blk.%zu.%s", layer, maps[i].name);
        bind_bounds(b, name, maps[i].map);
    }
}
