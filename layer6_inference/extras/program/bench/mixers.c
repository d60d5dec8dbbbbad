/* mixers.c - strata bench mixers: speed of the recurrent state update, against the machine's
 * peak.
 *
 * One head of 128 numbers per text (RWKV 7: 64).  Prefill: 512 tokens of one text, whose state
 * stays in the cache, against peak arithmetic.  Decoding: one token each for as many texts as
 * fill 64 MB, whose states come from main memory and go back, against its bandwidth.  Prefill
 * of the delta net is first checked against the recurrence in double precision: `error` is the
 * largest of a token's output, in millionths of its norm.  Chunks count only necessary flops:
 * half of each product with a triangular matrix. */
#include "bench.h"
#include "transformer_extras.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { D = 128, RWKV_D = 64, TOKENS = 512, HEADS = 1024, TILE = 64 };
enum { RWKV_TEXTS = HEADS * (D / RWKV_D) * (D / RWKV_D) };

typedef struct MixerBench {
    float *states;          /* (HEADS, D, D) */
    float *q, *k, *v, *out; /* (TOKENS, D) */
    /* one rate for all, so that all forms may share it */
    float rate[TOKENS], beta[TOKENS], decay[D];
    float *scratch;
    double *exact; /* (D, D) */
} MixerBench;

/* ------------------------------------------------------------------ the forms */

static void delta_prompt(void *context) {
    MixerBench *b = context;
    for (size_t j = 0; j < D; j += TILE)
        for (size_t t = 0; t < TOKENS; t++)
            delta_step(b->states + j * D, b->states + j * D, D, TILE, b->decay, b->beta[t],
                       b->q + t * D, b->k + t * D, b->v + t * D + j, b->out + t * D + j);
}

static void delta_prompt_by_chunks(void *context) {
    MixerBench *b = context;
    for (size_t t = 0; t < TOKENS; t += DELTA_CHUNK)
        delta_chunk(b->states, D, DELTA_CHUNK, b->rate + t, b->beta + t, b->q + t * D,
                    b->k + t * D, b->v + t * D, b->out + t * D, b->scratch);
}

static void delta_token(void *context) {
    MixerBench *b = context;
    for (size_t h = 0; h < HEADS; h++)
        for (size_t j = 0; j < D; j += TILE) {
            float *state = b->states + (h * D + j) * D, *out = b->out + h % TOKENS * D + j;
            delta_step(state, state, D, TILE, b->decay, b->beta[0], b->q, b->k, b->v + j, out);
        }
}

static void rwkv_prompt(void *context) {
    MixerBench *b = context;
    for (size_t t = 0; t < TOKENS; t++)
        rwkv_step(b->states, b->states, RWKV_D, b->decay, b->k + t * D, b->beta, b->q + t * D,
                  b->k + t * D, b->v + t * D, b->out + t * D);
}

static void rwkv_token(void *context) {
    MixerBench *b = context;
    for (size_t h = 0; h < RWKV_TEXTS; h++) {
        float *state = b->states + h * RWKV_D * RWKV_D;
        rwkv_step(state, state, RWKV_D, b->decay, b->k, b->beta, b->q, b->k, b->v,
                  b->out + h % TOKENS * D);
    }
}

/* ------------------------------------------------------------------ what they read, and
 * what they should say */

static void mixers_fill(MixerBench *b) {
    for (size_t i = 0; i < TOKENS * D; i++) {
        b->q[i] = (float)rng_unit(1, 0, i) - 0.5F, b->k[i] = (float)rng_unit(2, 0, i) - 0.5F;
        b->v[i] = (float)rng_unit(3, 0, i) - 0.5F;
    }
    for (size_t t = 0; t < TOKENS; t++) {
        b->rate[t] = -0.02F, b->beta[t] = (float)rng_unit(4, 0, t);
        l2_norm(b->q + t * D, D, 1e-6F), l2_norm(b->k + t * D, D, 1e-6F);
    }
    for (size_t i = 0; i < D; i++) b->decay[i] = expf(b->rate[0]);
    memset(b->states, 0, (size_t)HEADS * D * D * sizeof *b->states);
}

