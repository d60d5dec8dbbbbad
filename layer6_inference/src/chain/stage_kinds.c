/* stage_kinds.c - the samplers of the core, and room for registered ones.
 *
 * extras/stage_kinds.c, with grammars, replaces this file in programs that link it. */
#include "stage_kinds.h"

const StageKind *stage_kinds[STAGES + 1] = {STAGES_OF_THE_CORE};
