/* input_terms.h - the terms of a product that depend only on the input. */
#ifndef STRATA_INPUT_TERMS_H
#define STRATA_INPUT_TERMS_H

#include "../panel.h"

/* For each group of 16 or 32: the integer sum starts at -offset * sum q, and a min is
 * multiplied by d * sum q. */
typedef struct InputTerms {
    int32_t start[PANEL_GROUPS];
    float total[PANEL_GROUPS];
} InputTerms;

#endif
