/* bpe_learn.c - learning byte pair encoding: the most frequent pair of neighbours becomes a
 * symbol, again and again.  See bpe_train.h.
 *
 * Recounting all pairs for every merge is simple and, over distinct words, fast enough: some
 * thousands of words and merges. */
#include "bpe_train.h"

#include <stdlib.h>
#include <string.h>

/* The slot of a pair: its entry, or the empty one where it belongs. */
static PairCount *pair_at(const BpeTrainer *t, int32_t left, int32_t right) {
    size_t mask = t->pair_capacity - 1,
           at = rng_hash((uint64_t)left, (uint64_t)right, 0) & mask;
    while (t->pairs[at].count && (t->pairs[at].left != left || t->pairs[at].right != right))
        at = (at + 1) & mask;
    return &t->pairs[at];
}

/* Count every pair of neighbours, weighted by the word's count: in "aaa" the pair (a, a) occurs
 * twice.  Words with n = 0 are empty entries. */
static void count_pairs(BpeTrainer *t) {
    memset(t->pairs, 0, t->pair_capacity * sizeof *t->pairs);
    for (size_t i = 0; i < t->capacity; i++) {
        const WordCount *word = &t->words[i];
        for (size_t k = 0; k + 1 < word->n; k++) {
            PairCount *pair = pair_at(t, word->symbols[k], word->symbols[k + 1]);
            pair->left = word->symbols[k], pair->right = word->symbols[k + 1];
            pair->count += word->count;
        }
    }
}

/* The most frequent pair; ties: the lower left symbol, then the lower right one.  False: no
 * pair occurs twice. */
static bool best_pair(const BpeTrainer *t, int32_t pair[2]) {
    uint64_t best = 1;
    for (size_t i = 0; i < t->pair_capacity; i++) {
        const PairCount *p = &t->pairs[i];
        bool lower = p->count == best && best > 1 &&
                     (p->left < pair[0] || (p->left == pair[0] && p->right < pair[1]));
        if (p->count > best || lower) best = p->count, pair[0] = p->left, pair[1] = p->right;
    }
    return best > 1;
}

/* Replace the pair by `merged` in every word, from left to right, without overlap: "aaa"
 * becomes "(aa)a". */
static void replace_pair(BpeTrainer *t, const int32_t pair[2], int32_t merged) {
    for (size_t i = 0; i < t->capacity; i++) {
        WordCount *word = &t->words[i];
        size_t to = 0;
        for (size_t k = 0; k < word->n; k++, to++) {
            bool here = k + 1 < word->n && word->symbols[k] == pair[0] &&
                        word->symbols[k + 1] == pair[1];
            word->symbols[to] = here ? merged : word->symbols[k];
            k += here;
        }
        word->n = to;
    }
}

static bool add_symbol(BpeTrainer *t, const int32_t pair[2]) {
    Text left = t->symbols[pair[0]], right = t->symbols[pair[1]];
    char *bytes = malloc(left.size + right.size);
    if (!bytes) return t->ok = false;
    memcpy(bytes, left.data, left.size);
    memcpy(bytes + left.size, right.data, right.size);
    t->merges[t->n_symbols - 256][0] = pair[0], t->merges[t->n_symbols - 256][1] = pair[1];
    t->symbols[t->n_symbols++] = (Text){bytes, left.size + right.size};
    return true;
}

bool bpe_learn(BpeTrainer *t, Fault *fault) {
    Progress progress;
    int32_t pair[2] = {0, 0};
    progress_start(&progress, "vocabulary", "merges", (double)(t->max_symbols - 256));
    while (t->ok && t->n_symbols < t->max_symbols) {
        count_pairs(t);
        if (!best_pair(t, pair))
            return fault_set(fault,
                             "the corpus has words for %zu merges, %zu are wanted: give more "
                             "text or a smaller vocabulary",
                             t->n_symbols - 256, t->max_symbols - 256);
        replace_pair(t, pair, (int32_t)t->n_symbols);
        if (!add_symbol(t, pair)) break;
        progress_show(&progress, (double)(t->n_symbols - 256));
    }
    progress_end(&progress, (double)(t->n_symbols - 256));
    return t->ok || fault_set(fault, "no memory to learn a vocabulary");
}
