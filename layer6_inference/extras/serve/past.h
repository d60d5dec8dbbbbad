/* past.h - drafts of a server's answers, from what it answered before: a suffix store for each
 * key (suffix_store.h).
 *
 * Invariant: texts with different salts never share a store; memory is bounded.  Used by the
 * worker only. */
#ifndef STRATA_PAST_H
#define STRATA_PAST_H

#include "job.h"

enum { PAST_STORES = 16, PAST_NODES = 1 << 18 /* 6 MB */ };

typedef struct PastStore {
    SuffixStore *store; /* NULL: unused; owns */
    uint64_t salt, used;
    size_t answers; /* that draft from it now */
} PastStore;

typedef struct Past {
    PastStore of[PAST_STORES];
    uint64_t clock;
    size_t drafted, accepted; /* tokens of all finished answers */
} Past;

/* Let an answer draft tokens, before it is submitted.  With banned texts, a
 * shifted context or tokens that it continues it does not.
 *
 *   kind     NULL: no drafts
 *   length   tokens in a draft */
void past_join(Past *past, Answer *answer, const DraftKind *kind, size_t length);

/* The answer is over. */
void past_leave(Past *past, const Answer *answer);
void past_close(Past *past);

#endif
