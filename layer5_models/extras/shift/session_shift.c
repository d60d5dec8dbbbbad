/* session_shift.c - cut old positions out of a sequence.  See families.h and shift.h. */
#include "families.h"
#include "layers_elsewhere.h"
#include "shift.h"

/* A gain after the rotation differs per number, so rotating back cannot undo it. */
static bool is_stretched(const Attention *a) {
    return a->norm_after_rope && a->k_norm.kind && (a->k_norm.gain || a->k_norm.bias);
}

bool session_can_shift(const Session *s, Fault *fault) {
    const Model *m = s->model;
    if (model_extras(m)->encoder)
        return fault_set(fault, "this model's text looks at a source, which is not cut");
    if (m->positions.data)
        return fault_set(fault, "this model has learned positions: "
                                "what was read cannot be moved");
    if (s->kv.snapshots)
        return fault_set(fault,
                         "this model has recurrent layers: a state forgets no single token");
    if (s->extras->placed.places)
        return fault_set(fault, "this model gives pictures places of their own: what stands "
                                "behind one cannot be moved");
    for (size_t l = 0; l < m->sizes.layers; l++)
        if (m->blocks[l].extras && m->blocks[l].extras->mla.index.heads)
            return fault_set(fault,
                             "this model's indexer keeps keys of its own beside those of "
                             "attention: they are not rotated");
    for (size_t l = 0; l < m->sizes.layers; l++)
        if (is_stretched(&m->blocks[l].attention))
            return fault_set(fault, "this model stretches its keys after it has rotated them: "
                                    "they cannot be rotated back");
    return true;
}

bool session_shift(Session *s, size_t sequence, size_t keep, size_t gone) {
    if (!shift_pages(&s->kv, sequence, keep, gone)) return false;
    if (s->extras->elsewhere) return layers_elsewhere->shift(s, sequence, keep, gone), true;
    for (size_t l = 0; l < s->model->sizes.layers; l++) {
        const ShiftRope turn = shift_rope(&s->model->blocks[l], session_rope(s, l),
                                          &s->kv.shape[l], &s->run, s->extras->key);
        shift_keys(&s->kv, l, sequence, keep, gone, &turn);
    }
    return true;
}
