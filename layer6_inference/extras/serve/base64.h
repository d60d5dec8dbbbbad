/* base64.h - bytes as characters of six bits.
 *
 *     01101000 01101001          "hi"
 *     011010 000110 1001--       "aGk="
 *
 * Invariant: one spelling per byte string: base64_read accepts only what base64_write produces.
 * Source   RFC 4648, section 4. */
#ifndef STRATA_BASE64_H
#define STRATA_BASE64_H

#include "calls/write.h"

void base64_write(FILE *out, const void *bytes, size_t size);

/* Append the decoded bytes.
 *
 * Fails at the first character that is not base64, when the padding is wrong, and without
 * memory. */
bool base64_read(Text letters, Bytes *bytes, Fault *fault);

#endif
