/* more_families.c - the families of the core are all there are.  See bind.h; a program that
 * links the extras has the table extras/more_families.c in place of this one. */
#include "model/bind.h"

const MoreFamilies more_families = {
    .advice = "; this program reads plain decoders alone, strata reads more",
};
