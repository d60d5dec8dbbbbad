/* longest.c - RWKV: the longest token that the text begins with, repeatedly. */
#include "kind_data.h"

/* Append the tokens of a text, and report each; a byte that begins no token is the unknown one,
 * or a fault that names it, as 0x78. */
bool encode_longest(Encoder *encoder, Text text, TokenList *tokens, Fault *fault) {
    const Tokenizer *t = encoder->tokenizer;
    while (text.size) {
        size_t size = 1;
        int32_t id = prefix_tree_longest(&kind_data(t)->words, text, &size);
        if (id < 0) id = t->unknown;
        if (id < 0)
            return fault_set(fault, "the vocabulary has no token for the byte 0x%02X",
                             (unsigned char)text.data[0]);
        if (!token_list_reserve(tokens, 1, fault)) return false;
        token_list_add(tokens, id);
        encoder_report(encoder, (Text){text.data, size}, tokens, tokens->count - 1);
        text = (Text){text.data + size, text.size - size};
    }
    return true;
}

/* ------------------------------------------------------------------ names */

/* "\x0a" at the start: its byte; -1: none. */
static int backslash_byte(Text text) {
    if (text.size < 4 || text.data[1] != 'x') return -1;
    int high = digit_value(text.data[2]), low = digit_value(text.data[3]);
    return high > 15 || low > 15 ? -1 : 16 * high + low;
}

size_t unescape_backslashes(Text text, char *out) {
    size_t size = 0;
    for (size_t at = 0; at < text.size; at++) {
        if (text.data[at] != '\\' || at + 1 == text.size) {
            out[size++] = text.data[at];
            continue;
        }
        int byte = backslash_byte((Text){text.data + at, text.size - at});
        char c = text.data[++at];
        if (byte >= 0) at += 2;
        out[size++] = byte >= 0  ? (char)byte
                      : c == 'n' ? '\n'
                      : c == 't' ? '\t'
                      : c == 'r' ? '\r'
                                 : c;
    }
    return size;
}
