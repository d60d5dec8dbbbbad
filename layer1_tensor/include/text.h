/* text.h - a string as a pointer and a size. */
#ifndef STRATA_TEXT_H
#define STRATA_TEXT_H

#include <stdbool.h>
#include <stddef.h>

/* A borrowed run of bytes; not NUL-terminated. */
typedef struct Text {
    const char *data;
    size_t size; /* bytes */
} Text;

Text text_of(const char *string);
bool text_equal(Text a, Text b);

bool text_begins(Text text, Text with);
bool text_ends(Text text, Text with);

/* The text without white space at both ends. */
Text text_trim(Text text);

/* Compare bytes, as memcmp: below 0: a comes first; 0: equal. */
int text_order(Text a, Text b);

/* The value of a digit up to base 36: 10 to 35 for a to z and A to Z; 99: not a digit. */
int digit_value(char c);

/* Cut off and return the text before the first `mark`, or all of it; *rest is what follows. */
Text text_cut(Text *rest, char mark);

#endif
