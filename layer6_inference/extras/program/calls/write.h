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

/* A parsed value as JSON. */
void write_value(FILE *out, const JsonValue *value);

/* A number with 9 digits, which restore every float; infinities become -9999 or 9999. */
void write_number(FILE *out, double x);

/* A growing text. */
typedef struct Bytes {
    char *data; /* owns; NUL-terminated when not NULL */
    size_t size, room;
} Bytes;

/* False: no memory, and nothing is added. */
bool bytes_add(Bytes *bytes, Text text);
void bytes_free(Bytes *bytes);

#endif
