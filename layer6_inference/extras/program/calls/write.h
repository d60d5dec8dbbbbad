/* write.h - JSON on its way out.
 *
 * Invariant: what write_text writes is valid UTF-8 in one line, whatever the bytes were. */
#ifndef STRATA_WRITE_H
#define STRATA_WRITE_H

#include "inference.h"
#include "json.h"

#include <stdio.h>

/* A text as a JSON string; bytes that are part of no character become U+FFFD. */
void write_text(FILE *out, Text text);

/* A parsed value as JSON again. */
void write_value(FILE *out, const JsonValue *value);

/* A number that JSON has: 9 digits, which restore every float; an infinity becomes -9999 or 9999. */
void write_number(FILE *out, double x);

/* Growing memory for a text. */
typedef struct Bytes {
    char *data; /* owns; NUL-terminated when not NULL */
    size_t size, room;
} Bytes;

/* False when memory runs out: nothing is added then. */
bool bytes_add(Bytes *bytes, Text text);
void bytes_free(Bytes *bytes);

#endif
