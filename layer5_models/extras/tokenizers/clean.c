/* clean.c - text in which every byte belongs to a character.
 *
 * Other bytes become U+FFFD.  As in llama.cpp, two invalid forms are decoded all the same:
 * overlong characters are rewritten in their shortest form, and single surrogates stay. */
#include "llama_style.h"
#include "unicode.h"

#include <string.h>

/* The size of the character at the start, decoded leniently; 0: none. */
static size_t loose_character(const unsigned char *p, size_t size, uint32_t *code) {
    size_t length = p[0] >= 0xF8   ? 1
                    : p[0] >= 0xF0 ? 4
                    : p[0] >= 0xE0 ? 3
                    : p[0] >= 0xC0 ? 2
                                   : 1;
    *code = p[0];
    if (length == 1) return p[0] < 0x80;
    if (length > size) return 0;
    *code = p[0] & (0xFFu >> (length + 1));
    for (size_t i = 1; i < length; i++) {
        if ((p[i] & 0xC0) != 0x80) return 0;
        *code = *code << 6 | (p[i] & 0x3F);
    }
    return *code <= 0x10FFFF ? length : 0;
}

size_t clean_prefix(Text text) {
    size_t at = 0, taken = 1;
    while (at < text.size) {
        if ((unsigned char)text.data[at] >= 0x80) {
            uint32_t code = utf8_decode(text.data + at, text.size - at, &taken);
            if (code == 0xFFFD && taken == 1) return at;
        } else {
            taken = 1;
        }
        at += taken;
    }
    return at;
}

size_t clean_text(Text text, char *out) {
    const unsigned char *p = (const unsigned char *)text.data;
    size_t size = 0, taken;
    for (size_t at = 0; at < text.size; at += taken) {
        uint32_t code;
        taken = loose_character(p + at, text.size - at, &code);
        size += utf8_encode(taken ? code : 0xFFFD, out + size);
        if (!taken) taken = 1;
    }
    return size;
}
