/* rows.c - a row of one of our tensors from theirs.  See parts.h.
 *
 * A row here is `first`, `first + step`, ... of the numbers there; most changes only choose
 * which of their rows becomes row r:
 *
 *     PERMUTED  their head's d rows are (x0 .. x_d/2-1, y0 .. y_d/2-1) with rotated pairs (x_i,
 *               y_i); ours x0, y0, x1, y1, ...           r = head d + 2 i + s   <-   head d + s
 *               d/2 + i
 *     BY_HEADS  key head g there: (n + 2) d rows, its n query heads, its key, its value
 *     REGROUPED query head j of key head g: ours g n + j, theirs j keys + g
 *     HALF      row r of expert e                  <-   e 2 n + r, or + n
 *     THIRD     r of n rows                     <-   r, r + n, r + 2 n
 *     EVEN      row r of expert e                  <-   e 2 n + 2 r, or + 1
 *     COLUMNS   row r of expert e                  <-   column r, or + n; 2 r, or + 1
 *     LATENT    head h there: key_dim rows of keys, then those of values
 *     DELTA     key head g there: key_dim rows of q, of k, then values, then the gate
 *     TILED     value head j of key head g: ours j keys + g, theirs g values + j
 *     PAD       r                                  <-   r + the padding token's id + 1
 *     PIXELS    line y of colour k of a patch      <-   k of each pixel of line y
 *
 * MINUS_EXP, TERNARY, UNIT_ROWS, IN_ZONES, add_one and factors change the numbers; F8 and
 * MXFP4 have scales in another tensor. */
#include "parts.h"
#include "safetensors.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Numbers of a tensor of theirs. */
typedef struct RowPlace {
    size_t first, step;
} RowPlace;

size_t target_rows(const Target *t) {
    size_t rows = 1;
    for (int i = 0; i + 1 < t->ndim; i++) rows *= t->shape[i];
    return rows;
}

static size_t permuted(size_t row, size_t d) {
    size_t head = row / d, i = row % d / 2, side = row % 2;
    return head * d + side * (d / 2) + i;
}

static size_t by_heads(size_t row, size_t heads, size_t kv_heads, size_t d) {
    size_t head = row / d, n = heads / kv_heads;
    if (head < heads) return (head / n * (n + 2) + head % n) * d + row % d;
    size_t value = head - heads >= kv_heads, g = (head - heads) % kv_heads;
    return (g * (n + 2) + n + value) * d + row % d;
}

/* Of all queries, keys and values those of queries and keys. */
static size_t permuted_qkv(const Conversion *c, size_t row, size_t d) {
    return row < (c->heads + c->kv_heads) * d ? permuted(row, d) : row;
}

/* Row or column of a query head. */
static size_t regrouped(const Conversion *c, size_t at, size_t d) {
    const size_t n = c->heads / c->kv_heads, head = at / d;
    return (head % n * c->kv_heads + head / n) * d + at % d;
}

static size_t halved(size_t row, size_t n, bool second) {
    return row / n * 2 * n + row % n + (second ? n : 0);
}

/* `values`: of all heads, as many as the gate has. */
static size_t of_delta(const Conversion *c, size_t row, size_t values, bool gate) {
    const size_t q = c->groups * c->key_dim, v = values / c->groups,
                 each = 2 * (c->key_dim + v);
    if (!gate && row < 2 * q)
        return row % q / c->key_dim * each + row / q * c->key_dim + row % c->key_dim;
    if (!gate) row -= 2 * q;
    return row / v * each + 2 * c->key_dim + (gate ? v : 0) + row % v;
}

/* Row of five parts, of which the first and the fourth are exchanged there. */
static size_t remixed(size_t row, size_t rows) {
    static const size_t there[5] = {3, 1, 2, 0, 4};
    const size_t n = rows / 5;
    return there[row / n] * n + row % n;
}

/* Row or column `at` of `all`, of which the first `before` are no values. */
static size_t tiled(const Conversion *c, size_t at, size_t all, size_t before) {
    if (at < before) return at;
    const size_t d = (all - before) / c->value_heads, n = c->value_heads / c->groups,
                 head = (at - before) / d;
    return before + (head % c->groups * n + head / c->groups) * d + (at - before) % d;
}

