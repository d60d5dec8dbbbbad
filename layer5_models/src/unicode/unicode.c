/* unicode.c - see unicode.h. */
#include "unicode.h"

typedef struct RangeStart {
    uint32_t first;
    UnicodeCategory category;
} RangeStart;

#include "unicode_table.h"

enum { RANGES = sizeof unicode_ranges / sizeof *unicode_ranges };

size_t utf8_length(unsigned char first) {
    return first >= 0xF0 && first <= 0xF4  ? 4
           : first >= 0xE0 && first < 0xF0 ? 3
           : first >= 0xC2 && first < 0xE0 ? 2
                                           : 1;
}

uint32_t utf8_decode(const char *bytes, size_t size, size_t *taken) {
    const unsigned char *p = (const unsigned char *)bytes;
    static const uint32_t smallest[5] = {0, 0, 0x80, 0x800, 0x10000};
    size_t length = utf8_length(p[0]);
    *taken = 1;
    if (p[0] < 0x80) return p[0];
    if (length == 1 || length > size) return 0xFFFD;
    uint32_t code = p[0] & (0xFFu >> (length + 1));
    for (size_t i = 1; i < length; i++) {
        if ((p[i] & 0xC0) != 0x80) return 0xFFFD;
        code = code << 6 | (p[i] & 0x3F);
    }
    if (code < smallest[length] || code > 0x10FFFF || (code >= 0xD800 && code < 0xE000))
        return 0xFFFD;
    *taken = length;
    return code;
}

size_t utf8_encode(uint32_t code, char out[4]) {
    if (code < 0x80) return out[0] = (char)code, 1;
    size_t length = code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
    for (size_t i = length - 1; i > 0; i--, code >>= 6) out[i] = (char)(0x80 | (code & 0x3F));
    out[0] = (char)((0xF00u >> length) | code); /* 110..., 1110..., 11110... */
    return length;
}

static size_t category_row(uint32_t code_point) {
    size_t low = 0, high = RANGES;
    while (high - low > 1) {
        size_t middle = (low + high) / 2;
        if (unicode_ranges[middle].first <= code_point)
            low = middle;
        else
            high = middle;
    }
    return low;
}

UnicodeCategory unicode_category(uint32_t code_point) {
    return unicode_ranges[category_row(code_point)].category;
}

size_t unicode_range_count(void) { return RANGES; }

UnicodeRange unicode_range(size_t row) {
    uint32_t end = row + 1 < RANGES ? unicode_ranges[row + 1].first : 0x110000;
    return (UnicodeRange){unicode_ranges[row].first, end - 1, unicode_ranges[row].category};
}

bool unicode_is_space(uint32_t code) {
    return (code >= '\t' && code <= '\r') || code == ' ' || code == 0x85 ||
           (code >= 0xA0 && unicode_category(code) == UNICODE_SEPARATOR);
}
