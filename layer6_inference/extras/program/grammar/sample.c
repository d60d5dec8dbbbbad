/* sample.c - texts of a grammar, drawn; and the tokens that may come.  See tools.h.
 *
 * Every byte (or token) that may come is as likely as any other.  The longer the text, the
 * more often the next step is one of those that lead nearest to the end: after n steps with
 * the chance n^2 / (n^2 + 40^2).
 *
 *     {"a key that needs a digit     grammar_missing says 5 bytes, before and after each letter
 *
 * It is an estimate, so steps towards the end correct it: a row is one step farther than the
 * nearest row after it.  A walk that goes round in rows of 5 bytes makes them 6, 7 ... until
 * another way is nearer (Korf 1990, Real-time heuristic search, LRTA*). */
#include "listing.h"
#include "tools.h"
#include "grammar.h"

#include <stdlib.h>

enum { HURRY = 40, SAMPLE_MOST = 20000 };

/* A text on its way. */
typedef struct Draw {
    Grammar *grammar;
    const Tokenizer *tokenizer; /* NULL: bytes */
    Rng rng;
    uint32_t row;
    int32_t *ways; /* (tokens or 256) that may come; owns */
    size_t n_ways;
    char *text; /* owns */
    size_t size, room;
    uint32_t *learned; /* (n_learned) by row: bytes to the end, at least; owns */
    size_t n_learned, learned_room;
} Draw;

static uint32_t sample_after(Draw *d, int32_t way) {
    return d->tokenizer ? grammar_take(d->grammar, d->row, way)
                        : grammar_next(d->grammar, d->row, (uint8_t)way);
}

/* FF begins a token's number, which is no text. */
static void find_bytes(Draw *d) {
    d->n_ways = 0;
    for (int32_t b = 0; b < 0xFF; b++)
        if (sample_after(d, b) != GRAMMAR_DEAD) d->ways[d->n_ways++] = b;
}

static void sample_find_tokens(Draw *d) {
    size_t words;
    const uint64_t *mask = grammar_mask(d->grammar, d->row, &words);
    d->n_ways = 0;
    for (size_t id = 0; id < tokenizer_count(d->tokenizer); id++)
        if (mask[id / 64] >> (id % 64) & 1 && !tokenizer_is_end(d->tokenizer, (int32_t)id))
            d->ways[d->n_ways++] = (int32_t)id;
}

/* The learned distance of a row; 0 at first. */
static uint32_t *learned_of(Draw *d, uint32_t row) {
    NEED_MEMORY(GROW(d->learned, d->learned_room, row + 1), "%u rows", row);
    while (d->n_learned <= row) d->learned[d->n_learned++] = 0;
    return &d->learned[row];
}

static uint32_t sample_missing(Draw *d, uint32_t row) {
    uint32_t estimate = grammar_missing(d->grammar, row), learned = *learned_of(d, row);
    return estimate > learned ? estimate : learned;
}

/* The way that leads nearest to an end; of equals any. */
static int32_t sample_nearest(Draw *d) {
    uint32_t best = UINT32_MAX;
    int32_t way = d->ways[0];
    size_t first = rng_below(&d->rng, d->n_ways);
    for (size_t i = 0; i < d->n_ways && best > 0; i++) {
        int32_t one = d->ways[(first + i) % d->n_ways];
        uint32_t missing = sample_missing(d, sample_after(d, one));
        if (missing < best) best = missing, way = one;
    }
    uint32_t *learned = learned_of(d, d->row);
    if (best >= *learned) *learned = best + 1;
    return way;
}

static bool sample_add_text(Draw *d, Text text, Fault *fault) {
    if (!GROW(d->text, d->room, d->size + text.size))
        return fault_set(fault, "no memory for a text");
    for (size_t i = 0; i < text.size; i++) d->text[d->size++] = text.data[i];
    return true;
}

static bool take_way(Draw *d, int32_t way, Fault *fault) {
    char byte = (char)way;
    Text text = d->tokenizer ? tokenizer_piece(d->tokenizer, way, true) : (Text){&byte, 1};
    d->row = sample_after(d, way);
    return sample_add_text(d, text, fault);
}

/* Is the text to end here?  The end is one of the ways. */
static bool draws_end(Draw *d, bool hurries) {
    return grammar_is_complete(d->grammar, d->row) &&
           (hurries || rng_below(&d->rng, d->n_ways + 1) == 0);
}

static bool no_way(const Draw *d, Fault *fault) {
    return fault_set(fault, "%s",
                     d->tokenizer ? "no token of this model continues a text"
                                  : "this grammar names tokens by id: give the model with -m");
}

static bool sample_text(Draw *d, Fault *fault) {
    d->row = grammar_begin(d->grammar), d->size = 0;
    for (size_t n = 0; n < SAMPLE_MOST; n++) {
        double squares = (double)n * (double)n;
        bool hurries = rng_next(&d->rng) < squares / (squares + HURRY * HURRY);
        d->tokenizer ? sample_find_tokens(d) : find_bytes(d);
        if (!check_limits(d->grammar, fault)) return false;
        if (draws_end(d, hurries)) return true;
        if (d->n_ways == 0) return no_way(d, fault);
        int32_t way = hurries ? sample_nearest(d) : d->ways[rng_below(&d->rng, d->n_ways)];
        if (!take_way(d, way, fault)) return false;
    }
    return fault_set(fault, "no end of this text after %d steps", SAMPLE_MOST);
}

bool sample_texts(Grammar *grammar, const Tokenizer *tokenizer, size_t count, uint64_t seed,
                  Fault *fault) {
    size_t ways = tokenizer ? tokenizer_count(tokenizer) : 256;
    Draw draw = {.grammar = grammar, .tokenizer = tokenizer};
    draw.ways = malloc(ways * sizeof *draw.ways);
    bool ok = draw.ways || fault_set(fault, "no memory for %zu tokens", ways);
    if (ok && grammar_begin(grammar) == GRAMMAR_DEAD)
        ok = fault_set(fault, "nothing to sample: the grammar matches no text");
    for (size_t i = 0; ok && i < count; i++) {
        draw.rng = (Rng){seed, i, 0};
        ok = sample_text(&draw, fault);
        if (ok) list_json(stdout, (Text){draw.text, draw.size}), putchar('\n');
    }
    free(draw.ways), free(draw.text), free(draw.learned);
    return ok;
}

bool list_mask(Grammar *grammar, const Tokenizer *tokenizer, Text prefix, Fault *fault) {
    uint32_t row = grammar_read(grammar, grammar_begin(grammar), prefix.data, prefix.size);
    size_t words, vocab = tokenizer_count(tokenizer), count = 0;
    const uint64_t *mask = grammar_mask(grammar, row, &words);
    if (!check_limits(grammar, fault)) return false;
    for (size_t id = 0; id < vocab; id++) count += mask[id / 64] >> (id % 64) & 1;
    printf("%zu of %zu tokens may come%s\n", count, vocab,
           row == GRAMMAR_DEAD ? ": the grammar refuses the text (--explain says where)" : "");
    for (size_t id = 0; id < vocab; id++) {
        if (!(mask[id / 64] >> (id % 64) & 1)) continue;
        printf("%zu\t", id);
        utf8_print_escaped(stdout, tokenizer_piece(tokenizer, (int32_t)id, true));
        puts(tokenizer_is_end(tokenizer, (int32_t)id) ? "\t(ends the text)" : "");
    }
    return true;
}
