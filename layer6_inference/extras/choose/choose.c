/* choose.c - see choose.h. */
#include "choose.h"
#include "chrf.h"
#include "hash.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ------------------------------------------------------------------ votes */

/* The last occurrence of a word; NULL: none.  An empty word occurs at the beginning. */
static const char *find_last(Text text, Text word) {
    if (word.size == 0) return text.data;
    for (size_t i = text.size + 1; i-- > word.size;)
        if (memcmp(text.data + i - word.size, word.data, word.size) == 0)
            return text.data + i - word.size;
    return NULL;
}

Text choose_answer(Text text, const char *pattern) {
    if (!pattern) return text_trim(text);
    const char *star = strchr(pattern, '*'), *end = text.data + text.size;
    Text before = {pattern, (size_t)(star - pattern)}, after = text_of(star + 1);
    if (after.size == 0) after = text_of("\n");
    for (const char *at; (at = find_last(text, before)) != NULL;) {
        Text rest = {at + before.size, (size_t)(end - at) - before.size};
        const char *stop = memmem(rest.data, rest.size, after.data, after.size);
        if (!stop && !star[1]) stop = end; /* the last line */
        if (stop) return text_trim((Text){rest.data, (size_t)(stop - rest.data)});
        if (before.size == 0) break;
        text.size = (size_t)(at - text.data) + before.size - 1;
    }
    return (Text){NULL, 0};
}

void choose_add_vote(const Text *answers, size_t at, size_t *votes) {
    votes[at] = answers[at].data != NULL;
    for (size_t i = 0; answers[at].data && i < at; i++)
        if (answers[i].data && text_equal(answers[i], answers[at])) votes[at] = ++votes[i];
}

size_t choose_vote(const size_t *votes, size_t n) {
    size_t best = 0;
    for (size_t i = 1; i < n; i++)
        if (votes[i] > votes[best]) best = i;
    return best;
}

/* For integers, P(share > 1/2) is the probability that a binomial variable with n = first +
 * second + 1 and p = 1/2 is at most `first`. */
double choose_confidence(size_t first, size_t second) {
    double n = (double)(first + second + 1), x = (double)first + 1, above = 0;
    double term = exp(lgamma(n + 1) - lgamma(x + 1) - lgamma(n - x + 1) - n * log(2));
    for (; x <= n && (x < n / 2 || term > 1e-17 * above); x++) /* above `first` */
        above += term, term *= (n - x) / (x + 1);
    return fmax(1 - above, 0);
}

/* ------------------------------------------------------------------ agreement */

enum { CHRF_ORDERS = 6, CHRF_BETA = 2 };

/* The hashes of a text's runs of 1 to 6 characters, sorted: those of n at hash[n - 1]. */
typedef struct Runs {
    uint64_t *hash[CHRF_ORDERS];
    size_t count[CHRF_ORDERS];
    uint64_t *memory; /* owns */
} Runs;

static int choose_by_hash(const void *a, const void *b) {
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x < y ? -1 : x > y;
}

/* Where the characters begin that are no white space; returns how many. */
static size_t find_characters(Text text, uint32_t *begin) {
    size_t n = 0;
    for (size_t i = 0; i < text.size; i++) {
        unsigned char byte = (unsigned char)text.data[i];
        if (!isspace(byte) && (byte & 0xC0) != 0x80) begin[n++] = (uint32_t)i;
    }
    return n;
}

static size_t character_size(Text text, size_t at) {
    size_t size = 1;
    while (at + size < text.size && ((unsigned char)text.data[at + size] & 0xC0) == 0x80)
        size++;
    return size;
}

static bool runs_open(Runs *r, Text text) {
    uint32_t *begin = malloc((text.size + 1) * sizeof *begin);
    r->memory = malloc((CHRF_ORDERS * text.size + 1) * sizeof *r->memory);
    if (!begin || !r->memory) return free(begin), false;
    size_t characters = find_characters(text, begin);
    uint64_t *out = r->memory;
    for (size_t n = 1; n <= CHRF_ORDERS; n++) {
        r->hash[n - 1] = out;
        for (size_t i = 0; i + n <= characters; i++) {
            uint64_t hash = HASH_START;
            for (size_t k = i; k < i + n; k++)
                hash = hash_bytes(hash, text.data + begin[k], character_size(text, begin[k]));
            *out++ = hash;
        }
        r->count[n - 1] = (size_t)(out - r->hash[n - 1]);
        qsort(r->hash[n - 1], r->count[n - 1], sizeof *out, choose_by_hash);
    }
    free(begin);
    return true;
}

/* How many runs of n + 1 characters both have, with repetition. */
static size_t runs_common(const Runs *a, const Runs *b, size_t n) {
    size_t i = 0, k = 0, common = 0;
    while (i < a->count[n] && k < b->count[n]) {
        uint64_t x = a->hash[n][i], y = b->hash[n][k];
        common += x == y;
        i += x <= y, k += y <= x;
    }
    return common;
}

/* The means of precision and recall over the orders that both texts are long enough for. */
static double runs_chrf(const Runs *text, const Runs *reference) {
    double precision = 0, recall = 0, orders = 0;
    for (size_t n = 0; n < CHRF_ORDERS; n++) {
        if (!text->count[n] || !reference->count[n]) continue;
        double common = (double)runs_common(text, reference, n);
        precision += common / (double)text->count[n];
        recall += common / (double)reference->count[n], orders++;
    }
    if (orders == 0) return text->count[0] == reference->count[0]; /* both are empty */
    precision /= orders, recall /= orders;
    double both = CHRF_BETA * CHRF_BETA * precision + recall;
    return both > 0 ? (1 + CHRF_BETA * CHRF_BETA) * precision * recall / both : 0;
}

double choose_chrf(Text text, Text reference) {
    Runs a = {.memory = NULL}, b = {.memory = NULL};
    double value = runs_open(&a, text) && runs_open(&b, reference) ? runs_chrf(&a, &b) : -1;
    free(a.memory), free(b.memory);
    return value;
}

bool choose_agreement(const Text *texts, size_t n, double *utility, size_t *best) {
    Runs *runs = calloc(n, sizeof *runs);
    bool ok = runs != NULL;
    for (size_t i = 0; ok && i < n; i++) ok = runs_open(&runs[i], texts[i]);
    *best = 0;
    for (size_t i = 0; ok && i < n; i++) {
        double sum = 0;
        for (size_t k = 0; k < n; k++)
            if (k != i) sum += runs_chrf(&runs[i], &runs[k]);
        utility[i] = n > 1 ? sum / (double)(n - 1) : 0;
        if (utility[i] > utility[*best]) *best = i;
    }
    for (size_t i = 0; runs && i < n; i++) free(runs[i].memory);
    free(runs);
    return ok;
}
