/* write.h - writing JSON.
 *
 * Invariant: write_text writes valid UTF-8 in one line, whatever the bytes. */
#ifndef STRATA_WRITE_H
#define STRATA_WRITE_H

#include "inference.h"
#include "json.h"

#include <stdio.h>

/* A text as a JSON string; invalid UTF-8 becomes U+FFFD. */
void write_text(FILE *out, Text text);

/* A parsed value as JSON, and with other texts than "," and ":" between its parts. */
void write_value(FILE *out, const JsonValue *value);
void write_value_with(FILE *out, const JsonValue *value, const char *comma, const char *colon);

/* A number with 9 digits, which restore every float; infinities become -9999 or 9999. */
void write_number(FILE *out, double x);

/* Close a stream of open_memstream.  False: there was no memory for all of its text. */
static inline bool memory_close(FILE *out, char *const *text) {
    const bool whole = !ferror(out);
    return fclose(out) == 0 && whole && *text;
}

/* A growing text. */
typedef struct Bytes {
    char *data; /* owns; NUL-terminated when not NULL */
    size_t size, room;
} Bytes;

/* False: no memory, and nothing is added. */
bool bytes_add(Bytes *bytes, Text text);
void bytes_free(Bytes *bytes);

#endif
