/* input_terms.h - what is known of an input before any weight is read. */
#ifndef STRATA_INPUT_TERMS_H
#define STRATA_INPUT_TERMS_H

#include "../panel.h"

/* Of each group of 16 or 32: where the whole sum starts, -offset times the sum of the inputs, and what a min is multiplied
 * with, d times that sum. */
typedef struct InputTerms {
    int32_t start[PANEL_GROUPS];
    float total[PANEL_GROUPS];
} InputTerms;

#endif
