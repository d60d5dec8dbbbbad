/* The graders of layer 1: shapes and strides.  Offsets are found by counting every element. */
#include "grader.h"
#include "tensor.h"

#include <stdbool.h>

enum { ROOM = 1 << 16 };
static _Alignas(64) unsigned char data[ROOM];
static const Dtype plain[] = {DTYPE_F32, DTYPE_F16, DTYPE_BF16};

/* A fresh shape of n dimensions, the last one a multiple of the block. */
static void fresh_shape(size_t *shape, int n, size_t block) {
    for (int i = 0; i < n; i++) shape[i] = 1 + fresh_below(6);
    shape[n - 1] *= block;
}

/* What tensor_view should return, computed without it. */
static Tensor packed(Dtype dtype, int n, const size_t *shape) {
    Tensor t = {.dtype = dtype, .ndim = n, .shape = {1, 1, 1, 1}, .data = data};
    size_t step = dtype_info(dtype)->bytes;
    for (int i = n - 1; i >= 0; i--) {
        t.shape[i] = shape[i];
        t.stride[i] = step;
        step *= i == n - 1 ? shape[i] / dtype_info(dtype)->block : shape[i];
    }
    return t;
}

static void check_view(Dtype dtype, int n) {
    size_t shape[4], block = dtype_info(dtype)->block, bytes = dtype_info(dtype)->bytes;
    fresh_shape(shape, n, block);
    Tensor want = packed(dtype, n, shape), t = tensor_view(dtype, n, shape, data);
    const char *name = dtype_name(dtype);
    COUNT(t.ndim, n, "tensor_view keeps the number of dimensions");
    HINT(t.data == data && t.dtype == dtype, "tensor_view keeps the data and the format");
    for (int i = 0; i < 4; i++)
        COUNT(t.shape[i], want.shape[i], "shape[%d] of %d dimensions (unused ones are 1)", i,
              n);
    HINT(t.stride[n - 1] != 1 || bytes == 1,
         "strides are in bytes: the last one is one element (%zu bytes of %s)", bytes, name);
    bool columns = true, differs = false;
    for (size_t i = 0, step = bytes; i < (size_t)n; step *= shape[i++])
        columns &= t.stride[i] == step, differs |= want.stride[i] != step;
    HINT(!columns || !differs, "the first index moves slowest (row-major): count strides from "
                               "the last dimension to the first");
    HINT(block == 1 || n == 1 || t.stride[n - 2] != shape[n - 1] * bytes,
         "%zu numbers of %s share a block of %zu bytes: a row of %zu is %zu blocks "
         "(dtype_row_bytes)",
         block, name, bytes, shape[n - 1], shape[n - 1] / block);
    COUNT(t.stride[n - 1], want.stride[n - 1],
          "the last stride of %s is one element, or one block: its bytes", name);
    for (int i = 0; i < n - 1; i++)
        COUNT(t.stride[i], want.stride[i],
              "stride[%d], shape[%d] is %zu, stride[%d] is %zu: a stride is the one to its "
              "right times that one's shape",
              i, i + 1, shape[i + 1], i + 1, want.stride[i + 1]);
}

/* A tensor, or in a third of the cases a view of a larger one, whose rows stand apart. */
static Tensor fresh_tensor(Dtype dtype, int n, size_t *shape) {
    fresh_shape(shape, n, dtype_info(dtype)->block);
    Tensor t = packed(dtype, n, shape);
    size_t apart = fresh_below(3) ? 0 : dtype_info(dtype)->bytes * (1 + fresh_below(4));
    for (int i = n - 2; i >= 0; i--) t.stride[i] += apart *= 2;
    return t;
}

