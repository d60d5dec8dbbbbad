/* utf8.h - where characters end, and text that any program can read.
 *
 * Invariant: what utf8_print_escaped writes is valid UTF-8 on one line, whatever the bytes were. */
#ifndef STRATA_UTF8_H
#define STRATA_UTF8_H

#include "models.h"

#include <stdio.h>

/* A character at the front of `size` bytes: its length; 0 when it may be complete with more
 * bytes; minus the length of bytes that can be no character. */
int utf8_character(const unsigned char *bytes, size_t size);

/* Write a text; control characters, backslashes and bytes that are part of no character become
 * \xHH. */
void utf8_print_escaped(FILE *out, Text text);

#endif
