/* stage_kinds.c - all stages: grammars first, then those of the core, then of other extras. */
#include "chain/stage_kinds.h"

#include "grammar_stages.h"
#include "more_stages.h"
#include "sampler_reference.h"

const StageKind *stage_kinds[STAGES + 1] = {
    &stage_grammar,    &stage_json,   &stage_json_schema, &stage_tags,
    &stage_regex,      &stage_choice, STAGES_OF_THE_CORE, &stage_ref,
    &stage_arithmetic, &stage_edt,    &stage_dola,        &stage_min_k,
};
