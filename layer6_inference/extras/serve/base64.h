/* base64.h - bytes as letters, six bits each.
 *
 *     01101000 01101001          "hi"
 *     011010 000110 1001--       "aGk="
 *
 * Invariant: bytes have one spelling; what base64_read takes, base64_write would have written.
 * Source   RFC 4648, section 4. */
#ifndef STRATA_BASE64_H
#define STRATA_BASE64_H

#include "calls/write.h"

void base64_write(FILE *out, const void *bytes, size_t size);

/* Append the bytes that some letters stand for.
 *
 * Fails, naming the first one that is wrong, when they are not such letters, padded to a multiple of four; and
 * when memory runs out. */
bool base64_read(Text letters, Bytes *bytes, Fault *fault);

#endif
