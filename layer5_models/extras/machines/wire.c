/* wire.c - see wire.h. */
#include "wire.h"
#include "grow.h"
#include "size.h"

#include <string.h>

bool message_add(GroupMessage *m, const void *bytes, size_t size, Fault *fault) {
    if (!GROW(m->bytes, m->room, m->size + size))
        return fault_set(fault, "no memory for a message of %zu bytes", m->size + size);
    if (size) memcpy(m->bytes + m->size, bytes, size);
    m->size += size;
    return true;
}

bool message_add_groups(GroupMessage *m, const KvCache *kv) {
    bool ok = true;
    for (size_t i = 0; ok && i < kv->n_groups; i++) {
        const size_t *g = kv->groups[i];
        const uint32_t group[] = {(uint32_t)g[0], (uint32_t)g[1], (uint32_t)g[2]};
        ok = message_add(m, group, sizeof group, NULL);
    }
    return ok;
}

const void *order_read(OrderReading *r, size_t count, size_t each) {
    r->ok = r->ok && (!each || count <= (r->size - r->at) / each);
    if (!r->ok) return NULL;
    r->at += count * each;
    return r->bytes + r->at - count * each;
}

void order_read_groups(OrderReading *r, size_t count, size_t (*groups)[3], size_t room) {
    const uint32_t(*from)[3] = order_read(r, count, sizeof *from);
    r->ok = r->ok && count <= room;
    for (size_t i = 0; r->ok && i < count; i++)
        for (int k = 0; k < 3; k++) groups[i][k] = from[i][k];
}

void order_copy_pages(OrderReading *r, size_t count, const PagePool *pool, size_t stripe) {
    const uint32_t(*copies)[2] = order_read(r, count, sizeof *copies);
    const size_t bytes = stripe * pool->page_bytes, numbers = stripe ? pool->count / stripe : 0;
    for (size_t i = 0; r->ok && stripe && i < count; i++) {
        const size_t from = copies[i][0], to = copies[i][1];
        r->ok = from < numbers && to < numbers && from != to;
        if (r->ok) memcpy(pool->bytes + to * bytes, pool->bytes + from * bytes, bytes);
    }
}

bool rows_are_known(const KvCache *kv, const Batch *batch) {
    for (size_t i = 0; i < batch->count; i++) {
        size_t sequence = (size_t)batch->sequence[i];
        if (sequence >= kv->config.sequences ||
            (size_t)batch->position[i] >= kv->length[sequence])
            return false;
    }
    return true;
}

uint64_t order_sample(const GgufFile *file, const Gguf *gguf) {
    enum { PLACES = 64, PLACE = 4096 };
    uint64_t hash = HASH_START;
    hash = hash_bytes(hash, file->parts[0].data, gguf->data_start);
    for (size_t i = 0; i < file->n_parts * PLACES; i++) {
        const FileMap *part = &file->parts[i / PLACES];
        size_t at = part->size / PLACES * (i % PLACES);
        hash =
            hash_bytes(hash, (const char *)part->data + at, min_size(PLACE, part->size - at));
    }
    return hash;
}
