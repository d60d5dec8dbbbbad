/* stage_kinds.c - the samplers of the core, and room for those of a program.
 *
 * extras/stage_kinds.c, with grammars, takes this file's place where it is linked. */
#include "stage_kinds.h"

const StageKind *stage_kinds[STAGES + 1] = {STAGES_OF_THE_CORE};