/* Their row, in one part with `rows` rows here. */
static size_t source_row(const Conversion *c, const Target *t, size_t row, size_t rows) {
    const size_t n = t->ndim > 1 ? t->shape[t->ndim - 2] : 1, all = c->heads + 2 * c->kv_heads;
    switch (t->change) {
    case PERMUTED_Q: return permuted(row, rows / c->heads);
    case PERMUTED_K:
        return permuted(row, quirks_of(c->recipe)->optional_parts ? c->head_dim
                                                                  : rows / c->kv_heads);
    case BY_HEADS: return by_heads(row, c->heads, c->kv_heads, rows / all);
    case PERMUTED_QKV: return permuted_qkv(c, row, rows / all);
    case PERMUTED_BY_HEADS:
        return by_heads(permuted_qkv(c, row, rows / all), c->heads, c->kv_heads, rows / all);
    case REGROUPED: return regrouped(c, row, rows / c->heads);
    case FIRST_HALF:
    case SECOND_HALF: return halved(row, n, t->change == SECOND_HALF);
    case FIRST_THIRD:
    case SECOND_THIRD:
    case LAST_THIRD: return row + rows * (size_t)(t->change - FIRST_THIRD);
    case EVEN:
    case ODD: return row / n * 2 * n + row % n * 2 + (t->change == ODD);
    case LATENT_V: return row / n * (n + c->key_dim) + c->key_dim + row % n;
    case DELTA_QKV: return of_delta(c, row, rows - 2 * c->groups * c->key_dim, false);
    case DELTA_GATE: return of_delta(c, row, rows, true);
    case TILED:
    case TILED_RATES: return tiled(c, row, rows, 0);
    case TILED_QKV:
    case TILED_TAPS: return tiled(c, row, rows, 2 * c->groups * c->key_dim);
    case AFTER_PAD: return row + c->first_position;
    case BREAK_ROW: return c->break_row * rows + row;
    default: return row;
    }
}

static RowPlace place_of(const Conversion *c, const Target *t, size_t row, size_t rows,
                         size_t cols) {
    const size_t n = t->ndim > 1 ? t->shape[t->ndim - 2] : 1;
    const size_t matrix = row / n * n * cols,
                 head = t->parts[0]->shape[0] / max_size(1, c->heads);
    switch (t->change) {
    case REMIXED: row = remixed(row, rows); return (RowPlace){row / n * n * cols + row % n, n};
    case TRANSPOSED:
    case EACH_TURNED: return (RowPlace){matrix + row % n, n};
    case FIRST_COLUMNS: return (RowPlace){2 * matrix + row % n, 2 * n};
    case SECOND_COLUMNS: return (RowPlace){2 * matrix + n + row % n, 2 * n};
    case EVEN_COLUMNS: return (RowPlace){2 * matrix + 2 * (row % n), 2 * n};
    case ODD_COLUMNS: return (RowPlace){2 * matrix + 2 * (row % n) + 1, 2 * n};
    case LATENT_K: return (RowPlace){row / n * head * n + row % n, n};
    case PIXELS: return (RowPlace){(row / n / 3 * n + row % n) * cols * 3 + row / n % 3, 3};
    case EVEN:
    case ODD: /* a vector for each expert */
        if (t->ndim == 2) return (RowPlace){row * 2 * cols + (t->change == ODD), 2};
        break;
    default: break;
    }
    return (RowPlace){source_row(c, t, row, rows) * cols, 1};
}

/* Number `at` of 32 in a block, four bits each, and the block's exponent. */
static float of_mxfp4(const SafeTensor *from, const SafeTensor *scales, size_t at) {
    static const float values[8] = {0, 0.5F, 1, 1.5F, 2, 3, 4, 6};
    const int code = from->data[at / 2] >> (at % 2 * 4) & 15;
    const float size = ldexpf(values[code & 7], scales->data[at / 32] - 127);
    return code & 8 ? -size : size;
}

