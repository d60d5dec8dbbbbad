/* strata-lab.c - the program that strata starts to train, measure and look inside. */
#include "commands.h"

const Command *const program_commands[] = {&command_train,
                                           &command_world,
                                           &command_compare,
                                           &command_tune,
                                           &command_perplexity,
                                           &command_look,
                                           &command_figure,
                                           &command_bench,
                                           &command_profile,
                                           &command_simulate,
                                           NULL};
