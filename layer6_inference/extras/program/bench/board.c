/* board.c - see board.h. */
#include "board.h"

#include <stdio.h>
#include <string.h>

static void make_logits(float *x, size_t n, LogitShape shape) {
    Rng rng = {1, (uint64_t)shape, 0};
    for (size_t i = 0; i < n; i++)
        x[i] = (float)((shape == LOGITS_FLAT ? 0.01 : 2.5) * rng_normal(&rng));
    if (shape == LOGITS_PEAKED) x[n / 3] = 40;
    for (int i = 0; shape == LOGITS_LLM && i < 40; i++)
        x[rng_below(&rng, n)] = (float)(10 + 8 * rng_next(&rng));
}

enum { MAX_ROUNDS = 4000 };

/* The lists of a step: those of the arena, with its memory. */
static void take_lists(Board *b) {
    candidates_init(&b->candidates, b->n, &b->arena);
    float **rows[] = {&b->logits, &b->copy, &b->amateur, &b->unconditional};
    for (size_t i = 0; i < 4; i++) *rows[i] = arena_take(&b->arena, b->n, sizeof(float));
    b->times = arena_take(&b->arena, MAX_ROUNDS, sizeof(double));
}

bool board_open(Board *b, size_t n, const Tokenizer *tokenizer, Fault *fault) {
    *b = (Board){.n = n, .tokenizer = tokenizer};
    arena_measure(&b->arena), take_lists(b);
    if (!arena_init(&b->arena, b->arena.used, fault)) return false;
    take_lists(b);
    for (int k = 0; k < BOARD_HISTORY; k++) b->history[k] = (int32_t)((size_t)k * 37 % n);
    make_logits(b->amateur, n, LOGITS_LLM), make_logits(b->unconditional, n, LOGITS_LLM);
    make_logits(b->logits, n, LOGITS_LLM);
    return true;
}

void board_close(Board *b) { arena_free(&b->arena); }

void board_set_shape(Board *b, LogitShape shape) { make_logits(b->logits, b->n, shape); }

/* The hidden states cost forward passes; here they cost nothing. */
static bool board_look(void *context, const int32_t *tokens, size_t n, float *similarity) {
    (void)context, (void)tokens;
    for (size_t i = 0; i < n; i++) similarity[i] = 0.5f;
    return true;
}

bool board_measure(Board *b, const char *spec, double seconds, double *median, size_t *left,
                   Fault *fault) {
    Chain chain;
    Step step = {.seed = 1,
                 .history = b->history,
                 .history_count = BOARD_HISTORY,
                 .prompt_count = BOARD_HISTORY - b->generated,
                 .tokenizer = b->tokenizer,
                 .amateur = b->amateur,
                 .unconditional = b->unconditional,
                 .look_ahead = board_look};
    if (!chain_parse(&chain, spec, b->tokenizer, fault)) return false;
    const char *last = chain.stages[chain.count - 1].kind->name;
    size_t count = strstr(spec, last) ? chain.count : chain.count - 1, rounds = 0;
    double start = clock_seconds();
    bool ok = true;
    while (ok && (rounds < 5 || (clock_seconds() - start < seconds && rounds < MAX_ROUNDS))) {
        memcpy(b->copy, b->logits, b->n * sizeof *b->copy);
        step.position = rounds;
        double before = clock_seconds();
        ok = candidates_load(&b->candidates, b->copy, fault);
        for (size_t i = 0; ok && i < count; i++)
            if (!stage_is_off(&chain.stages[i]))
                chain.stages[i].kind->apply(&chain.stages[i], &b->candidates, &step);
        b->times[rounds++] = clock_seconds() - before;
    }
    *median = percentile(b->times, rounds, 0.5);
    *left = b->candidates.count;
    chain_close(&chain);
    return ok;
}

double board_floor(Board *b, double seconds) {
    size_t rounds = 0;
    double start = clock_seconds();
    while (rounds < 5 || (clock_seconds() - start < seconds && rounds < MAX_ROUNDS)) {
        double before = clock_seconds();
        volatile float max = vector_max(b->logits, b->n);
        (void)max;
        b->times[rounds++] = clock_seconds() - before;
    }
    return percentile(b->times, rounds, 0.5);
}
