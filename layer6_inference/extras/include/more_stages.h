/* more_stages.h - samplers beside those of the core. */
#ifndef STRATA_MORE_STAGES_H
#define STRATA_MORE_STAGES_H

#include "stage.h"

extern const StageKind stage_arithmetic, /* draws by a code instead of by chance */
    stage_edt,                           /* a temperature that follows the entropy */
    stage_dola,                          /* contrasts the last layer with an early one */
    stage_min_k;                         /* cuts where the logits fall furthest */

#endif
