/* session_probe.c - attach a probe: does the model have everything it names?  See
 * session_probe.h. */
#include "session_probe.h"

#include <math.h>

/* Max scale: the squares of larger numbers approach the range of a float. */
static const float MOST = 1e6f;

/* "layer 3 has 8 heads": what an act counts. */
typedef struct Counted {
    const char *name;
    size_t count;
} Counted;

static Counted counted_by(const Session *s, ActKind kind, size_t layer) {
    const Block *b = &s->model->blocks[layer];
    switch (kind) {
    case ACT_HEAD:
    case ACT_HEAT:
        return (Counted){"heads", b->attention.o.w.data ? b->attention.shape.heads : 0};
    case ACT_NEURON:
        return (Counted){"neurons", b->ffn.net.up.w.data ? b->ffn.net.up.w.shape[0] : 0};
    case ACT_PATCH: return (Counted){"positions", session_ctx(s)};
    case ACT_LAYER: break;
    }
    return (Counted){"layer", 1};
}

static bool check_value(const Act *act, Fault *fault) {
    if (act->kind == ACT_PATCH) {
        REQUIRE(act->row, "a patch has no row");
        return true;
    }
    if (act->kind == ACT_HEAT && !(act->value >= 1 / MOST && act->value <= MOST))
        return fault_set(fault, "attention at a temperature of %g: wanted %g to %g",
                         (double)act->value, (double)(1 / MOST), (double)MOST);
    if (act->kind != ACT_HEAT && !(fabsf(act->value) <= MOST))
        return fault_set(fault, "a scale of %g: wanted -%g to %g, where no sum overflows",
                         (double)act->value, (double)MOST, (double)MOST);
    return true;
}

static bool check_act(const Session *s, const Act *act, Fault *fault) {
    size_t layers = s->model->sizes.layers, known = 0;
    if (act->layer != ACT_ALL && act->layer >= layers)
        return fault_set(fault, "there is no layer %zu: the model has 0 to %zu", act->layer,
                         layers - 1);
    if (!check_value(act, fault)) return false;
    for (size_t l = 0; l < layers; l++) {
        if (act->layer != ACT_ALL && act->layer != l) continue;
        Counted of = counted_by(s, act->kind, l);
        if (act->index == ACT_ALL ? of.count > 0 : act->index < of.count)
            known++;
        else if (act->layer == l)
            return fault_set(fault, "layer %zu has %zu %s, counted from 0: there is no %zu", l,
                             of.count, of.name, act->index == ACT_ALL ? 0 : act->index);
    }
    return known || fault_set(fault, "no layer of the model has what is to be changed");
}

static bool is_expected;

void session_expect_probe(bool expected) { is_expected = expected; }

bool session_expects_probe(void) { return is_expected; }

/* Are there keys of all heads? */
static bool has_all_heads(const Session *s) {
    for (size_t l = 0; l < s->model->sizes.layers; l++)
        if (s->kv.shape[l].kv_heads && s->kv.shape[l].kv_heads < s->model->layers[l].kv_heads)
            return false;
    return true;
}

bool session_probe(Session *s, Probe *probe, Fault *fault) {
    if (probe && s->extras->elsewhere)
        return fault_set(fault, "this session's layers are on several machines: a probe needs "
                                "all of them on one");
    if (probe && !has_all_heads(s))
        return fault_set(fault, "this session's heads are shared among machines: a probe needs "
                                "all of them on one");
    if (probe && model_extras(s->model)->encoder)
        return fault_set(fault,
                         "a look inside a %s model is not built: its layers read two texts",
                         s->model->recipe->arch);
    for (size_t i = 0; probe && i < probe->count; i++)
        if (!check_act(s, &probe->acts[i], fault)) return false;
    s->run.probe = probe;
    return true;
}
