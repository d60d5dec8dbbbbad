/* rows.c - a row of one of our tensors from theirs.  See parts.h.
 *
 * Most changes only choose which of their rows becomes row r:
 *
 *     PERMUTED  their head's d rows are (x0 .. x_d/2-1, y0 .. y_d/2-1) with rotated pairs (x_i,
 *               y_i); ours x0, y0, x1, y1, ...           r = head d + 2 i + s   <-   head d + s
 *               d/2 + i
 *     BY_HEADS  r = part heads d + head d + i      <-   (head 3 + part) d + i
 *     HALF      row r of expert e                  <-   e 2 n + r, or + n
 *     PAD       r                                  <-   r + the padding token's id + 1
 *
 * TRANSPOSED reads a column; MINUS_EXP and add_one change the numbers. */
#include "parts.h"
#include "safetensors.h"

#include <math.h>

size_t target_rows(const Target *t) {
    size_t rows = 1;
    for (int i = 0; i + 1 < t->ndim; i++) rows *= t->shape[i];
    return rows;
}

static size_t permuted(size_t row, size_t d) {
    size_t head = row / d, i = row % d / 2, side = row % 2;
    return head * d + side * (d / 2) + i;
}

static size_t by_heads(size_t row, size_t heads, size_t d) {
    size_t part = row / (heads * d), head = row / d % heads, i = row % d;
    return (head * 3 + part) * d + i;
}

static size_t halved(size_t row, size_t n, bool second) {
    return row / n * 2 * n + row % n + (second ? n : 0);
}

/* Their row, in one part with `rows` rows here. */
static size_t source_row(const Conversion *c, const Target *t, size_t row, size_t rows) {
    switch (t->change) {
    case PERMUTED_Q: return permuted(row, rows / c->heads);
    case PERMUTED_K: return permuted(row, rows / c->kv_heads);
    case BY_HEADS: return by_heads(row, c->heads, rows / c->heads / 3);
    case FIRST_HALF:
    case SECOND_HALF: return halved(row, t->shape[t->ndim - 2], t->change == SECOND_HALF);
    case AFTER_PAD: return row + c->first_position;
    default: return row;
    }
}

static void read_column(const SafeTensor *from, size_t column, float *out, size_t count) {
    for (size_t i = 0; i < count; i++)
        safe_numbers(from, i * from->shape[1] + column, out + i, 1);
}

/* A vector's elements move like a matrix's rows. */
static void read_vector(const Conversion *c, const Target *t, float *out, size_t count) {
    for (size_t i = 0; i < count; i++)
        safe_numbers(t->parts[0], source_row(c, t, i, count), out + i, 1);
}

void target_row(const Conversion *c, const Target *t, size_t row, float *out) {
    size_t cols = t->shape[t->ndim - 1], each = target_rows(t) / t->n_parts;
    const SafeTensor *from = t->parts[row / each];
    if (t->ndim == 1)
        read_vector(c, t, out, cols);
    else if (t->change == TRANSPOSED)
        read_column(from, row, out, cols);
    else
        safe_numbers(from, source_row(c, t, row % each, each) * cols, out, cols);
    for (size_t i = 0; i < cols; i++) {
        if (t->change == MINUS_EXP) out[i] = (float)-exp((double)out[i]);
        if (t->add_one) out[i] += 1;
    }
}
