/* send_file.c - see send_file.h. */
#include "machines_parts.h"
#include "grow.h"
#include "size.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PIECE = 4 << 20 /* bytes of a message */, SMALL = 1 << 16 /* of a norm, a bias */ };

/* ------------------------------------------------------------------ what a machine has */

/* The first range that ends at `at` or behind it. */
static size_t range_at(const SentBytes *s, size_t at) {
    size_t low = 0, high = s->count;
    while (low < high) {
        const size_t middle = (low + high) / 2;
        if (s->ranges[middle][1] < at)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

size_t bytes_missing(const SentBytes *s, size_t at, size_t end, size_t *count) {
    size_t i = range_at(s, at);
    if (i < s->count && s->ranges[i][0] <= at) at = s->ranges[i++][1];
    if (at > end) at = end;
    const size_t next = i < s->count ? min_size(s->ranges[i][0], end) : end;
    *count = next > at ? next - at : 0;
    return at;
}

bool bytes_note(SentBytes *s, size_t begin, size_t end, Fault *fault) {
    const size_t first = range_at(s, begin);
    size_t last = first;
    if (begin >= end) return true;
    if (!GROW(s->ranges, s->room, s->count + 1))
        return fault_set(fault, "no memory to note what was sent of a file");
    for (; last < s->count && s->ranges[last][0] <= end; last++)
        begin = min_size(begin, s->ranges[last][0]), end = max_size(end, s->ranges[last][1]);
    memmove(s->ranges + first + 1, s->ranges + last, (s->count - last) * sizeof *s->ranges);
    s->count = s->count + 1 - (last - first);
    s->ranges[first][0] = begin, s->ranges[first][1] = end;
    return true;
}

/* ------------------------------------------------------------------ sending */

static bool send_piece(Machines *m, uint32_t file, int member, size_t at, size_t size,
                       Fault *fault) {
    const unsigned char *bytes = m->lent[file].model->file.parts[0].data + at;
    const BytesOrder order = {{ORDER_BYTES, file, at, size},
                              hash_bytes(HASH_START, bytes, size)};
    m->order.size = 0;
    return message_add(&m->order, &order, sizeof order, fault) &&
           message_add(&m->order, bytes, size, fault) && send_order(m, member, fault) &&
           take_answer(m, member, 0, fault);
}

bool send_bytes(Machines *m, uint32_t file, int member, const void *data, size_t size,
                Fault *fault) {
    const Lent *lent = &m->lent[file];
    if (!lent->sent) return true;
    SentBytes *sent = &lent->sent[member];
    size_t at = (size_t)((const unsigned char *)data - lent->model->file.parts[0].data), count;
    for (const size_t end = at + size; (at = bytes_missing(sent, at, end, &count)) < end;) {
        count = min_size(count, PIECE);
        if (!send_piece(m, file, member, at, count, fault) ||
            !bytes_note(sent, at, at + count, fault))
            return false;
    }
    return true;
}

/* Rows begin .. begin + count - 1 of the matrix of a product with rows of `in` numbers. */
static bool send_rows_of(Machines *m, const SharedProduct *p, int member, size_t in,
                         size_t begin, size_t count, Fault *fault) {
    const GgufTensor *t = &m->lent[p->file].model->gguf.tensors[p->tensor];
    const size_t row = dtype_row_bytes(gguf_tensor_view(t).dtype, in);
    return send_bytes(m, p->file, member, t->data + p->offset + begin * row, count * row,
                      fault);
}

bool send_shares(Machines *m, const ShareJob *job, Fault *fault) {
    for (const SharedProduct *p = job->products; p < job->products + job->count; p++)
        for (int i = 1; p->n && m->lent[p->file].sent && i < m->config.group->size; i++)
            if (!send_rows_of(m, p, i, job->in, share_begin(m->bounds, i, p->out),
                              share_rows(m->bounds, i, p->out), fault))
                return false;
    return true;
}

bool send_matrix(Machines *m, const SharedProduct *p, int member, size_t in, Fault *fault) {
    return send_rows_of(m, p, member, in, 0, p->out, fault);
}

/* Is the tensor read by a machine with these layers?  Small ones may be read when the model is
 * opened. */
static bool is_of_layers(const GgufTensor *t, size_t first, size_t end) {
    char name[96];
    unsigned long layer;
    snprintf(name, sizeof name, "%.*s", (int)min_size(sizeof name - 1, t->name.size),
             t->name.data);
    if (sscanf(name, "blk.%lu.", &layer) == 1 && (layer < first || layer >= end))
        return t->bytes <= SMALL && t->ndim == 1;
    return strncmp(name, "blk.", 4) == 0 || t->bytes <= SMALL;
}

bool send_layers_of(Machines *m, uint32_t file, int member, size_t first, size_t end,
                    Fault *fault) {
    const Gguf *gguf = &m->lent[file].model->gguf;
    for (size_t i = 0; m->lent[file].sent && i < gguf->n_tensors; i++) {
        const GgufTensor *t = &gguf->tensors[i];
        if (is_of_layers(t, first, end) &&
            !send_bytes(m, file, member, t->data, t->bytes, fault))
            return false;
    }
    return true;
}

/* ------------------------------------------------------------------ the header */

bool send_header(Machines *m, uint32_t file, const Model *model, Fault *fault) {
    const GgufFile *f = &model->file;
    const size_t header = model->gguf.data_start;
    const Opening opening = {{.kind = ORDER_HEADER},
                             file,
                             (uint32_t)header,
                             f->bytes,
                             hash_bytes(HASH_START, f->parts[0].data, header)};
    if (f->n_parts != 1)
        return fault_set(fault,
                         "--file-on-first sends a model of one file, and this one has %zu: "
                         "join them, or give each machine the files",
                         f->n_parts);
    m->order.size = 0;
    return message_add(&m->order, &opening, sizeof opening, fault) &&
           message_add(&m->order, f->parts[0].data, header, fault) && ask_all(m, fault);
}

bool sent_open(Machines *m, Lent *lent, Fault *fault) {
    lent->sent = calloc((size_t)m->config.group->size, sizeof *lent->sent);
    return lent->sent || fault_set(fault, "no memory to note what was sent of a file");
}

void sent_close(const Machines *m, Lent *lent) {
    for (int i = 0; lent->sent && i < m->config.group->size; i++) free(lent->sent[i].ranges);
    free(lent->sent);
}