static void check_slice(Dtype dtype, int n) {
    size_t shape[4], block = dtype_info(dtype)->block;
    Tensor t = fresh_tensor(dtype, n, shape);
    int dim = (int)fresh_below((size_t)n);
    size_t unit = dim == n - 1 ? block : 1, begin = fresh_below(shape[dim] / unit + 1) * unit,
           end = begin + fresh_below((shape[dim] - begin) / unit + 1) * unit;
    Tensor s = tensor_slice(&t, dim, begin, end);
    size_t moved = (size_t)((unsigned char *)s.data - data),
           want = begin / unit * t.stride[dim];
    HINT(want == 0 || moved != 0,
         "a slice begins at data + begin * stride[dim]: here data stays where it is");
    HINT(begin == end || end / unit * t.stride[dim] == want ||
             moved != end / unit * t.stride[dim],
         "a slice begins at data + begin * stride, not at its end");
    HINT(unit == 1 || want == 0 || moved != begin * t.stride[dim],
         "the last stride of a quantized format is a block: a slice that begins at number %zu "
         "begins %zu blocks further on",
         begin, begin / unit);
    COUNT(moved, want,
          "a slice %zu .. %zu of dimension %d, whose stride is %zu: bytes that data moves",
          begin, end, dim, t.stride[dim]);
    HINT(s.shape[dim] != end || begin == 0,
         "a slice %zu .. %zu has end - begin entries along its dimension", begin, end);
    COUNT(s.shape[dim], end - begin, "entries of a slice %zu .. %zu", begin, end);
    for (int i = 0; i < n; i++) {
        COUNT(s.stride[i], t.stride[i], "a slice keeps the strides (dimension %d)", i);
        HINT(i == dim || s.shape[i] == shape[i],
             "a slice of dimension %d keeps the shape of dimension %d", dim, i);
    }
}

static void check_select(Dtype dtype) {
    size_t shape[4], n = 2 + fresh_below(3);
    Tensor t = fresh_tensor(dtype, (int)n, shape);
    size_t i = fresh_below(shape[0]);
    Tensor s = tensor_select(&t, i);
    COUNT((unsigned char *)s.data - data, i * t.stride[0],
          "entry %zu of the first dimension, whose stride is %zu: bytes that data moves", i,
          t.stride[0]);
    COUNT(s.ndim, n - 1,
          "tensor_select leaves the first dimension out: dimensions of what is left");
    for (size_t k = 0; k + 1 < n; k++) {
        COUNT(s.shape[k], shape[k + 1],
              "tensor_select: the other dimensions move up: shape[%zu]", k);
        COUNT(s.stride[k], t.stride[k + 1],
              "tensor_select: strides move up with their shapes: stride[%zu]", k);
    }
    COUNT(s.shape[n - 1], 1,
          "tensor_select: unused shapes are 1 (view.h, Invariant): shape[%zu]", n - 1);
}

static void check_transpose(void) {
    size_t shape[4], n = 2 + fresh_below(3);
    Tensor t = fresh_tensor(plain[fresh_below(3)], (int)n, shape);
    int a = (int)fresh_below(n), b = (int)fresh_below(n);
    Tensor x = tensor_transpose(&t, a, b);
    HINT(x.data == data, "a transpose touches no element and stays where it is");
    for (int i = 0; i < (int)n; i++) {
        int from = i == a ? b : i == b ? a : i;
        COUNT(x.shape[i], t.shape[from],
              "a transpose of dimensions %d and %d swaps their shapes: shape[%d]", a, b, i);
        COUNT(x.stride[i], t.stride[from],
              "a transpose swaps the two strides as well as the shapes: stride[%d]", i);
    }
}

/* Only the arithmetic of a tensor of 1.2 TB, of which no byte is read. */
static void check_large(void) {
    const size_t shape[] = {100, 3000000, 1000}, step = shape[1] * shape[2] * 4;
    Tensor t = tensor_view(DTYPE_F32, 3, shape, data);
    COUNT(t.stride[0], step, "tensor_view: a stride may be larger than 4 GiB: size_t");
    COUNT((uintptr_t)tensor_slice(&t, 0, 90, 100).data - (uintptr_t)data, 90 * step,
          "a slice may begin more than 4 GiB after the data: size_t");
    COUNT((uintptr_t)tensor_select(&t, 80).data - (uintptr_t)data, 80 * step,
          "an entry may lie more than 4 GiB after the data: size_t");
}

GRADE(views) {
    for (int round = 0; round < 60; round++) {
        Dtype dtype =
            (Dtype[]){DTYPE_F32, DTYPE_F16, DTYPE_Q8_0, DTYPE_Q4_0, DTYPE_Q6_K}[round % 5];
        int n = 1 + round % 4;
        check_view(dtype, n), check_slice(dtype, n), check_select(dtype), check_transpose();
    }
    check_large();
}

/* ---------------------------------------------------------------- one element, one row */

