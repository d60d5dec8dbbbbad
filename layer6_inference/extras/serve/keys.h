/* keys.h - API keys from a file, one per line.
 *
 * Only digests of equal length are kept, and every comparison reads all of them, so timing
 * reveals nothing about a key.
 *
 * Invariant: no key is printed, logged or stored. */
#ifndef STRATA_KEYS_H
#define STRATA_KEYS_H

#include "inference.h"
#include "sha256.h"

enum { KEY_DIGEST = SHA256_BYTES };

typedef struct Keys {
    unsigned char (*digest)[KEY_DIGEST]; /* (count) owns */
    size_t count;
} Keys;

/* Read them; white space around a key, empty lines, lines that begin with #, and repeated keys
 * are ignored.
 *
 * Fails when the file cannot be read or has no key. */
bool keys_open(Keys *keys, const char *path, Fault *fault);
void keys_close(Keys *keys);

/* Is it one of them?  Without keys, every request is allowed. */
bool keys_have(const Keys *keys, Text key);

/* Salt of the prefix cache for a key and the request's cache_salt; 0 without both: shared by
 * all. */
uint64_t keys_salt(Text key, Text own);

#endif
