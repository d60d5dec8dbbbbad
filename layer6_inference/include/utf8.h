/* utf8.h - whole characters, and printable text.
 *
 * Invariant: what utf8_print_escaped writes is valid UTF-8 on one line, whatever the bytes
 * were [escaped_text_is_one_line]. */
#ifndef STRATA_UTF8_H
#define STRATA_UTF8_H

#include "models.h"

#include <stdio.h>

/* The character at the start of `size` bytes (>= 1): its length, 1 to 4; 0: incomplete, more
 * bytes may complete it; else minus the number of bytes before the one that does not fit, at
 * least 1.  Overlong forms, surrogates and code points beyond U+10FFFF are invalid.
 *
 * Source   RFC 3629.
 * Tutorial layer6/stops.html */
int utf8_character(const unsigned char *bytes, size_t size);

/* Bytes at the start of a text that are whole characters. */
size_t utf8_whole(Text text);

/* Write a text; control characters, backslashes and invalid bytes become \xHH. */
void utf8_print_escaped(FILE *out, Text text);

#endif
