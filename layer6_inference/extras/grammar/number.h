/* number.h - tests of decimal numbers, digit by digit.
 *
 * Bounds and divisors make unreadable regular expressions but small automata: the state is one
 * number.
 *
 *     at least 12.5     12.4  -> equal, equal, less for good      13   -> greater for good
 *     multiple of 7     343   -> 3 mod 7, 34 mod 7 = 6, 343 mod 7 = 0
 *
 * Invariant: right for every text -?(0|[1-9][0-9]*)(\.[0-9]+)?, which an expression beside the
 * test checks. */
#ifndef STRATA_NUMBER_H
#define STRATA_NUMBER_H

#include "fault.h"
#include "models.h"
#include <stdint.h>

#define NUMBER_NEVER UINT32_MAX /* no continuation can pass */

typedef enum NumberRelation {
    NUMBER_AT_LEAST,
    NUMBER_ABOVE,
    NUMBER_AT_MOST,
    NUMBER_BELOW,
    NUMBER_MULTIPLE
} NumberRelation;

enum { NUMBER_DIGITS = 400 };

/* 0.0125 is "0" and "0125": no leading integer zeros, no trailing fraction zeros. */
typedef struct Decimal {
    bool negative;
    uint16_t whole_count, part_count;
    char whole[NUMBER_DIGITS], part[NUMBER_DIGITS];
} Decimal;

typedef struct NumberTest {
    NumberRelation relation;
    Decimal bound;    /* comparisons */
    uint32_t divisor; /* multiples: x * 10^shift is a multiple of it */
    uint32_t shift;
} NumberTest;

/* Read a JSON number, including its exponent.
 *
 * Fails if written out it has more than NUMBER_DIGITS digits. */
bool decimal_read(Decimal *decimal, Text text);

/* -1, 0, 1: less, equal, greater. */
int decimal_compare(const Decimal *a, const Decimal *b);

/* Test for multiples of a number.
 *
 * Fails if the divisor has more than 7 significant digits or more than 40 decimals. */
bool number_multiple(NumberTest *test, const Decimal *of);

/* Merge two tests into their least common multiple: 4 and 6 become 12.
 *
 * Fails if that is too large; keep both tests then. */
bool number_common(NumberTest *test, const NumberTest *other);

/* The next digit on a shortest way to a multiple, tried first by searches; -1: unknown. */
int number_hint(const NumberTest *test, uint32_t state);

/* State 0 is the start. */
uint32_t number_step(const NumberTest *test, uint32_t state, uint8_t byte);
bool number_accepts(const NumberTest *test, uint32_t state);

#endif
