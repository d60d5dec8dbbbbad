/* unicode.h - UTF-8, and the categories of characters that pre-tokenizers use. */
#ifndef STRATA_UNICODE_H
#define STRATA_UNICODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* General categories; those that no rule tells apart are merged. */
typedef enum UnicodeCategory {
    UNICODE_OTHER, /* unassigned */
    UNICODE_CONTROL,
    UNICODE_LU, /* letters: upper case, lower case, title case, modifiers, others */
    UNICODE_LL,
    UNICODE_LT,
    UNICODE_LM,
    UNICODE_LO,
    UNICODE_MARK,
    UNICODE_ND, /* numbers: digits, letters, others */
    UNICODE_NL,
    UNICODE_NO,
    UNICODE_PUNCTUATION,
    UNICODE_SYMBOL,
    UNICODE_SEPARATOR,
    UNICODE_CATEGORIES
} UnicodeCategory;

/* A set of categories. */
enum {
    UNICODE_LETTERS =
        1 << UNICODE_LU | 1 << UNICODE_LL | 1 << UNICODE_LT | 1 << UNICODE_LM | 1 << UNICODE_LO,
    UNICODE_NUMBERS = 1 << UNICODE_ND | 1 << UNICODE_NL | 1 << UNICODE_NO,
    UNICODE_PUNCTUATIONS = 1 << UNICODE_PUNCTUATION
};

/* The code point at the start of `bytes`, and its size.  A byte that begins no valid sequence
 * is one unit with code point 0xFFFD.  Needs size > 0.
 *
 * Source   RFC 3629 (no overlong forms, no surrogates, at most 0x10FFFF) */
uint32_t utf8_decode(const char *bytes, size_t size, size_t *taken);

/* Write a code point; returns its bytes, 1 to 4. */
size_t utf8_encode(uint32_t code_point, char out[4]);

/* Size of a sequence with this first byte; 1 for an invalid one. */
size_t utf8_length(unsigned char first);

/* The visible character as which vocabularies like GPT-2's write a byte. */
uint32_t byte_to_visible(unsigned char byte);

UnicodeCategory unicode_category(uint32_t code_point);

/* All code points in order, as ranges of one category. */
typedef struct UnicodeRange {
    uint32_t first, last;
    UnicodeCategory category;
} UnicodeRange;

size_t unicode_range_count(void);
UnicodeRange unicode_range(size_t row); /* needs row < unicode_range_count() */

/* Is it white space? (the property White_Space) */
bool unicode_is_space(uint32_t code_point);

#endif
