/* commands.c - the commands of the runs of runs.txt and of the debugging labs in one program, so
 * that its calls are counted in one place. */
#include "commands.h"

const Command *const program_commands[] = {
    &command_generate, &command_diffuse,    &command_inspect,  &command_quantize,
    &command_embed,    &command_tokenize,   &command_template, &command_train,
    &command_bench,    &command_look,       &command_profile,  &command_logits,
    &command_dump,     &command_perplexity, &command_world,    NULL};
