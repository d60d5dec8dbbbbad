/* world_words.c - RWKV's vocabulary.  See parts.h.
 *
 *     1 '\x00' 1              an id; the token as Python writes a text, or, with a b in front,
 *     3329 b'\xe8\xb0' 2      bytes; and how many bytes it has
 *
 * GGUF files write every byte that is not visible as \xNN. */
#include "parts.h"
#include "unicode.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char world_file[] = "rwkv_vocab_v20230424.txt";

/* The digits behind a backslash: "x0a", "u200b", "U0001f600"; -1: other letters. */
static long world_number(const char *at, const char *end, size_t *taken) {
    static const char kinds[] = "xuU";
    static const size_t digits[] = {2, 4, 8};
    const char *kind = at < end ? strchr(kinds, *at) : NULL;
    char text[12];
    if (!kind || !*kind || (size_t)(end - at) <= digits[kind - kinds]) return -1;
    *taken = 1 + digits[kind - kinds];
    snprintf(text, sizeof text, "%.*s", (int)*taken - 1, at + 1);
    return strtol(text, NULL, 16);
}

/* What stands between quotes, as bytes; `raw`: of b'...', where \xe8 is a byte. */
static size_t world_bytes(Text quoted, bool raw, char *out) {
    const char *at = quoted.data, *end = at + quoted.size;
    size_t size = 0;
    while (at < end) {
        size_t taken = 1;
        if (*at != '\\' || at + 1 == end) {
            out[size++] = *at++;
            continue;
        }
        const long code = world_number(++at, end, &taken);
        if (code >= 0 && raw)
            out[size++] = (char)code;
        else if (code >= 0)
            size += utf8_encode((uint32_t)code, out + size);
        else
            out[size++] = *at == 'n' ? '\n' : *at == 't' ? '\t' : *at == 'r' ? '\r' : *at;
        at += taken;
    }
    return size;
}

/* Bytes as the file that is written has them. */
static size_t world_escape(const char *bytes, size_t count, char *out) {
    size_t size = 0;
    for (size_t i = 0; i < count; i++) {
        const unsigned char byte = (unsigned char)bytes[i];
        if (byte >= ' ' && byte < 127 && byte != '\\')
            out[size++] = (char)byte;
        else
            size += (size_t)sprintf(out + size, "\\x%02x", byte);
    }
    return size;
}

static bool world_line(Conversion *c, Vocab *v, Text line, size_t number) {
    const char *end = line.data + line.size, *behind = end, *at = line.data;
    char *rest;
    const size_t id = strtoul(at, &rest, 10);
    for (at = rest; behind > at && behind[-1] != ' '; behind--) continue;
    const size_t stated = strtoul(behind, NULL, 10);
    if (behind - at < 4 || *at != ' ')
        return REFUSE(c, "%s: line %zu is not an id, a token and its size", world_file, number);
    const bool raw = at[1] == 'b';
    const Text quoted = {at + 2 + raw, (size_t)(behind - at) - 4 - raw};
    char *bytes = region_alloc(&v->region, quoted.size + 4),
         *name = region_alloc(&v->region, 4 * quoted.size + 20);
    if (!bytes || !name) return REFUSE(c, "no memory for a token");
    const size_t size = world_bytes(quoted, raw, bytes);
    if (size != stated)
        return REFUSE(c, "%s: the token of line %zu has %zu bytes, and the line says %zu",
                      world_file, number, size, stated);
    return vocab_set(v, id, (Text){name, world_escape(bytes, size, name)}, TOKEN_NORMAL, 0,
                     false, c->fault);
}

bool read_world_words(Conversion *c, Vocab *v, bool *found) {
    FileMap file;
    if (!(*found = folder_has(&c->folder, world_file))) return true;
    if (!folder_map(&c->folder, world_file, &file, c->fault)) return false;
    Text text = {(const char *)file.data, file.size};
    bool ok = vocab_set(v, 0, text_of("<s>"), TOKEN_CONTROL, 0, false, c->fault);
    for (size_t number = 1; ok && text.size; number++) {
        const char *end = memchr(text.data, '\n', text.size);
        const Text line = {text.data, end ? (size_t)(end - text.data) : text.size};
        if (line.size) ok = world_line(c, v, line, number);
        const size_t taken = min_size(text.size, line.size + 1);
        text = (Text){text.data + taken, text.size - taken};
    }
    gguf_put_string(c->writer, "tokenizer.ggml.model", text_of("rwkv"));
    file_close(&file);
    return ok && read_added_by_id(c, v);
}
