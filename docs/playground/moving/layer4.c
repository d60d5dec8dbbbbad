/* layer4.c - where a head of the storyteller looks, and a KV cache in pages.  See moving.h. */
#include "moving.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Evaluate a text, unless it is the last one, for the functions of the explorer. */
static bool read_text(const char *text, Fault *fault) {
    static char *last;
    if (last && strcmp(last, text) == 0) return true;
    const size_t size = strlen(text) + 1;
    char *all = calloc(size + sizeof "\0greedy", 1);
    memcpy(all, text, size), memcpy(all + size + 1, "greedy", sizeof "greedy");
    const char *problem = activation_begin(0, all, 1);
    free(last), last = NULL;
    if (problem)
        fault_set(fault, "%s", problem), free(all);
    else
        last = all;
    return !problem;
}

bool moving_attention(FILE *out, const double *at, const char *text, Fault *fault) {
    if (!read_text(text, fault)) return false;
    char *tokens = strdup(activation_tokens(0)), *rest = strchr(tokens, '\n') + 1;
    size_t count = 0;
    for (const char *c = rest; *c; c++) count += *c == '\n';
    const size_t position = at[0] < (double)count ? (size_t)at[0] : count - 1;
    const float *weights =
        activation_row(0, (unsigned)at[1], (unsigned)at[2], (unsigned)position);
    fprintf(out, "last,,%zu\n", count - 1);
    for (size_t i = 0; i < count; i++) {
        char *end = strchr(rest, '\n'), *word = strchr(rest, ',') + 1;
        fprintf(out, "token,%.*s,", (int)(end - word), word);
        if (i <= position) fprintf(out, "%.6g", (double)weights[i]);
        fputc('\n', out), rest = end + 1;
    }
    free(tokens);
    const char *words =
        activation_words(0, 2 * (unsigned)play_model()->sizes.layers, (unsigned)position);
    const char *best = strchr(words, '\n') + 1, *share = strchr(best, ',') + 1,
               *word = strchr(share, ',') + 1;
    fprintf(out, "next,%.*s,%.*s\n", (int)strcspn(word, "\n"), word, (int)strcspn(share, ","),
            share);
    return true;
}

/* ------------------------------------------------------------------ the KV cache */

enum { A, B, C, SEQUENCES, CTX = 512, PAGES = 9 };
typedef enum Deed { GROW, FORK, CUT } Deed;

static const struct {
    Deed deed;
    size_t sequence, length; /* FORK: of sequence `length` */
    const char *says;
} events[] = {
    {GROW, A, 0, "Nine pages of 64 positions, all free."},
    {GROW, A, 40, "A reads a prompt of 40 tokens: one page, partly filled."},
    {GROW, A, 64, "A writes until its page is full."},
    {GROW, A, 65, "One token more: A needs a second page."},
    {GROW, B, 90, "B arrives with 90 tokens and takes the next two pages."},
    {GROW, A, 150, "A grows. Its third page lies behind B's: only A's table knows the order."},
    {FORK, C, A,
     "C continues A's text in another way: it shares A's pages, and nothing is copied."},
    {GROW, B, 128, "B fills its second page."},
    {GROW, C, 151,
     "C writes into a shared page: it gets a copy of its own first (copy on write)."},
    {GROW, C, 230, "C grows into a new page. The first two are still shared with A."},
    {CUT, A, 0, "A is done. Pages that C shares stay; A's own page is free again."},
    {GROW, B, 520,
     "B asks for 520 positions, but its context ends at 512: refused, nothing changes."},
    {GROW, B, 450,
     "B asks for 450 positions: six more pages, and fewer are free. Refused: B waits."},
    {CUT, C, 0, "C is done, and B's pages remain. Now there would be room."},
};

/* The positions of a sequence that lie in its table's entry. */
static size_t filled(size_t length, size_t entry) {
    const size_t begin = entry * KV_PAGE;
    return length < begin ? 0 : length - begin < KV_PAGE ? length - begin : KV_PAGE;
}

static void put_cache(FILE *out, const KvCache *kv) {
    for (size_t page = 0; page < kv->pages.count; page++)
        fprintf(out, "page,,%zu,,%d,\n", page, kv->pages.refcount[page]);
    for (size_t s = 0; s < SEQUENCES; s++) {
        fprintf(out, "length,%zu,,,%zu,\n", s, kv->length[s]);
        for (size_t entry = 0; entry * KV_PAGE < kv->length[s]; entry++)
            fprintf(out, "entry,%zu,%zu,%d,%zu,\n", s, entry,
                    kv->table[s * kv->table_size + entry], filled(kv->length[s], entry));
    }
}

bool moving_kv(FILE *out, const double *at, const char *text, Fault *fault) {
    const KvShape shape = {.kv_heads = 1, .key_dim = 4, .value_dim = 4};
    const KvConfig config = {.shapes = &shape,
                             .layers = 1,
                             .dtype = DTYPE_F16,
                             .sequences = SEQUENCES,
                             .ctx = CTX,
                             .batch = CTX,
                             .budget = PAGES};
    KvCache kv;
    Arena arena;
    bool done = true;
    (void)text;
    arena_measure(&arena), kv_init(&kv, &config, &arena);
    if (!arena_init(&arena, arena.used, fault)) return false;
    kv_init(&kv, &config, &arena);
    for (size_t i = 0; i <= (size_t)at[0] && i < sizeof events / sizeof *events; i++) {
        const size_t s = events[i].sequence, length = events[i].length;
        done = true;
        if (events[i].deed == GROW) done = kv_extend(&kv, s, length);
        if (events[i].deed == FORK) kv_fork(&kv, s, length);
        if (events[i].deed == CUT) kv_truncate(&kv, s, length);
    }
    fprintf(out, "event,%zu,,,%d,\"%s\"\n", events[(int)at[0]].sequence, done,
            events[(int)at[0]].says);
    put_cache(out, &kv);
    arena_free(&arena);
    return true;
}
