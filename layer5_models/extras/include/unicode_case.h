/* unicode_case.h - upper and lower case, and letters without their accents. */
#ifndef STRATA_UNICODE_CASE_H
#define STRATA_UNICODE_CASE_H

#include <stdint.h>

/* The lower-case form of a letter, else the same (of a capital I with a dot: i). */
uint32_t unicode_lower(uint32_t code_point);

/* The base character (the e of an e with an acute), else the same: canonical decomposition. */
uint32_t unicode_base(uint32_t code_point);

typedef enum LetterCase { LOWER_CASE, UPPER_CASE } LetterCase;

/* The single letter that this one becomes, else the same. */
uint32_t unicode_cased(uint32_t code_point, LetterCase to);

/* The two or three letters that it becomes (sharp s: "SS"); NULL: it becomes one. */
const char *unicode_cased_long(uint32_t code_point, LetterCase to);

#endif
