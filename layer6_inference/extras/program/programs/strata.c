/* strata.c - the program strata: what needs no other program.  What the others do, it has them do (main.c). */
#include "commands.h"

const Command *const program_commands[] = {
    &command_generate, &command_diffuse,  &command_pull,
    &command_inspect,  &command_dump,     &command_samplers,
    &command_chain,    &command_grammar,  &command_watermark,
    &command_tokenize, &command_template, &command_logits,
    &command_embed,    &command_rerank,   NULL};