/* Largest distance of a token's output from the delta rule in double, relative to its norm. */
static double delta_error(const MixerBench *b) {
    double worst = 0, stays = exp((double)b->rate[0]), *state = b->exact;
    memset(state, 0, (size_t)D * D * sizeof *state);
    for (size_t t = 0; t < TOKENS; t++) {
        double off = 0, size = 0;
        for (size_t j = 0; j < D; j++) {
            double said = 0, asked = 0, *row = state + j * D;
            const float *k = b->k + t * D, *q = b->q + t * D;
            for (size_t i = 0; i < D; i++) row[i] *= stays, said += row[i] * (double)k[i];
            double u = (double)b->beta[t] * ((double)b->v[t * D + j] - said);
            for (size_t i = 0; i < D; i++)
                row[i] += u * (double)k[i], asked += row[i] * (double)q[i];
            off += pow((double)b->out[t * D + j] - asked, 2), size += asked * asked;
        }
        worst = fmax(worst, sqrt(off / size));
    }
    return worst * 1e6;
}

/* ------------------------------------------------------------------ the table */

/* A form updates states for `tokens` tokens in all, each of one head. */
typedef struct Form {
    const char *name, *what;
    void (*run)(void *context);
    size_t tokens, chunk; /* chunk 0: unchecked */
    double flops, bytes;  /* per token; bytes only if the states come from main memory */
} Form;

enum {
    STEP = 7 * D * D,
    RWKV_STEP = 9 * RWKV_D * RWKV_D,
    CHUNK_STEP = 6 * D * D + 4 * DELTA_CHUNK * D
};
enum { MOVED = 2 * 4 * D * D, RWKV_MOVED = 2 * 4 * RWKV_D * RWKV_D };

static const Form forms[] = {
    {"delta net", "a prompt, token by token", delta_prompt, TOKENS, 1, STEP, 0},
    {"", "a prompt, 64 tokens at once", delta_prompt_by_chunks, TOKENS, DELTA_CHUNK, CHUNK_STEP,
     0},
    {"", "a token of each text", delta_token, HEADS, 0, STEP, MOVED},
    {"RWKV 7", "a prompt, token by token", rwkv_prompt, TOKENS, 0, RWKV_STEP, 0},
    {"", "a token of each text", rwkv_token, RWKV_TEXTS, 0, RWKV_STEP, RWKV_MOVED},
};

static void mixers_show(MixerBench *b, const Form *f, const BenchJob *job, double peak,
                        double bandwidth) {
    char error[16] = "-";
    mixers_fill(b);
    if (f->chunk) f->run(b), snprintf(error, sizeof error, "%.2f", delta_error(b));
    double seconds = bench_time(f->run, b, job->seconds).best / (double)f->tokens,
           rate = (f->bytes > 0 ? f->bytes : f->flops) / seconds * 1e-9,
           roof = f->bytes > 0 ? bandwidth : peak;
    printf("%-10s %-28s %8.2f us %9.0f %8.1f %-7s %4.0f %% %8s\n", f->name, f->what,
           seconds * 1e6, f->flops, rate, f->bytes > 0 ? "GB/s" : "GFLOP/s", 100 * rate / roof,
           error);
    fflush(stdout);
}

/* All of the benchmark's memory; a first pass measures it. */
static void take_memories(MixerBench *b, Arena *arena) {
    const size_t text = (size_t)TOKENS * D, memory = (size_t)D * D, f = sizeof(float);
    b->states = arena_take(arena, HEADS * memory, f);
    b->q = arena_take(arena, text, f), b->k = arena_take(arena, text, f);
    b->v = arena_take(arena, text, f), b->out = arena_take(arena, text, f);
    b->exact = arena_take(arena, memory, sizeof *b->exact);
    b->scratch = arena_take(arena, delta_chunk_floats(D), f);
}

bool bench_mixers(BenchJob *job, Fault *fault) {
    static MixerBench b;
    Arena arena;
    if (job->compute.isa && !kernels_select(job->compute.isa, fault)) return wrong_value();
    arena_measure(&arena), take_memories(&b, &arena);
    if (!arena_init(&arena, arena.used, fault)) return false;
    take_memories(&b, &arena);
    double peak = peak_gflops(NULL, 0.3), bandwidth = bandwidth_gigabytes(NULL, 0.6).best;
    printf("one head, one thread, %s: peak %.0f GFLOP/s, main memory %.1f GB/s\n\n"
           "%-10s %-28s %11s %9s %16s %6s %8s\n",
           kernels_isa(), peak, bandwidth, "mixer", "what is read", "a token", "flops", "rate",
           "roof", "error");
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++)
        mixers_show(&b, &forms[i], job, peak, bandwidth);
    arena_free(&arena);
    return true;
}
