/* wire_rows.c - see wire_rows.h. */
#include "wire_rows.h"
#include "wire.h"
#include "grow.h"
#include "half.h"

#include <math.h>
#include <string.h>

static size_t row_bytes(bool half, size_t width) {
    return half ? sizeof(float) + (width + width % 2) * sizeof(uint16_t)
                : width * sizeof(float);
}

size_t wire_bytes(bool half, size_t rows, size_t width) {
    return rows * row_bytes(half, width);
}

/* Such that the largest number times 2^e is between 2^14 and 2^15. */
static int exponent_of(const float *x, size_t width) {
    enum { LEAST = -100 }; /* smaller rows: 2^-100 in place of their largest number */
    float most = 0;
    int e;
    for (size_t i = 0; i < width; i++)
        if (isfinite(x[i])) most = fmaxf(most, fabsf(x[i]));
    if (most == 0) return 0;
    frexpf(most, &e);
    return 15 - (e < LEAST ? LEAST : e);
}

static void write_half(const float *x, size_t width, unsigned char *bytes) {
    const int e = exponent_of(x, width);
    const float unit = ldexpf(1, -e), many = ldexpf(1, e);
    memcpy(bytes, &unit, sizeof unit);
    bytes += sizeof unit;
    for (size_t i = 0; i < width + width % 2; i++, bytes += sizeof(uint16_t)) {
        const uint16_t h = i < width ? f16_from_f32(x[i] * many) : 0;
        memcpy(bytes, &h, sizeof h);
    }
}

static void read_half(const unsigned char *bytes, size_t width, float *x) {
    float unit;
    memcpy(&unit, bytes, sizeof unit);
    bytes += sizeof unit;
    for (size_t i = 0; i < width; i++, bytes += sizeof(uint16_t)) {
        uint16_t h;
        memcpy(&h, bytes, sizeof h);
        x[i] = f16_to_f32(h) * unit;
    }
}

void wire_write(bool half, const float *x, size_t rows, size_t width, unsigned char *bytes) {
    if (!half) memcpy(bytes, x, rows * width * sizeof *x);
    for (size_t r = 0; half && r < rows; r++)
        write_half(x + r * width, width, bytes + r * row_bytes(true, width));
}

void wire_read(bool half, const unsigned char *bytes, size_t rows, size_t width, float *x) {
    if (!half) memcpy(x, bytes, rows * width * sizeof *x);
    for (size_t r = 0; half && r < rows; r++)
        read_half(bytes + r * row_bytes(true, width), width, x + r * width);
}

bool message_add_rows(GroupMessage *m, bool half, const float *x, size_t rows, size_t width,
                      Fault *fault) {
    const size_t size = wire_bytes(half, rows, width);
    if (!half) return message_add(m, x, size, fault);
    if (!GROW(m->bytes, m->room, m->size + size))
        return fault_set(fault, "no memory for a message of %zu bytes", m->size + size);
    wire_write(half, x, rows, width, m->bytes + m->size);
    m->size += size;
    return true;
}
