/* grammar_stages.h - the stages that constrain a text by a grammar. */
#ifndef STRATA_GRAMMAR_STAGES_H
#define STRATA_GRAMMAR_STAGES_H

#include "stage.h"

extern const StageKind stage_grammar, stage_json, stage_json_schema, stage_tags, stage_regex,
    stage_choice;

/* From now on no stage opens a file named in a chain (grammar:@FILE): for programs whose
 * chains come from strangers.  Call it before other threads parse chains. */
void stage_forbid_files(void);

#endif
