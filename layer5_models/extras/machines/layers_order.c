/* layers_order.c - what the first machine says of rows that pass through all machines' layers.
 * See held_layers.h. */
#include "share_layers.h"
#include "size.h"
#include "state.h"

#include <string.h>

/* Entries of a class's table that the others do not know. */
static bool write_class(GroupMessage *o, const SharedLayers *c, const KvCache *kv, size_t k,
                        PassSequence *q) {
    const size_t at = q->sequence * kv->config.layers + (size_t)c->home[k];
    const int32_t *table = kv->table + at * kv->table_size;
    int32_t *sent = c->sent + (q->sequence * c->classes.count + k) * kv->table_size;
    for (size_t i = (size_t)kv->gone[at]; i < div_up(q->length, KV_PAGE); i++) {
        const uint32_t changed[3] = {(uint32_t)k, (uint32_t)i, (uint32_t)table[i]};
        if (table[i] == sent[i]) continue;
        if (!message_add(o, changed, sizeof changed, NULL)) return false;
        sent[i] = table[i], q->changed++;
    }
    return true;
}

static bool write_snapshots(GroupMessage *o, const KvCache *kv, PassSequence *q) {
    const Snapshots *s = &kv->states_of[q->sequence];
    q->snapshots = kv->snapshots ? (uint32_t)s->count : 0;
    q->base = kv->snapshots ? (uint32_t)s->base : 0;
    for (size_t i = 0; i < q->snapshots; i++) {
        const uint32_t one[] = {(uint32_t)s->list[i].length, (uint32_t)s->list[i].page};
        if (!message_add(o, one, sizeof one, NULL)) return false;
    }
    return true;
}

static bool write_sequence(GroupMessage *o, const SharedLayers *c, const KvCache *kv,
                           size_t sequence) {
    PassSequence q = {.sequence = (uint32_t)sequence,
                      .length = (uint32_t)kv->length[sequence],
                      .source = (uint32_t)kv->source[sequence]};
    const size_t at = o->size;
    bool ok = message_add(o, &q, sizeof q, NULL);
    for (size_t k = 0; ok && k < c->classes.count; k++)
        ok = message_add(o, &kv->gone[sequence * kv->config.layers + (size_t)c->home[k]],
                         sizeof *kv->gone, NULL);
    for (size_t k = 0; ok && k < c->classes.count; k++) ok = write_class(o, c, kv, k, &q);
    ok = ok && write_snapshots(o, kv, &q);
    if (ok) memcpy(o->bytes + at, &q, sizeof q);
    return ok;
}

/* The head, the copies and the groups; then the sequences of the batch. */
bool write_tables(GroupMessage *o, SharedLayers *c, const KvCache *kv, const Batch *batch,
                  PassOrder *head) {
    head->copies = (uint32_t)c->session.n_copies, head->groups = (uint32_t)kv->n_groups;
    o->size = 0;
    bool ok = message_add(o, head, sizeof *head, NULL) &&
              message_add(o, c->session.copies, c->session.n_copies * sizeof *c->session.copies,
                          NULL) &&
              message_add_groups(o, kv);
    for (size_t i = 0; ok && i < batch->count; i++) {
        if (i && batch->sequence[i] == batch->sequence[i - 1]) continue;
        ok = write_sequence(o, c, kv, (size_t)batch->sequence[i]), head->sequences++;
    }
    if (ok) memcpy(o->bytes, head, sizeof *head);
    c->session.n_copies = 0;
    return ok;
}

bool write_part(GroupMessage *o, SharedLayers *c, const Session *s, const Batch *part,
                const int32_t (*places)[3], Fault *fault) {
    const size_t width = s->model->sizes.stream, n = part->count;
    PassOrder head = {
        .order = {.kind = ORDER_PASS, .count = c->session.id, .rows = n, .in = width},
        .placed = places != NULL};
    return (write_tables(o, c, &s->kv, part, &head) &&
            message_add(o, part->sequence, n * sizeof *part->sequence, NULL) &&
            message_add(o, part->position, n * sizeof *part->position, NULL) &&
            (!places || message_add(o, places, n * sizeof *places, NULL))) ||
           fault_set(fault, "no memory for a message to other machines");
}

size_t part_bytes(size_t classes, size_t entries, size_t snapshots, size_t rows) {
    return sizeof(PassOrder) + sizeof(PassSequence) + classes * sizeof(int32_t) +
           entries * 3 * sizeof(uint32_t) + snapshots * 2 * sizeof(uint32_t) +
           rows * 2 * sizeof(int32_t);
}
