/* session_lent.c - what hangs on a session: rows that are lent to it, and rows that are taken
 * from it.  See families.h. */
#include "families/parts.h"

/* A plain decoder comes here only with lent or tapped rows, or with layers elsewhere. */
static void choose_way(Session *s) {
    const SessionExtras *x = s->extras;
    s->hooks = x->tap.count || x->n_rows || x->elsewhere ? &more_hooks : s->model->hooks;
}

void session_tap(Session *s, const size_t *layers, size_t count, float *rows) {
    s->extras->tap.layers = layers, s->extras->tap.count = count, s->extras->tap.rows = rows;
    choose_way(s);
}

size_t session_group(const Session *s, int32_t token, size_t *left) {
    const SessionExtras *x = s->extras;
    const bool in = x->group && (size_t)token >= s->model->sizes.vocab;
    const size_t row = in ? (size_t)token - s->model->sizes.vocab : 0,
                 picture = in ? row / x->group : 0, at = in ? row % x->group : 0;
    const bool own = x->grid && x->grid_rows == x->group; /* each picture has its own size */
    *left = !in ? 0 : (own ? x->grid[picture][0] * x->grid[picture][1] : x->group) - at;
    return at;
}

/* Can rows of a batch see each other, `together` of them at a time? */
static bool check_together(const Session *s, size_t together, Fault *fault) {
    const Model *m = s->model;
    if (together > s->max_tokens)
        return fault_set(fault,
                         "a picture's %zu rows see each other, and a batch has %zu tokens: "
                         "give it more",
                         together, s->max_tokens);
    for (size_t l = 0; l < m->sizes.layers && together; l++) {
        const LayerSizes *z = &m->layers[l];
        if (block_state(&m->blocks[l]) || (z->extras && z->extras->latent))
            return fault_set(fault,
                             "a picture's rows see each other, and layer %zu of the %s model "
                             "reads from left to right: the mmproj file belongs to another "
                             "model",
                             l, m->recipe->arch);
        if (z->window && z->window < together)
            return fault_set(fault,
                             "a picture's %zu rows see each other, and layer %zu of the model "
                             "sees %zu positions: the mmproj file belongs to another model",
                             together, l, z->window);
    }
    return true;
}

bool session_lend(Session *s, const float *rows, size_t count, size_t together, Fault *fault) {
    const ModelExtras *m = model_extras(s->model);
    if (m->encoder || m->quirks->bidirectional)
        return fault_set(fault, "a %s model reads no pictures: it does not go on with a text",
                         s->model->recipe->arch);
    if (!check_together(s, together, fault)) return false;
    s->extras->rows = rows, s->extras->n_rows = count;
    s->extras->group = together, s->group_of = together ? session_group : NULL;
    choose_way(s);
    return true;
}

size_t session_lent_width(const Model *m) { return m->sizes.dim * (1 + model_extras(m)->deep); }

size_t tokens_of(const Session *s) { return s->model->sizes.vocab + s->extras->n_rows; }

/* Each picture of the batch, or what is left of it: its rows see each other, so its last row
 * must be in the batch. */
bool see_groups(Session *s, const Batch *batch, Fault *fault) {
    s->kv.groups = s->extras->groups, s->kv.n_groups = 0;
    for (size_t i = 0, left; batch->token && s->group_of && i < batch->count;
         i += max_size(left, 1)) {
        const size_t sequence = (size_t)batch->sequence[i], begin = (size_t)batch->position[i];
        session_group(s, batch->token[i], &left);
        if (!left) continue;
        if (i + left > batch->count || (size_t)batch->sequence[i + left - 1] != sequence)
            return fault_set(fault,
                             "a picture's rows see each other, and a batch has not all of "
                             "the %zu from row %zu on",
                             left, i);
        size_t *group = s->extras->groups[s->kv.n_groups++];
        group[0] = sequence, group[1] = begin, group[2] = begin + left;
    }
    return true;
}

size_t layer_groups(const Model *m, size_t l, size_t count) {
    return model_extras(m)->quirks->groups_in_windows && !m->layers[l].window ? 0 : count;
}
