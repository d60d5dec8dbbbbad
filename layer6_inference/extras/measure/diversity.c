/* diversity.c - see diversity.h.  An n-gram is the hash of its words; sorting brings equal
 * ones together. */
#include "diversity.h"
#include "hash.h"

#include <ctype.h>
#include <stdlib.h>

typedef struct Gram {
    uint64_t hash;
    uint32_t text;
} Gram;

typedef struct Words {
    uint64_t *hashes;
    size_t *start; /* offsets of the texts, and the end */
    size_t texts;
} Words;

static bool in_word(char c) { return isalnum((unsigned char)c) || c == '\'' || (c & 0x80); }

/* Hash the words of a text; returns how many. */
static size_t diversity_read_words(Text text, uint64_t *out) {
    size_t count = 0;
    for (size_t i = 0; i < text.size;) {
        uint64_t hash = HASH_START;
        size_t begin = i;
        for (; i < text.size && in_word(text.data[i]); i++) {
            unsigned char lower = (unsigned char)tolower((unsigned char)text.data[i]);
            hash = hash_bytes(hash, &lower, 1);
        }
        if (i > begin)
            out[count++] = hash;
        else
            i++;
    }
    return count;
}

static int by_hash(const void *a, const void *b) {
    const Gram *x = a, *y = b;
    if (x->hash != y->hash) return x->hash < y->hash ? -1 : 1;
    return x->text < y->text ? -1 : x->text > y->text;
}

/* All n-grams, sorted; returns how many. */
static size_t make_grams(const Words *w, size_t n, Gram *grams) {
    size_t count = 0;
    for (size_t t = 0; t < w->texts; t++)
        for (size_t i = w->start[t]; i + n <= w->start[t + 1]; i++) {
            uint64_t hash = n;
            for (size_t k = 0; k < n; k++) hash = rng_hash(hash, w->hashes[i + k], k);
            grams[count++] = (Gram){hash, (uint32_t)t};
        }
    qsort(grams, count, sizeof *grams, by_hash);
    return count;
}

static double distinct(const Gram *grams, size_t count) {
    size_t different = 0;
    for (size_t i = 0; i < count; i++)
        different += i == 0 || grams[i].hash != grams[i - 1].hash;
    return count ? (double)different / (double)count : 0;
}

/* Shares of 4-grams that occur in several texts, and that occurred before in their own. */
static void shares(const Words *w, const Gram *grams, size_t count, Diversity *d) {
    for (size_t i = 0; i < count;) {
        size_t end = i;
        while (end < count && grams[end].hash == grams[i].hash) end++;
        bool several = grams[i].text != grams[end - 1].text;
        for (size_t k = i; k < end; k++) {
            size_t t = grams[k].text, words = w->start[t + 1] - w->start[t];
            double weight = 1 / ((double)(words - 3) * (double)w->texts);
            if (several) d->self_similarity += weight;
            if (k > i && grams[k - 1].text == t) d->repetition += weight;
        }
        i = end;
    }
}

bool diversity_measure(const Text *texts, size_t n, Diversity *d, Fault *fault) {
    size_t bytes = 1;
    for (size_t i = 0; i < n; i++) bytes += texts[i].size;
    Words w = {malloc(bytes * sizeof *w.hashes), malloc((n + 1) * sizeof *w.start), n};
    Gram *grams = malloc(bytes * sizeof *grams);
    bool ok = w.hashes && w.start && grams;
    *d = (Diversity){{0}, 0, 0, 0};
    if (ok) {
        w.start[0] = 0;
        for (size_t t = 0; t < n; t++)
            w.start[t + 1] = w.start[t] + diversity_read_words(texts[t], w.hashes + w.start[t]);
        for (size_t k = 0; k < 3; k++)
            d->distinct[k] = distinct(grams, make_grams(&w, k + 1, grams));
        shares(&w, grams, make_grams(&w, 4, grams), d);
        d->words = n ? (double)w.start[n] / (double)n : 0;
    } else {
        fault_set(fault, "no memory for the words of %zu texts", n);
    }
    free(w.hashes), free(w.start), free(grams);
    return ok;
}
