/* escape.c - see escape.h. */
#include "escape.h"
#include "unicode.h"

#include <string.h>

uint32_t byte_to_visible(unsigned char byte) {
    bool visible = (byte >= 33 && byte <= 126) || (byte >= 161 && byte != 173);
    if (visible) return byte;
    return byte < 33 ? 256u + byte : byte < 161 ? 256u + 33 + (byte - 127u) : 256u + 67;
}

int visible_to_byte(uint32_t code) {
    if (code < 256) return byte_to_visible((unsigned char)code) == code ? (int)code : -1;
    uint32_t hidden = code - 256; /* 0..32, 127..160 and 173, in this order */
    if (hidden < 33) return (int)hidden;
    return hidden < 67 ? (int)hidden - 33 + 127 : hidden == 67 ? 173 : -1;
}

size_t unescape_visible(Text text, char *out) {
    size_t size = 0, taken;
    for (size_t at = 0; at < text.size; at += taken) {
        if (text.data[at] >= '!' && text.data[at] <= '~') { /* most are themselves */
            out[size++] = text.data[at], taken = 1;
            continue;
        }
        uint32_t code = utf8_decode(text.data + at, text.size - at, &taken);
        int byte = visible_to_byte(code);
        if (byte >= 0)
            out[size++] = (char)byte;
        else
            memcpy(out + size, text.data + at, taken), size += taken;
    }
    return size;
}

bool is_escaped_space(Text text, size_t at) {
    return text.size - at >= 3 && memcmp(text.data + at, "\xe2\x96\x81", 3) == 0;
}

size_t unescape_spaces(Text text, char *out) {
    size_t size = 0;
    for (size_t at = 0; at < text.size; at++) {
        bool space = is_escaped_space(text, at);
        out[size++] = space ? ' ' : text.data[at];
        if (space) at += 2;
    }
    return size;
}

size_t escape_spaces(Text text, char *out) {
    char *end = out;
    for (size_t i = 0; i < text.size; i++) {
        if (text.data[i] == ' ')
            memcpy(end, "\xe2\x96\x81", 3), end += 3;
        else
            *end++ = text.data[i];
    }
    return (size_t)(end - out);
}

/* 0-9, A-F; -1: none. */
static int hex_digit(char c) {
    return c >= '0' && c <= '9' ? c - '0' : c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

int hex_byte(Text text) {
    if (text.size != 6 || memcmp(text.data, "<0x", 3) != 0 || text.data[5] != '>') return -1;
    int high = hex_digit(text.data[3]), low = hex_digit(text.data[4]);
    return high < 0 || low < 0 ? -1 : 16 * high + low;
}
