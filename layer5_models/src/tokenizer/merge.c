/* merge.c - merging neighbours, best first, with a heap of candidates.
 *
 * A candidate holds the sizes of its two pieces; if one has changed when it is popped, it is
 * stale and dropped. */
#include "encoder.h"

#include <stdlib.h>

typedef struct Candidate {
    double priority;
    int32_t left, right, merged;
    uint32_t left_size, right_size;
} Candidate;

/* piece numbers have 32 bits; the size of 3 candidates each must not overflow */
static const size_t MAX_PIECES = SIZE_MAX >> 8 < 1u << 30 ? SIZE_MAX >> 8 : 1u << 30;

typedef struct Heap {
    Candidate *items;
    size_t count;
} Heap;

bool scratch_reserve(Scratch *scratch, size_t max_pieces, Fault *fault) {
    if (max_pieces <= scratch->max_pieces) return true;
    scratch_free(scratch);
    max_pieces = max_pieces < 64 ? 64 : max_pieces;
    if (max_pieces <= MAX_PIECES) {
        scratch->pieces = malloc(max_pieces * sizeof *scratch->pieces);
        /* n - 1 at first, two more for each of n - 1 merges */
        scratch->candidates = malloc(3 * max_pieces * sizeof *scratch->candidates);
    }
    if (!scratch->pieces || !scratch->candidates) {
        scratch_free(scratch);
        return fault_set(fault,
                         "no memory to make tokens of a piece of %zu bytes that cannot be "
                         "cut: give the text in parts",
                         max_pieces);
    }
    scratch->max_pieces = max_pieces;
    return true;
}

void scratch_free(Scratch *scratch) {
    free(scratch->pieces), free(scratch->candidates), free(scratch->paths);
    *scratch = (Scratch){0};
}

static bool goes_before(const Candidate *a, const Candidate *b) {
    return a->priority < b->priority || (a->priority == b->priority && a->left < b->left);
}

static void heap_push(Heap *heap, Candidate item) {
    size_t i = heap->count++;
    for (; i > 0 && goes_before(&item, &heap->items[(i - 1) / 2]); i = (i - 1) / 2)
        heap->items[i] = heap->items[(i - 1) / 2];
    heap->items[i] = item;
}

static Candidate heap_pop(Heap *heap) {
    Candidate top = heap->items[0], last = heap->items[--heap->count];
    size_t i = 0;
    for (size_t child = 1; child < heap->count; child = 2 * i + 1) {
        if (child + 1 < heap->count &&
            goes_before(&heap->items[child + 1], &heap->items[child]))
            child++;
        if (!goes_before(&heap->items[child], &last)) break;
        heap->items[i] = heap->items[child];
        i = child;
    }
    heap->items[i] = last;
    return top;
}

static void consider(const Tokenizer *tokenizer, Heap *heap, const Piece *pieces, int32_t left,
                     int32_t right, MergeRule *rule) {
    Candidate item = {.left = left, .right = right};
    if (left < 0 || right < 0 ||
        !rule(tokenizer, &pieces[left], &pieces[right], &item.priority, &item.merged))
        return;
    item.left_size = pieces[left].size, item.right_size = pieces[right].size;
    heap_push(heap, item);
}

void merge_pieces(const Tokenizer *tokenizer, Scratch *scratch, size_t n, MergeRule *rule) {
    Piece *pieces = scratch->pieces;
    Heap heap = {scratch->candidates, 0};
    for (size_t i = 0; i + 1 < n; i++)
        consider(tokenizer, &heap, pieces, (int32_t)i, (int32_t)i + 1, rule);
    while (heap.count) {
        Candidate best = heap_pop(&heap);
        Piece *left = &pieces[best.left], *right = &pieces[best.right];
        if (left->size != best.left_size || right->size != best.right_size) continue;
        left->size += right->size;
        left->symbol = best.merged;
        left->after = right->after;
        right->size = 0;
        if (left->after >= 0) pieces[left->after].before = best.left;
        consider(tokenizer, &heap, pieces, left->before, best.left, rule);
        consider(tokenizer, &heap, pieces, best.left, left->after, rule);
    }
}
