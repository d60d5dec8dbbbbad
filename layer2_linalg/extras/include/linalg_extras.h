/* linalg_extras.h - the extras of layer 2 that have functions of their own. */
#ifndef STRATA_LINALG_EXTRAS_H
#define STRATA_LINALG_EXTRAS_H

#include "linalg.h"

#include "peak.h" /* the peak speed of this machine: the roof above every kernel */

#endif
