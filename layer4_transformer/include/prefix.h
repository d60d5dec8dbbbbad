/* prefix.h - texts that begin alike are read once.
 *
 * When a text has been read, its full pages may be kept under the tokens they hold.  They form
 * chains, because what a page holds depends on all that came before it; and a text that parts from them
 * inside a page shares that one, too, up to there:
 *
 *     "You are a helpful ..." --> "... Answer in French." --> ...
 *                             \-> "... Answer in German." --> ...
 *
 *     hash(page) = mix(hash(page before), its tokens)          a chain is found by hashing the new text
 *     the next page = of those after it, the one that begins with the most of the text's tokens
 *
 * Pages stay as long as nobody needs the room; then the least recently used prefix goes, leaves of the
 * tree first.
 *
 * Invariant: a prefix is found only by the same tokens after the same prefix, compared, not only
 * hashed; so a sequence that begins with it goes on to the same bits as one that read it.
 * Source   the chain of hashes: vLLM's automatic prefix caching (2024); Zheng et al. 2023,
 *          arXiv:2312.07104 (a tree of them). */
#ifndef STRATA_PREFIX_H
#define STRATA_PREFIX_H

#include "kv.h"

/* Room for config.prefixes pages of prompts, after kv_init. */
void prefix_init(KvCache *kv, Arena *arena);

/* Let a sequence begin with the longest kept prefix of a text; what it held is forgotten.
 *
 *   salt   texts of different salts share nothing
 *
 * Returns the positions that need not be read: less than n, because the last token has to be read for
 * its logits; and whole pages where there are recurrent layers.  A page of which a part is shared is
 * copied before the text goes on in it (kv.h). */
size_t prefix_find(KvCache *kv, size_t sequence, const int32_t *tokens, size_t n,
                   uint64_t salt);

/* Keep the full pages of a sequence that has read these tokens. */
void prefix_keep(KvCache *kv, size_t sequence, const int32_t *tokens, size_t n, uint64_t salt);

/* Pages that are free, or are as soon as prefixes make way. */
size_t prefix_free_pages(const KvCache *kv);

/* Evict the least recently used prefix.  False when there is none. */
bool prefix_evict(KvCache *kv);

/* Forget the prefixes with one of the tokens low .. high - 1, and what goes on from them: these are about to stand for
 * something else (session_lend in decoder.h). */
void prefix_forget(KvCache *kv, int32_t low, int32_t high);

#endif
