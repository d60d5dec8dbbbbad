/* constrain.h - response_format and tools as stages before the chain. */
#ifndef STRATA_CONSTRAIN_H
#define STRATA_CONSTRAIN_H

#include "fields.h"
#include "chat.h"

/* The stages, each followed by a comma; "" if none.  Free it. */
bool constrain(const RequestFields *fields, ChatCalls form, char **stages, HttpError *error);

#endif
