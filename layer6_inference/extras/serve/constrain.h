/* constrain.h - what a text must obey: response_format and tools as stages before the chain. */
#ifndef STRATA_CONSTRAIN_H
#define STRATA_CONSTRAIN_H

#include "fields.h"
#include "chat.h"

/* The stages, each with a comma behind it; "" when there are none.  Free them. */
bool constrain(const RequestFields *fields, ChatCalls form, char **stages, HttpError *error);

#endif
