/* utf8.h - where characters end, and text that any program can read.
 *
 * Invariant: what utf8_print_escaped writes is valid UTF-8 on one line, whatever the bytes were. */
#ifndef STRATA_UTF8_H
#define STRATA_UTF8_H

#include "models.h"

#include <stdio.h>

/* A character at the front of `size` bytes, 1 or more: its length, 1 to 4; 0 when these are the beginning of one and more
 * bytes may complete it; else minus the number of bytes up to the one that does not fit, at least 1.  Longer forms than
 * needed, U+D800 to U+DFFF and what lies beyond U+10FFFF are no characters.
 *
 * Source   RFC 3629.
 * Tutorial layer6/stops.html */
int utf8_character(const unsigned char *bytes, size_t size);

/* How many bytes at the front of a text are whole characters: text.size, or where the first
 * thing stands that is none. */
size_t utf8_whole(Text text);

/* Write a text; control characters, backslashes and bytes that are part of no character become
 * \xHH. */
void utf8_print_escaped(FILE *out, Text text);

#endif
