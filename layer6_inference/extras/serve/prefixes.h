/* prefixes.h - the prefix cache of a model in a folder (--prefixes): read when the model is
 * loaded, written when it is unloaded or the server ends.
 *
 * Invariant: a file that cannot be used costs a line in the log, and never a text; its name
 * stays in the folder, whatever the model is called. */
#ifndef STRATA_PREFIXES_H
#define STRATA_PREFIXES_H

#include "server.h"

/* Can the file of a model be written?  True without --prefixes. */
bool prefixes_check(const Server *server, Fault *fault);

/* Remember what the adapters' files hold, as soon as they are loaded: another file may stand in
 * their place when prefixes are written.  A folder counts as its weights. */
bool prefixes_adapters(Server *server, Fault *fault);

/* Before the worker starts, and after it has ended. */
void prefixes_read(Server *server);
void prefixes_write(Server *server);

#endif
