/* strata-chat.c - the program that strata starts for a conversation. */
#include "commands.h"

const Command *const program_commands[] = {&command_chat, NULL};
