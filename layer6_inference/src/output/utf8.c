/* utf8.c - see utf8.h. */
#include "utf8.h"

int utf8_character(const unsigned char *p, size_t size) {
    static const unsigned char first_low[] = {0xE0, 0xF0}, second_low[] = {0xA0, 0x90};
    int length = p[0] < 0x80                   ? 1
                 : p[0] >= 0xC2 && p[0] < 0xE0 ? 2
                 : p[0] >= 0xE0 && p[0] < 0xF0 ? 3
                 : p[0] >= 0xF0 && p[0] < 0xF5 ? 4
                                               : 0;
    if (length == 0) return -1;
    for (int i = 1; i < length; i++) {
        if ((size_t)i == size) return 0;
        unsigned char low = 0x80, high = 0xBF;
        for (int k = 0; i == 1 && k < 2; k++)
            if (p[0] == first_low[k]) low = second_low[k]; /* no overlong forms */
        if (i == 1 && p[0] == 0xED) high = 0x9F;           /* no surrogates */
        if (i == 1 && p[0] == 0xF4) high = 0x8F;           /* not beyond U+10FFFF */
        if (p[i] < low || p[i] > high) return -i;
    }
    return length;
}

size_t utf8_whole(Text text) {
    size_t at = 0;
    for (int length = 1; at < text.size && length > 0; at += length > 0 ? (size_t)length : 0)
        length = utf8_character((const unsigned char *)text.data + at, text.size - at);
    return at;
}

static bool is_plain(unsigned char c) { return c >= 32 && c != 127 && c != '\\'; }

void utf8_print_escaped(FILE *out, Text text) {
    const unsigned char *bytes = (const unsigned char *)text.data;
    for (size_t at = 0; at < text.size;) {
        int length = utf8_character(bytes + at, text.size - at);
        size_t size = length > 0 ? (size_t)length : 1;
        if (length > 0 && is_plain(bytes[at]))
            fwrite(bytes + at, 1, size, out);
        else
            fprintf(out, "\\x%02x", bytes[at]);
        at += size;
    }
}