/* A random view of a random tensor: slices, swapped dimensions. */
static Tensor fresh_view(Dtype dtype, bool turned) {
    size_t shape[4], n = 1 + fresh_below(4), block = dtype_info(dtype)->block;
    fresh_shape(shape, (int)n, block);
    Tensor t = packed(dtype, (int)n, shape);
    for (size_t i = 0; i < n; i++) {
        size_t unit = i + 1 == n ? block : 1, begin = fresh_below(t.shape[i] / unit) * unit;
        t.data = (unsigned char *)t.data + begin / unit * t.stride[i];
        t.shape[i] -= begin;
    }
    size_t a = fresh_below(n), b = fresh_below(n), size = t.shape[a], step = t.stride[a];
    if (!turned && (a + 1 == n || b + 1 == n)) return t;
    t.shape[a] = t.shape[b], t.stride[a] = t.stride[b], t.shape[b] = size, t.stride[b] = step;
    return t;
}

static double half_value(unsigned bits, int exponent_bits, int fraction_bits) {
    int e = (int)(bits >> fraction_bits) & ((1 << exponent_bits) - 1),
        bias = (1 << (exponent_bits - 1)) - 1;
    double f = (double)(bits & ((1u << fraction_bits) - 1)) / (1 << fraction_bits);
    double size = e ? ldexp(1 + f, e - bias) : ldexp(f, 1 - bias);
    return bits >> 15 ? -size : size;
}

static double value_at(const Tensor *t, const size_t *index, int skip) {
    const unsigned char *p = t->data;
    size_t last = (size_t)t->ndim - 1, block = dtype_info(t->dtype)->block;
    for (size_t i = 0; i <= last; i++)
        if ((int)i != skip && (skip < t->ndim || i == last))
            p += (i == last ? index[i] / block : index[i]) * t->stride[i];
    float f;
    memcpy(&f, p, 4);
    if (t->dtype == DTYPE_F32) return (double)f;
    if (t->dtype == DTYPE_F16) return half_value(p[0] | (unsigned)p[1] << 8, 5, 10);
    if (t->dtype == DTYPE_BF16) return half_value(p[0] | (unsigned)p[1] << 8, 8, 7);
    return half_value(p[0] | (unsigned)p[1] << 8, 5, 10) * (signed char)p[2 + index[last] % 32];
}

static void fresh_bytes(void) {
    for (size_t i = 0; i < ROOM; i++) data[i] = (unsigned char)fresh_below(256);
    for (size_t i = 0; i < ROOM; i += 2)
        data[i + 1] &= 0xBB; /* no exponent with all bits set, in any format */
}

static void check_element(Dtype dtype) {
    Tensor t = fresh_view(dtype, dtype_info(dtype)->block == 1);
    size_t index[4], last = (size_t)t.ndim - 1;
    for (int i = 0; i < t.ndim; i++) index[i] = fresh_below(t.shape[i]);
    double want = value_at(&t, index, -1), got = (double)tensor_get(&t, index);
    if (got == want) return;
    const char *name = dtype_name(dtype);
    size_t first[4];
    memcpy(first, index, sizeof first);
    first[last] = index[last] / 32 * 32;
    HINT(got != value_at(&t, index, t.ndim),
         "every index but the last is left out: each moves by its stride");
    for (int i = 0; i < t.ndim; i++)
        HINT(got != value_at(&t, index, i) || index[i] == 0,
             "index %d of %d is left out: every index moves by its stride", i, t.ndim);
    HINT(dtype != DTYPE_Q8_0 || got != value_at(&t, first, -1),
         "Q8_0: number k of a block is its quant k, after the two bytes of the scale, times "
         "the scale; here it is always the first");
    HINT(dtype != DTYPE_Q8_0,
         "Q8_0, index %zu: the last stride is a block of 32: index / 32 says which, index %% "
         "32 which of its signed bytes: expected %.7g, got %.7g",
         index[last], want, got);
    NUMBER(got, want, 0,
           "%s, element with the last index %zu of %zu: data + the sum of index[k] * "
           "stride[k], then read as %s",
           name, index[last], t.shape[last], name);
}