/* A block is 128 rows of 128 numbers. */
static float of_f8(const SafeTensor *from, const SafeTensor *scales, size_t at) {
    const size_t cols = from->shape[1], row = at / cols, col = at % cols;
    float number, scale;
    safe_numbers(from, at, &number, 1);
    safe_numbers(scales, row / 128 * scales->shape[1] + col / 128, &scale, 1);
    return number * scale;
}

static void read_place(const Target *t, size_t part, RowPlace place, float *out, size_t count) {
    const SafeTensor *from = t->parts[part], *scales = t->scales ? t->scales[part] : NULL;
    if (!scales && place.step == 1) {
        safe_numbers(from, place.first, out, count);
        return;
    }
    for (size_t i = 0; i < count; i++) {
        const size_t at = place.first + i * place.step;
        if (!scales)
            safe_numbers(from, at, out + i, 1);
        else
            out[i] = (from->type == SAFE_U8 ? of_mxfp4 : of_f8)(from, scales, at);
    }
}

/* Whole heads of columns are elsewhere. */
static void read_tiled(const Conversion *c, const Target *t, size_t row, float *out) {
    const size_t cols = t->shape[t->ndim - 1], d = cols / c->value_heads;
    for (size_t i = 0; i < cols; i += d)
        read_place(t, 0, (RowPlace){row * cols + tiled(c, i, cols, 0), 1}, out + i, d);
}

static void read_regrouped(const Conversion *c, const Target *t, size_t row, float *out) {
    const size_t cols = t->shape[t->ndim - 1], d = cols / c->heads;
    for (size_t i = 0; i < cols; i += d)
        read_place(t, 0, (RowPlace){row * cols + regrouped(c, i, d), 1}, out + i, d);
}

/* Rows of z, x, B, C and dt, in this order. */
static float zone_factor(const Conversion *c, size_t row) {
    const size_t inner = config_size(c, "ssm.inner_size", 0),
                 state = c->groups * config_size(c, "ssm.state_size", 0),
                 ends[4] = {inner, 2 * inner, 2 * inner + state, 2 * inner + 2 * state};
    char key[40];
    double factor;
    size_t zone = 0;
    while (zone < 4 && row >= ends[zone]) zone++;
    snprintf(key, sizeof key, "ssm_multipliers.%zu", zone);
    return formula_value(c, key, &factor) ? (float)factor : 1;
}

/* Baichuan 2's head divides each row by its length, whenever it is used. */
static float unit_factor(const float *row, size_t n) {
    double square = 0;
    for (size_t i = 0; i < n; i++) square += (double)row[i] * (double)row[i];
    return (float)(1 / fmax(sqrt(square), 1e-12));
}

static void change_numbers(const Conversion *c, const Target *t, size_t row, float *out) {
    const size_t cols = t->shape[t->ndim - 1];
    const bool rates = t->change == MINUS_EXP || t->change == RATES ||
                       t->change == TILED_RATES || t->change == KDA_RATES;
    const float factor = t->change == UNIT_ROWS
                             ? unit_factor(out, cols)
                             : t->factor * (t->change == IN_ZONES ? zone_factor(c, row) : 1);
    for (size_t i = 0; i < cols; i++) {
        if (rates) out[i] = (float)-exp((double)out[i]);
        if (t->change == TERNARY)
            out[i] = fminf(fmaxf(rintf(out[i] / t->size), -1), 1) * t->size;
        if (t->add_one) out[i] += 1;
        out[i] *= factor;
    }
}

void target_row(const Conversion *c, const Target *t, size_t row, float *out) {
    const size_t cols = t->shape[t->ndim - 1], each = target_rows(t) / t->n_parts;
    if (t->change == PADDED && row >= t->parts[0]->shape[0]) {
        memset(out, 0, cols * sizeof *out);
        return;
    }
    if (t->ndim == 1) /* a vector's numbers move like a matrix's rows */
        for (size_t i = 0; i < cols; i++)
            safe_numbers(t->parts[0], source_row(c, t, i, cols), out + i, 1);
    else if (t->change == TILED_COLUMNS)
        read_tiled(c, t, row, out);
    else if (t->change == REGROUPED_COLUMNS)
        read_regrouped(c, t, row, out);
    else
        read_place(t, row / each, place_of(c, t, row % each, each, cols), out, cols);
    change_numbers(c, t, row, out);
}
