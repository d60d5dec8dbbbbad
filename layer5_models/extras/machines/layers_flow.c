/* layers_flow.c - a batch on its way through all machines' layers.  See machines.h.
 *
 *     tick               0     1     2     3     4
 *     machine 1          a     b     c     d             parts a, b, c, d of a batch; each
 *     machine 2                a     b     c     d       comes back before the next tick */
#include "share_layers.h"
#include "size.h"

#include <string.h>

/* One batch on its way through all machines. */
typedef struct Flow {
    Machines *m;
    SharedLayers *c;
    Session *s;
    const Batch *batch;
    size_t parts, last, stages; /* parts from `last` on never begin; machines with layers */
    int member[GROUP_MAX];
    bool cancelled;
    Fault *fault;
} Flow;

/* Must all rows of a text be in one part, because they see each other? */
static bool needs_whole_texts(const Session *s) {
    return s->kv.n_groups || model_extras(s->model)->quirks->bidirectional;
}

size_t count_parts(size_t stages, size_t rows) {
    enum { ROWS = 16 };
    return stages < 2 ? 1 : min_size(min_size(4 * stages, max_size(2, rows / ROWS)), rows);
}

/* Where part `part` begins. */
static size_t part_begin(const Flow *f, size_t part) {
    const Batch *b = f->batch;
    size_t at = b->count * part / f->parts;
    while (needs_whole_texts(f->s) && at && at < b->count &&
           b->sequence[at] == b->sequence[at - 1])
        at++;
    return at;
}

static Batch part_of(const Flow *f, size_t part) {
    const size_t begin = part_begin(f, part);
    return (Batch){.count = part_begin(f, part + 1) - begin,
                   .sequence = f->batch->sequence + begin,
                   .position = f->batch->position + begin};
}

static float *rows_of(const Flow *f, size_t part) {
    return f->s->x + part_begin(f, part) * f->s->model->sizes.stream;
}

static size_t width_of(const Flow *f) { return f->s->model->sizes.stream; }

/* Is a part at a stage in this tick? */
static bool is_there(const Flow *f, size_t tick, size_t stage, size_t *part) {
    *part = tick - stage;
    return tick >= stage && *part < f->last && part_of(f, *part).count > 0;
}

static bool begin_part(Flow *f, size_t part) {
    f->m->count.parts++;
    const Session *s = f->s;
    const Batch batch = part_of(f, part);
    const int32_t(*places)[3] = s->extras->placed.places;
    if (places) places += part_begin(f, part);
    return write_part(&f->c->orders[part % f->stages], f->c, s, &batch, places, f->fault);
}

static bool send_part(Flow *f, size_t part, size_t stage) {
    GroupMessage *o = &f->c->orders[part % f->stages];
    const size_t before = o->size;
    const bool ok = message_add_rows(o, f->m->config.half, rows_of(f, part),
                                     part_of(f, part).count, width_of(f), f->fault) &&
                    send_message(f->m, f->member[stage], o, f->fault);
    o->size = before;
    return ok;
}

/* This machine's layers of a part. */
static bool compute_part(Flow *f, size_t part) {
    const GroupMessage *o = &f->c->orders[part % f->stages];
    PassRows rows;
    if (!held_read(&f->c->own, o->bytes, o->size, &rows))
        return fault_set(f->fault, "an order that is cut off");
    held_forward(&f->c->own, &rows, rows_of(f, part));
    return true;
}

static bool take_part(Flow *f, size_t part, size_t stage) {
    Machines *m = f->m;
    const size_t rows = part_of(f, part).count;
    const bool half = m->config.half;
    const int member = f->member[stage];
    bool ok = take_answer(m, member, wire_bytes(half, rows, width_of(f)), f->fault);
    if (ok)
        wire_read(half, m->answer.bytes + sizeof(uint32_t), rows, width_of(f),
                  rows_of(f, part));
    return ok;
}

static bool run_tick(Flow *f, size_t tick) {
    size_t part;
    const bool begins = is_there(f, tick, 0, &part);
    if (begins && !begin_part(f, part)) return false;
    for (size_t k = 1; k < f->stages; k++)
        if (is_there(f, tick, k, &part) && !send_part(f, part, k)) return false;
    if (begins && !compute_part(f, tick)) return false;
    for (size_t k = 1; k < f->stages; k++)
        if (is_there(f, tick, k, &part) && !take_part(f, part, k)) return false;
    return true;
}

/* A cancelled batch begins no further part; those that have begun go on to the end. */
static void ask_whether_wanted(Flow *f, size_t tick) {
    if (f->cancelled || tick >= f->last || !f->s->is_wanted) return;
    f->cancelled = !f->s->is_wanted(f->s->context);
    if (f->cancelled) f->last = tick;
}

static bool run_flow(Flow *f) {
    for (int i = 0; i < f->m->config.group->size; i++)
        if (layers_of(f->m, f->c, i)) f->member[f->stages++] = i;
    f->parts = f->last = count_parts(f->stages, f->batch->count);
    for (size_t tick = 0; tick < f->last + f->stages - 1; tick++) {
        ask_whether_wanted(f, tick);
        if (!run_tick(f, tick)) return false;
    }
    return true;
}

bool layers_run(Machines *m, SharedLayers *c, Session *s, const Batch *batch, bool *cancelled,
                Fault *fault) {
    Flow f = {.m = m, .c = c, .s = s, .batch = batch, .fault = fault};
    const bool ok = (c->session.opened || open_held(m, c, s, fault)) && run_flow(&f);
    return *cancelled = f.cancelled, ok;
}
