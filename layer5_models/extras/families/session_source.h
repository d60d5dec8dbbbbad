/* session_source.h - what decoder.c asks of session_source.c.
 *
 * Invariant: a sequence's source is read in one batch, or none of it is. */
#ifndef STRATA_SESSION_SOURCE_H
#define STRATA_SESSION_SOURCE_H

#include "decoder.h"

/* Does every sequence that begins in a batch bring all of its source?  Nothing is asked of a model without an
 * encoder. */
bool source_check(const Session *session, const Batch *batch, Fault *fault);

/* Note where sources end; the rows of sources, and those of what is written. */
void source_split(Session *session, const Batch *batch, Batch *source, Batch *text);

/* The encoder's rows (session->x) become keys and values of every layer that writes. */
void source_keep(Session *session, const Batch *source);

#endif
