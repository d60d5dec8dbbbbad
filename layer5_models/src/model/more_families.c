/* more_families.c - no families beyond the core's.  See bind.h; extras/more_families.c replaces
 * this file in programs that link the extras. */
#include "model/bind.h"

const MoreFamilies more_families = {
    .advice = "; this program reads plain decoders alone, strata reads more",
};
