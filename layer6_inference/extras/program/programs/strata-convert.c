/* strata-convert.c - the program that strata starts to write model files. */
#include "commands.h"

const Command *const program_commands[] = {&command_convert, &command_quantize, NULL};
