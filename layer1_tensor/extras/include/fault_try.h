/* fault_try.h - where memory may run out without ending the program: in a server.
 *
 * NEED_MEMORY (fault.h) then ends what is tried, as a return from its middle.
 *
 * Invariant: what runs outside of every fault_try ends the program, as ever
 * [failures/serve.py]. */
#ifndef STRATA_FAULT_TRY_H
#define STRATA_FAULT_TRY_H

#include "fault.h"

/* Run a function.  False: NEED_MEMORY stopped it, and the fault says for what.  Then its locks
 * are still held, and what it was changing may only be freed. */
bool fault_try(void (*run)(void *context), void *context, Fault *fault);

#endif
