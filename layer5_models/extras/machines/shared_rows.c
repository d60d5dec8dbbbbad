/* shared_rows.c - see shared_rows.h. */
#include "shared_rows.h"
#include "linear.h"
#include "size.h"
#include "wire_rows.h"

#include <stdlib.h>
#include <string.h>

enum { ROWS_TOGETHER = 16 }; /* of a packed panel: shares begin at multiples */

bool shared_file_open(SharedFile *file, const Gguf *gguf, Fault *fault) {
    *file = (SharedFile){gguf, calloc(gguf->n_tensors, sizeof *file->parts)};
    return file->parts ||
           fault_set(fault, "no memory for the shares of %zu tensors", gguf->n_tensors);
}

void shared_file_close(SharedFile *file) {
    for (size_t i = 0; file->parts && i < file->gguf->n_tensors; i++)
        for (SharePart *part = file->parts[i], *next; part; part = next)
            next = part->next, memory_free(part->data, part->size), free(part);
    free(file->parts);
    *file = (SharedFile){0};
}

void share_bounds(const double *shares, int size, double *bounds) {
    double sum = 0;
    for (int i = 0; i < size; i++) {
        bounds[i] = sum;
        sum += shares ? shares[i] : 1;
    }
    for (int i = 0; i < size; i++) bounds[i] /= sum;
    bounds[size] = 1;
}

size_t share_begin(const double *bounds, int member, size_t out) {
    double units = bounds[member] * (double)div_up(out, ROWS_TOGETHER);
    return min_size((size_t)(units + 0.5) * ROWS_TOGETHER, out);
}

size_t share_rows(const double *bounds, int member, size_t out) {
    return share_begin(bounds, member + 1, out) - share_begin(bounds, member, out);
}

size_t share_numbers(const ShareJob *job, int member) {
    size_t sum = 0;
    for (const SharedProduct *p = job->products; p < job->products + job->count; p++)
        sum += p->n * share_rows(job->bounds, member, p->out);
    return sum;
}

size_t share_bytes(const ShareJob *job, int member, bool half) {
    size_t sum = 0;
    for (const SharedProduct *p = job->products; p < job->products + job->count; p++)
        sum += wire_bytes(half, p->n, share_rows(job->bounds, member, p->out));
    return sum;
}

static bool view_rows(const ShareJob *job, const SharedProduct *p, size_t begin, size_t count,
                      Tensor *rows, Fault *fault) {
    const GgufTensor *tensor = &job->files[p->file].gguf->tensors[p->tensor];
    Dtype dtype = gguf_tensor_view(tensor).dtype;
    size_t row_bytes = dtype_row_bytes(dtype, job->in);
    if (p->offset > tensor->bytes || p->out > (tensor->bytes - p->offset) / row_bytes)
        return fault_set(fault, "a product with rows behind the end of tensor %.*s",
                         (int)tensor->name.size, tensor->name.data);
    *rows = tensor_view(dtype, 2, (size_t[]){count, job->in},
                        (void *)(tensor->data + p->offset + begin * row_bytes));
    return true;
}

/* Rows repacked, at the first product. */
static bool find_packed(const ShareJob *job, const SharedProduct *p, const Tensor *rows,
                        const PackedWeights **packed, Fault *fault) {
    SharePart **list = &job->files[p->file].parts[p->tensor], *part = *list;
    while (part && (part->first != rows->data || part->packed.rows != rows->shape[0]))
        part = part->next;
    if (!part) {
        size_t size = packed_bytes(rows->dtype, rows->shape[0], rows->shape[1]);
        void *data = memory_alloc(size);
        if (!data || !(part = calloc(1, sizeof *part)))
            return memory_free(data, size),
                   fault_set(fault, "no memory to repack %.1f MB of weights",
                             (double)size / 1e6);
        *part = (SharePart){*list, rows->data, {0}, data, size};
        packed_fill(job->pool, &part->packed, rows, data);
        *list = part;
    }
    *packed = &part->packed;
    return true;
}

bool share_matrix(const ShareJob *job, const SharedProduct *p, size_t begin, size_t count,
                  Tensor *rows, const PackedWeights **packed, Fault *fault) {
    *packed = NULL;
    return view_rows(job, p, begin, count, rows, fault) &&
           (!job->pack || count == 0 || !dtype_is_quantized(rows->dtype) ||
            find_packed(job, p, rows, packed, fault));
}

bool share_compute(const ShareJob *job, float *y, Fault *fault) {
    WeightsProduct products[LINEAR_PRODUCTS];
    Tensor rows[LINEAR_PRODUCTS];
    size_t count = 0;
    for (size_t i = 0; i < job->count; i++) {
        const SharedProduct *p = &job->products[i];
        const PackedWeights *packed;
        Tensor *w = &rows[count];
        if (!share_matrix(job, p, share_begin(job->bounds, job->member, p->out),
                          p->n ? share_rows(job->bounds, job->member, p->out) : 0, w, &packed,
                          fault))
            return false;
        if (w->shape[0] == 0) continue;
        products[count++] = (WeightsProduct){w, packed, p->first, p->n, y};
        y += p->n * w->shape[0];
    }
    if (count)
        matmul_products_here(job->pool, products, count, job->x, job->rows, job->scratch);
    return true;
}
