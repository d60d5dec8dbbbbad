/* prefix.h - the prefix cache: prompts that begin alike are evaluated once.
 *
 * After a prompt, its full pages may be kept under the tokens they hold.  Pages form chains,
 * because a page's keys depend on all tokens before it.  A prompt that departs in the middle of
 * a page shares that page too, up to there:
 *
 *     "You are a helpful ..." --> "... Answer in French." --> ...
 *                             \-> "... Answer in German." --> ...
 *
 *     hash(page) = mix(hash(page before), its tokens)     hashing a prompt finds its chain
 *     last page  = the child that shares the most tokens with the rest of the prompt
 *
 * Pages stay until room is needed; then the least recently used leaf goes first.
 *
 * Invariant: a prefix is found only by the same tokens after the same prefix (compared, not
 * only hashed), so a sequence that starts with it has the same bits [what_was_read_is_shared].
 * Source   chains of hashes: vLLM's automatic prefix caching (2024); a tree of them: Zheng et
 *          al. 2023, arXiv:2312.07104. */
#ifndef STRATA_PREFIX_H
#define STRATA_PREFIX_H

#include "kv.h"

/* One node of the prefix cache: KV_PAGE tokens after those of `parent`, and their pages. */
typedef struct Prefix {
    bool kept; /* in use; else on the free list */
    uint64_t hash, salt;
    uint64_t used;  /* clock at its last use */
    int32_t parent; /* -1: none, the tokens start at position 0 */
    int32_t children;
    int32_t next;    /* in its bucket or in the free list */
    int32_t *tokens; /* (KV_PAGE) */
    int32_t *page;   /* (layers); -1: a window had released it */
    int32_t state;   /* the state page after its tokens; -1: none */
} Prefix;

/* Room for config.prefixes pages.  Call after kv_init. */
void prefix_init(KvCache *kv, Arena *arena);

/* Reuse the longest cached prefix of a prompt; what the sequence held is dropped.
 *
 *   salt   prompts with different salts share nothing
 *
 * Returns the number of tokens that need no evaluation: less than n, because the last token's
 * logits are needed; whole pages if there are recurrent layers.  A partly shared page is copied
 * before it is written (kv.h). */
size_t prefix_find(KvCache *kv, size_t sequence, const int32_t *tokens, size_t n,
                   uint64_t salt);

/* Keep the full pages of a sequence that holds these tokens. */
void prefix_keep(KvCache *kv, size_t sequence, const int32_t *tokens, size_t n, uint64_t salt);

/* Free pages, and those that only prefixes hold. */
size_t prefix_free_pages(const KvCache *kv);

/* Evict the least recently used prefix.  False when there is none. */
bool prefix_evict(KvCache *kv);

/* Evict prefixes that contain a token in low .. high - 1, and their descendants: the ids are
 * about to be reused for other embeddings. */
void prefix_forget(KvCache *kv, int32_t low, int32_t high);

#endif
