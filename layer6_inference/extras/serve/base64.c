/* base64.c - see base64.h. */
#include "base64.h"

#include <string.h>

static const char alphabet[] =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

void base64_write(FILE *out, const void *bytes, size_t size) {
    for (size_t i = 0; i < size; i += 3) {
        unsigned char b[3] = {0};
        memcpy(b, (const char *)bytes + i, min_size(3, size - i));
        uint32_t bits = (uint32_t)b[0] << 16 | (uint32_t)b[1] << 8 | b[2];
        for (size_t k = 0; k < 4; k++)
            fputc(i + k <= size ? alphabet[bits >> (18 - 6 * k) & 63] : '=', out);
    }
}

/* Value of each character; 64: not base64. */
static void list_values(unsigned char values[256]) {
    memset(values, 64, 256);
    for (unsigned char i = 0; i < 64; i++) values[(unsigned char)alphabet[i]] = i;
}

/* Decode four characters, the last `padded` of them "=".  False: character *at is wrong. */
static bool read_four(const unsigned char *letters, const unsigned char *values, size_t padded,
                      unsigned char out[3], size_t *at) {
    uint32_t bits = 0;
    for (*at = 0; *at < 4 - padded; ++*at) {
        if (values[letters[*at]] == 64) return false;
        bits = bits << 6 | values[letters[*at]];
    }
    bits <<= 6 * padded;
    for (int i = 0; i < 3; i++) out[i] = (unsigned char)(bits >> (16 - 8 * i));
    return --*at, (bits & ((1u << 8 * padded) - 1)) == 0; /* unused bits are zero */
}

bool base64_read(Text letters, Bytes *bytes, Fault *fault) {
    const unsigned char *in = (const unsigned char *)letters.data;
    const size_t n = letters.size;
    unsigned char values[256], out[3];
    if (n % 4)
        return fault_set(fault,
                         "%zu base64 characters: wanted a multiple of four, padded with =", n);
    list_values(values);
    for (size_t i = 0, at; i < n; i += 4) {
        const size_t padded = i + 4 < n || in[n - 1] != '=' ? 0 : 1 + (in[n - 2] == '=');
        if (!read_four(in + i, values, padded, out, &at))
            return fault_set(fault, "character %zu of %zu is not base64", i + at + 1, n);
        if (!bytes_add(bytes, (Text){(const char *)out, 3 - padded}))
            return fault_set(fault, "no memory for %zu bytes", n / 4 * 3);
    }
    return true;
}
