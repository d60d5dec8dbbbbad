/* sha256.h - SHA-256, to verify downloads and to compare keys.
 *
 *     sha256_begin --> sha256_add, once for each run of bytes --> sha256_end: 64 hex digits
 *
 * Source  FIPS 180-4, section 6.2. */
#ifndef STRATA_SHA256_H
#define STRATA_SHA256_H

#include <stddef.h>
#include <stdint.h>

enum { SHA256_BYTES = 32, SHA256_TEXT = 65 /* the digits and their NUL */ };

typedef struct Sha256 {
    uint32_t state[8];
    uint64_t size;           /* bytes so far */
    unsigned char block[64]; /* the last size % 64 of them, which fill no block yet */
} Sha256;

void sha256_begin(Sha256 *sha);
void sha256_add(Sha256 *sha, const void *data, size_t size);

/* Finish: the digest as bytes, or as hex digits in lower case. */
void sha256_digest(Sha256 *sha, unsigned char digest[SHA256_BYTES]);
void sha256_end(Sha256 *sha, char text[SHA256_TEXT]);

#endif
