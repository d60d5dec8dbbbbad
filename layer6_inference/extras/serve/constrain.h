/* constrain.h - what a text must obey: response_format and tools as stages before the chain. */
#ifndef STRATA_CONSTRAIN_H
#define STRATA_CONSTRAIN_H

#include "ask.h"
#include "chat.h"

/* The stages, each with a comma behind it; "" when there are none.  Free them. */
bool constrain(const Ask *ask, ChatCalls form, char **stages, Refusal *refusal);

#endif
