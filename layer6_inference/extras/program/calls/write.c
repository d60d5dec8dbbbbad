/* write.c - see write.h. */
#include "write.h"

#include "listing.h"
#include "json.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* With U+FFFD for invalid UTF-8. */
static Text repaired(Text text, char **memory) {
    const unsigned char *bytes = (const unsigned char *)text.data;
    size_t used = 0;
    char *out = *memory = malloc(3 * text.size + 1);
    if (!out) return (Text){"", 0};
    for (size_t at = 0; at < text.size;) {
        int length = utf8_character(bytes + at, text.size - at);
        size_t size = length > 0   ? (size_t)length
                      : length < 0 ? (size_t)-length
                                   : text.size - at;
        if (length > 0)
            memcpy(out + used, bytes + at, size), used += size;
        else
            memcpy(out + used, "\xEF\xBF\xBD", 3), used += 3;
        at += size;
    }
    return (Text){out, used};
}

void write_text(FILE *out, Text text) {
    char *memory = NULL;
    list_json(out, utf8_whole(text) == text.size ? text : repaired(text, &memory));
    free(memory);
}

void write_number(FILE *out, double x) {
    fprintf(out, "%.9g", isfinite(x) ? x : x > 0 ? 9999.0 : -9999.0);
}

static void write_items(FILE *out, const JsonValue *v, const char *comma, const char *colon) {
    bool object = v->kind == JSON_OBJECT;
    fputc(object ? '{' : '[', out);
    for (size_t i = 0; i < v->count; i++) {
        if (i) fputs(comma, out);
        if (object) write_text(out, v->keys[i]), fputs(colon, out);
        write_value_with(out, &v->items[i], comma, colon);
    }
    fputc(object ? '}' : ']', out);
}

void write_value(FILE *out, const JsonValue *v) { write_value_with(out, v, ",", ":"); }

void write_value_with(FILE *out, const JsonValue *v, const char *comma, const char *colon) {
    switch (v->kind) {
    case JSON_NULL: fputs("null", out); break;
    case JSON_FALSE: fputs("false", out); break;
    case JSON_TRUE: fputs("true", out); break;
    case JSON_NUMBER: fwrite(v->text.data, 1, v->text.size, out); break;
    case JSON_STRING: write_text(out, v->text); break;
    case JSON_ARRAY:
    case JSON_OBJECT: write_items(out, v, comma, colon); break;
    }
}

bool bytes_add(Bytes *b, Text text) {
    if (!GROW(b->data, b->room, b->size + text.size + 1)) return false;
    if (text.size) memcpy(b->data + b->size, text.data, text.size);
    b->size += text.size;
    b->data[b->size] = 0;
    return true;
}

void bytes_free(Bytes *b) {
    free(b->data);
    *b = (Bytes){0};
}
