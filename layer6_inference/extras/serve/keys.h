/* keys.h - API keys from a file, and what each may ask for.
 *
 *     sk-7f3a... name=mia seconds=60 tokens=2000 places=4
 *     sk-91bc... name=class priority=-10
 *
 * One key per line; a word that is left out has the operator's option as its limit.  Only
 * digests of equal length are kept, and every comparison reads all of them, so timing reveals
 * nothing about a key.
 *
 * Invariant: no key is printed, logged or stored. */
#ifndef STRATA_KEYS_H
#define STRATA_KEYS_H

#include "inference.h"
#include "sha256.h"

#include <pthread.h>

enum { KEY_DIGEST = SHA256_BYTES, KEY_NAME = 32 };

/* The most that the requests of a key may ask for. */
typedef struct KeyLimits {
    char name[KEY_NAME]; /* for the log; "-" without keys */
    int priority;
    double seconds; /* for an answer, waiting included; 0: any */
    size_t tokens;  /* of an answer; 0: any */
    size_t places;  /* slots at once; 0: any */
} KeyLimits;

typedef struct Key {
    unsigned char digest[KEY_DIGEST];
    KeyLimits limits;
} Key;

typedef struct Keys {
    const char *path; /* NULL: no keys, and every request is allowed */
    KeyLimits without;
    Key *of; /* (count) owns */
    size_t count;
    pthread_rwlock_t lock; /* guards `of` and `count` */
} Keys;

/* Read them; white space around a key, empty lines, and lines that begin with # are ignored.
 *
 *   path      NULL: there are none
 *   without   limits of requests without keys, and of keys that have no others; copied
 *
 * Fails when the file cannot be read, has no key, a key twice or a wrong limit, or when users
 * other than its owner and group may read or write it. */
bool keys_open(Keys *keys, const char *path, const KeyLimits *without, Fault *fault);
void keys_close(Keys *keys);

/* Read the file again.  If that fails, the old keys stay. */
bool keys_reload(Keys *keys, Fault *fault);

/* Is it one of them?  Without keys, every request is allowed. */
bool keys_find(Keys *keys, Text key, KeyLimits *limits);

/* Salt of the prefix cache for a key and the request's cache_salt; 0 without both: shared by
 * all. */
uint64_t keys_salt(Text key, Text own);

#endif
