/* strata.c - the program strata: the commands that it does itself. */
#include "commands.h"

const Command *const program_commands[] = {
    &command_generate, &command_diffuse,  &command_pull,
    &command_inspect,  &command_dump,     &command_samplers,
    &command_chain,    &command_grammar,  &command_watermark,
    &command_tokenize, &command_template, &command_logits,
    &command_embed,    &command_rerank,   NULL};
