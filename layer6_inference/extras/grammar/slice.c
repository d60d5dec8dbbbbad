/* slice.c - see slice.h. */
#include "slice.h"

#include <stdlib.h>
#include <string.h>

/* Other characters are no slower to walk. */
static const char *const made_of[SLICES] = {" !#-[]-~", " 0-9A-Za-z", "0-9A-Za-z",
                                            "A-Za-z",   "0-9a-z",     "a-z"};

static ByteSet bytes_of(const char *ranges) {
    ByteSet set = {{0}};
    for (; *ranges; ranges++) {
        unsigned first = (uint8_t)ranges[0], last = first;
        if (ranges[1] == '-' && ranges[2]) last = (uint8_t)ranges[2], ranges += 2;
        for (unsigned b = first; b <= last; b++) byte_set_add(&set, b);
    }
    return set;
}

/* Find the nodes with tokens over the slice's bytes alone, and those that only begin with one.
 *
 *   within, beyond   (nodes) written */
static void find_nodes(const Slice *slice, const Trie *trie, bool *within, bool *beyond) {
    bool path[SLICE_LONGEST + 1] = {true}, begins = false;
    for (uint32_t i = 0; i < trie->count; i++) {
        const TrieNode *node = &trie->node[i];
        bool has = byte_set_has(&slice->bytes, node->byte), tokens = node->first < node->last;
        if (node->depth == 1) begins = has;
        bool all = node->depth <= SLICE_LONGEST && path[node->depth - 1] && has;
        if (node->depth <= SLICE_LONGEST) path[node->depth] = all;
        within[i] = tokens && all, beyond[i] = tokens && begins && !all;
    }
}

/* Nodes are sorted by first byte, and so are the tokens. */
static void slice_take_tokens(Slice *slice, const Trie *trie, const bool *within) {
    uint32_t count = 0;
    unsigned first = 0;
    for (uint32_t i = 0; i < trie->count; i++) {
        const TrieNode *node = &trie->node[i];
        if (node->depth == 1)
            while (first <= node->byte) slice->begin[first++] = count;
        if (!within[i]) continue;
        for (uint32_t k = node->first; k < node->last; k++) {
            int32_t token = trie->order[k];
            slice->tokens[count++] = token;
            slice->all[token >> 6] |= (uint64_t)1 << (token & 63);
        }
        if (node->depth > slice->longest) slice->longest = node->depth;
    }
    while (first <= 256) slice->begin[first++] = count;
}

static bool make_slice(Slice *slice, const Trie *trie, size_t words) {
    bool *within = malloc(2 * (size_t)trie->count + 1), *beyond = within + trie->count;
    slice->all = calloc(words + 1, sizeof *slice->all);
    slice->tokens = malloc((trie->n_order + 1) * sizeof *slice->tokens);
    bool ok = within && slice->all && slice->tokens;
    if (ok) {
        find_nodes(slice, trie, within, beyond);
        slice_take_tokens(slice, trie, within);
        ok = trie_part(&slice->rest, trie, beyond);
    }
    free(within);
    return ok;
}

bool slices_make(Slice slices[SLICES], const Trie *trie, size_t words, Fault *fault) {
    for (int i = 0; i < SLICES; i++) {
        slices[i].bytes = bytes_of(made_of[i]);
        if (make_slice(&slices[i], trie, words)) continue;
        slices_free(slices);
        return fault_set(fault, "no memory for the words of a grammar");
    }
    return true;
}

void slices_free(Slice slices[SLICES]) {
    for (int i = 0; i < SLICES; i++) {
        trie_close(&slices[i].rest);
        free(slices[i].all), free(slices[i].tokens);
        slices[i] = (Slice){.longest = 0};
    }
}
