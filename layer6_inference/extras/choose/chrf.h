/* chrf.h - how alike two texts are; private to extras/choose. */
#ifndef STRATA_CHRF_H
#define STRATA_CHRF_H

#include "text.h"

/* chrF: how much of a reference's runs of 1 to 6 characters a text has, and how many of its own
 * are in the reference; an F score in which the first counts twice.  White space is left out.
 * 0 to 1, 1 for equal texts.
 *
 * Returns a negative number without memory.
 * Source   Popovic 2015, doi:10.18653/v1/W15-3049. */
double choose_chrf(Text text, Text reference);

#endif