static void check_rows(Dtype dtype) {
    Tensor t = fresh_view(dtype, false);
    size_t rows = 1;
    for (int i = 0; i < t.ndim - 1; i++) rows *= t.shape[i];
    size_t i = fresh_below(rows), rest = i, want = 0, contiguous = 0, backwards = 0, other = i;
    for (int dim = t.ndim - 2; dim >= 0; rest /= t.shape[dim--])
        want += rest % t.shape[dim] * t.stride[dim];
    for (int dim = 0; dim < t.ndim - 1; other /= t.shape[dim++])
        backwards += other % t.shape[dim] * t.stride[dim];
    if (t.ndim > 1) contiguous = i * t.stride[t.ndim - 2];
    size_t got = (size_t)((const char *)tensor_row(&t, i) - (const char *)t.data);
    HINT(got != contiguous || contiguous == want,
         "row %zu of %zu: rows of all leading dimensions are counted, and those of a slice do "
         "not follow one another: take i apart into an index for each dimension",
         i, rows);
    HINT(got != backwards || backwards == want,
         "row %zu of %zu: the last of the leading dimensions runs fastest; here the first one "
         "does",
         i, rows);
    COUNT(got, want, "row %zu of %zu, %d dimensions: bytes from the start", i, rows, t.ndim);
}

GRADE(elements) {
    fresh_bytes();
    for (int round = 0; round < 400; round++) {
        check_element((Dtype[]){DTYPE_F32, DTYPE_F16, DTYPE_BF16, DTYPE_Q8_0}[round % 4]);
        check_rows((Dtype[]){DTYPE_F32, DTYPE_F16, DTYPE_Q8_0, DTYPE_Q4_0}[round % 4]);
    }
}

/* ---------------------------------------------------------------- in one piece */

/* Is each element, in index order from dimension `from` on, where counting puts it? */
static bool in_order(const Tensor *t, int from) {
    size_t block = dtype_info(t->dtype)->block, bytes = dtype_info(t->dtype)->bytes,
           index[4] = {0}, place = 0;
    int last = t->ndim - 1;
    for (;;) {
        size_t at = 0;
        for (int i = from; i <= last; i++)
            at += (i == last ? index[i] / block : index[i]) * t->stride[i];
        if (at != place) return false;
        place += bytes;
        int dim = last;
        while (dim >= from && (index[dim] += dim == last ? block : 1) >= t->shape[dim])
            index[dim--] = 0;
        if (dim < from) return true;
    }
}

GRADE(pieces) {
    for (int round = 0; round < 600; round++) {
        Dtype dtype = (Dtype[]){DTYPE_F32, DTYPE_F16, DTYPE_Q8_0}[round % 3];
        Tensor t = fresh_view(dtype, round % 3 < 2 && round % 2);
        for (int i = 0; i < t.ndim - 1; i++)
            if (fresh_below(4) == 0) t.shape[i] = 1;
        if (round % 6 == 1 && t.ndim > 1) t.shape[t.ndim - 1] = 1;
        char shape[64];
        tensor_shape_text(t.ndim, t.shape, shape, sizeof shape);
        bool whole = in_order(&t, 0), rows = in_order(&t, t.ndim - 1),
             got = tensor_is_contiguous(&t), got_rows = tensor_rows_are_contiguous(&t);
        bool only_one = whole && !got;
        HINT(!only_one,
             "%s with the first stride %zu and the last %zu is contiguous, but yours says not: "
             "where a dimension has one entry its stride is never used, and a block of a "
             "format is one entry",
             shape, t.stride[0], t.stride[t.ndim - 1]);
        COUNT(got, whole,
              "is %s of %s, first stride %zu, last stride %zu, in one piece? Each stride must "
              "be what a fresh tensor of this shape has",
              dtype_name(dtype), shape, t.stride[0], t.stride[t.ndim - 1]);
        COUNT(got_rows, rows,
              "are the rows of %s of %s, last stride %zu, in one piece each? The last stride "
              "is one element (a block), or there is only one",
              dtype_name(dtype), shape, t.stride[t.ndim - 1]);
        size_t count = 1, flat[2];
        for (int i = 0; i < t.ndim; i++) count *= t.shape[i];
        if (!whole) continue;
        flat[0] = count / t.shape[t.ndim - 1], flat[1] = t.shape[t.ndim - 1];
        Tensor r = tensor_reshape(&t, 2, flat), want = packed(dtype, 2, flat);
        HINT(r.data == t.data,
             "a reshape touches no element and begins where the tensor begins");
        COUNT(r.ndim, 2, "a reshape has the dimensions that it is given");
        for (int i = 0; i < 4; i++)
            COUNT(r.shape[i], want.shape[i], "reshaped from %s: shape[%d]", shape, i);
        for (int i = 0; i < 2; i++)
            COUNT(r.stride[i], want.stride[i],
                  "reshaped from %s: strides are those of a fresh tensor of the new shape: "
                  "stride[%d]",
                  shape, i);
    }
}

GRADES({"1.1", views}, {"1.2", elements}, {"1.3", pieces})
