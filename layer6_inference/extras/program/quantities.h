/* quantities.h - numbers with units, read and printed. */
#ifndef STRATA_QUANTITIES_H
#define STRATA_QUANTITIES_H

#include "machines_cost.h"

/* "1Gb/s:100us"; without a delay: none.  Fails for anything else, saying what was wanted. */
bool network_read(const char *text, MachinesNetwork *network, Fault *fault);

/* A number of three digits or more, "0.123", "1800": %g has exponents from 1000 on. */
typedef struct Digits {
    char text[32];
} Digits;
Digits digits(double x);

#endif
