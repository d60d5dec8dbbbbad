/* unicode.h - UTF-8 and the classes of characters that pre-tokenizers ask for. */
#ifndef STRATA_UNICODE_H
#define STRATA_UNICODE_H

#include <stddef.h>
#include <stdint.h>

typedef enum UnicodeClass {
    UNICODE_OTHER,
    UNICODE_LETTER,
    UNICODE_NUMBER,
    UNICODE_SPACE,
    UNICODE_PUNCTUATION
} UnicodeClass;

/* The code point at the start of `bytes` and the bytes it takes.  A byte that does not begin a
 * valid sequence is one unit of class OTHER with the code point 0xFFFD.  Needs size > 0.
 * Source   RFC 3629 (no overlong forms, no surrogates, at most 0x10FFFF). */
uint32_t utf8_decode(const char *bytes, size_t size, size_t *taken);

/* Write a code point; returns its bytes, 1 to 4. */
size_t utf8_encode(uint32_t code_point, char out[4]);

/* How many bytes a sequence with this first byte has; 1 for a byte that begins none. */
size_t utf8_length(unsigned char first);

UnicodeClass unicode_class(uint32_t code_point);

#endif
