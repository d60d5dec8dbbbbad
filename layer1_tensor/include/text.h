/* text.h - a text as a pointer and a size. */
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

/* Are its first bytes those of another? */
bool text_begins(Text text, Text with);

/* Below 0: a comes before b by the values of their bytes; 0: they are equal. */
int text_order(Text a, Text b);

/* The value of a digit: 0 to 9, then 10 to 35 for a to z and A to Z; 99: not a digit. */
int digit_value(char c);

/* Cut the text before the first `mark` off *rest; without a mark, all of it. */
Text text_cut(Text *rest, char mark);

#endif
