/* unicode.c - see unicode.h. */
#include "unicode.h"

#include <stdbool.h>

typedef struct UnicodeRange {
    uint32_t first, last;
    UnicodeClass kind;
} UnicodeRange;

#include "unicode_table.h"

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

/* The class of a character below 128, by arithmetic: most text asks for nothing else. */
static UnicodeClass ascii_class(uint32_t c) {
    if ((c | 32) - 'a' < 26) return UNICODE_LETTER;
    if (c - '0' < 10) return UNICODE_NUMBER;
    if (c == ' ' || c - '\t' < 5) return UNICODE_SPACE;
    bool symbol = c == '$' || c == '+' || c - '<' < 3 || c == '^' || c == '`' || c == '|' ||
                  c == '~' || c == 127;
    return c < 33 || symbol ? UNICODE_OTHER : UNICODE_PUNCTUATION;
}

static UnicodeClass class_in_table(uint32_t code_point) {
    size_t count = sizeof unicode_ranges / sizeof *unicode_ranges, low = 0, high = count;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (code_point > unicode_ranges[middle].last)
            low = middle + 1;
        else
            high = middle;
    }
    return low < count && code_point >= unicode_ranges[low].first ? unicode_ranges[low].kind
                                                                  : UNICODE_OTHER;
}

UnicodeClass unicode_class(uint32_t code_point) {
    return code_point < 128 ? ascii_class(code_point) : class_in_table(code_point);
}
