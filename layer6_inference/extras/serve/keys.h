/* keys.h - who may ask: keys from a file, one a line.
 *
 * What is kept and compared are digests of one length, and all of each: how long a comparison takes
 * tells nothing about a key.
 *
 * Invariant: no key is printed, logged, or kept as it is. */
#ifndef STRATA_KEYS_H
#define STRATA_KEYS_H

#include "inference.h"
#include "sha256.h"

enum { KEY_DIGEST = SHA256_BYTES };

typedef struct Keys {
    unsigned char (*digest)[KEY_DIGEST]; /* (count) owns */
    size_t count;
} Keys;

/* Read them, without the white space around them; empty lines, those that begin with #, and a key once more are passed over.
 *
 * Fails when the file cannot be read or holds none. */
bool keys_open(Keys *keys, const char *path, Fault *fault);
void keys_close(Keys *keys);

/* Is it among them?  Without keys everybody may ask. */
bool keys_have(const Keys *keys, Text key);

/* The salt of what is read for a key (GenerateOptions), with a text of the request's own; 0 without both: all
 * may share then. */
uint64_t keys_salt(Text key, Text own);

#endif
