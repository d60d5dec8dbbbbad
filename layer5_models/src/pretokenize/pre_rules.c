/* pre_rules.c - the core's pre-tokenizer rules.
 *
 * extras/pre_rules.c, with all rules, replaces this file in programs that link it.
 *
 * Source   the models' tokenizer.json files */
#include "pre_rules.h"

const PreRule pre_rules[] = {PRE_RULES_OF_THE_CORE, {.names = NULL}};

const char *const pre_rules_elsewhere = ", but the program strata has more rules";
