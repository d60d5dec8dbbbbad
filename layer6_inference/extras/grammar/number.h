/* number.h - tests that a decimal number passes digit by digit.
 *
 * A bound and a divisor are no regular expressions that one would want to read, but they are
 * small automata: what must be remembered of the digits so far is one number.
 *
 *     at least 12.5     12.4  -> equal, equal, less for good      13   -> greater for good
 *     multiple of 7     343   -> 3 mod 7, 34 mod 7 = 6, 343 mod 7 = 0
 *
 * Invariant: right for every text -?(0|[1-9][0-9]*)(\.[0-9]+)?  That it is one, an
 * expression beside the test has to see to. */
#ifndef STRATA_NUMBER_H
#define STRATA_NUMBER_H

#include "fault.h"
#include "models.h"
#include <stdint.h>

#define NUMBER_NEVER UINT32_MAX /* no digits to come can make it pass */

typedef enum NumberRelation {
    NUMBER_AT_LEAST,
    NUMBER_ABOVE,
    NUMBER_AT_MOST,
    NUMBER_BELOW,
    NUMBER_MULTIPLE
} NumberRelation;

enum { NUMBER_DIGITS = 400 };

/* A decimal number as digits: 0.0125 is "0" and "0125"; no zeros at the outer ends. */
typedef struct Decimal {
    bool negative;
    uint16_t whole_count, part_count;
    char whole[NUMBER_DIGITS], part[NUMBER_DIGITS];
} Decimal;

typedef struct NumberTest {
    NumberRelation relation;
    Decimal bound;    /* of a comparison */
    uint32_t divisor; /* of a multiple: x * 10^shift is a multiple of it */
    uint32_t shift;
} NumberTest;

/* Read a JSON number, exponent and all.
 *
 * Fails when it takes more than NUMBER_DIGITS digits written out. */
bool decimal_read(Decimal *decimal, Text text);

/* -1, 0, 1: less, equal, greater. */
int decimal_compare(const Decimal *a, const Decimal *b);

/* A test for multiples.
 *
 * Fails when the divisor has more than seven significant digits or more than 40 after the
 * point. */
bool number_multiple(NumberTest *test, const Decimal *of);

/* One test for the multiples of both: those of 4 and of 6 are those of 12.
 *
 * Fails when that is too large a number; then both tests stay. */
bool number_common(NumberTest *test, const NumberTest *other);

/* The digit by which the fewest more make a multiple, for a search to try first; -1: none is
 * known. */
int number_hint(const NumberTest *test, uint32_t state);

/* State 0 is the beginning. */
uint32_t number_step(const NumberTest *test, uint32_t state, uint8_t byte);
bool number_accepts(const NumberTest *test, uint32_t state);

#endif
