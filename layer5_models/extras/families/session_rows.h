/* session_rows.h - what decoder.c asks of session_rows.c.
 *
 * Invariant: a token behind the vocabulary has a row, or its batch was refused. */
#ifndef STRATA_SESSION_ROWS_H
#define STRATA_SESSION_ROWS_H

#include "decoder.h"

/* The row (dim) that comes in place of the embedding of a batch's token i: the batch brings one, or the session has
 * one for it; NULL: none does. */
const float *row_of_token(const Session *session, const Batch *batch, size_t i);

#endif
