/* diffusion.c - generating a masked sequence.  See diffusion.h. */
#include "diffusion.h"
#include "families.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* ------------------------------------------------------------------ the masked sequence */

bool diffusion_session(Session *session, const Model *model, Pool *pool, size_t places,
                       size_t asked, KvFormat kv, Fault *fault) {
    SessionConfig config = {.ctx = places,
                            .sequences = 1,
                            .max_tokens = places,
                            .max_logits = asked,
                            .kv = kv,
                            .bidirectional = true};
    if (places > model->sizes.ctx)
        return fault_set(fault, "a sequence of %zu positions, and the model's context has %zu",
                         places, model->sizes.ctx);
    return session_open(session, model, pool, config, fault);
}

/* Stages that work on one row of logits; those that need the text before it are refused. */
static bool check_chain(const Chain *chain, Fault *fault) {
    static const char known[] =
        " greedy draw gumbel temp quadratic top_k top_p min_p typical tfs top_a epsilon eta "
        "top_n_sigma top_h p_less xtc bias allow suppress ";
    char name[STAGE_NAME + 2];
    for (size_t i = 0; i < chain->count; i++) {
        snprintf(name, sizeof name, " %s ", chain->stages[i].kind->name);
        if (!strstr(known, name) && !stage_is_off(&chain->stages[i]))
            return fault_set(fault,
                             "stage '%s' needs left-to-right text, and diffusion fills in any "
                             "order: use some of%.*s",
                             chain->stages[i].kind->name, (int)sizeof known - 2, known);
    }
    return true;
}

static bool is_open(const Diffusion *d, size_t i) {
    return d->tokens[i] == tokenizer_mask(d->session->model->tokenizer);
}

static size_t count_open(const Diffusion *d, size_t begin, size_t end) {
    size_t sum = 0;
    for (size_t i = begin; i < end; i++) sum += is_open(d, i);
    return sum;
}

static void find_open(Diffusion *d) {
    d->begin = 0, d->end = d->tail = d->count;
    while (d->begin < d->count && !is_open(d, d->begin)) d->begin++;
    while (d->tail > d->begin && is_open(d, d->tail - 1)) d->tail--;
    while (d->end > d->begin && !is_open(d, d->end - 1)) d->end--;
}

static size_t block_size(const Diffusion *d) {
    return d->options.block ? d->options.block : d->end - d->begin;
}

static size_t diffusion_blocks_of(const Diffusion *d) {
    return (d->end - d->begin + block_size(d) - 1) / block_size(d);
}

static bool check_options(const Diffusion *d, Fault *fault) {
    const size_t steps = d->options.steps, open = count_open(d, 0, d->count);
    if (open == 0) return fault_set(fault, "no position is masked");
    if (steps >= diffusion_blocks_of(d) && steps <= open) return true;
    return fault_set(fault,
                     "%zu steps for %zu positions in %zu blocks: wanted at least one per block "
                     "and at most one per position",
                     steps, open, diffusion_blocks_of(d));
}

static void diffusion_layout(Diffusion *d) {
    Arena *a = &d->arena;
    size_t n = d->count, vocab = d->session->model->sizes.vocab;
    d->tokens = arena_take(a, n, sizeof *d->tokens);
    d->step_of = arena_take(a, n, sizeof *d->step_of);
    d->sure_of = arena_take(a, n, sizeof *d->sure_of);
    d->sequence = arena_take(a, n, sizeof *d->sequence);
    d->position = arena_take(a, n, sizeof *d->position);
    d->drawn = arena_take(a, n, sizeof *d->drawn);
    d->wanted = arena_take(a, n, sizeof *d->wanted);
    d->stays = arena_take(a, n, sizeof *d->stays);
    d->sure = arena_take(a, n, sizeof *d->sure);
    d->row = arena_take(a, vocab, sizeof *d->row);
    candidates_init(&d->candidates, vocab, a);
}

bool diffusion_open(Diffusion *d, Session *session, Chain *chain, const int32_t *tokens,
                    size_t count, DiffusionOptions options, Fault *fault) {
    *d = (Diffusion){.session = session, .chain = chain, .options = options, .count = count};
    if (count > session->max_tokens)
        return fault_set(fault, "a sequence of %zu positions, and there is room for %zu", count,
                         session->max_tokens);
    if (tokenizer_mask(session->model->tokenizer) < 0)
        return fault_set(fault, "the file has no mask token: key "
                                "'tokenizer.ggml.mask_token_id' is missing or invalid");
    arena_measure(&d->arena);
    diffusion_layout(d);
    if (!arena_init(&d->arena, d->arena.used, fault)) return false;
    diffusion_layout(d);
    memcpy(d->tokens, tokens, count * sizeof *tokens);
    for (size_t i = 0; i < count; i++) d->position[i] = (int32_t)i;
    find_open(d);
    return check_options(d, fault) && check_chain(chain, fault) &&
           chain_check_tokens(chain, session->model->sizes.vocab, fault);
}

void diffusion_close(Diffusion *d) {
    arena_free(&d->arena);
    *d = (Diffusion){0};
}

size_t diffusion_end(const Diffusion *d) {
    const Tokenizer *t = d->session->model->tokenizer;
    size_t i = d->tail;
    while (i < d->count && !tokenizer_is_end(t, d->tokens[i])) i++;
    return i;
}

bool diffusion_is_done(const Diffusion *d) { return count_open(d, 0, diffusion_end(d)) == 0; }

/* ------------------------------------------------------------------ a step */

/* The first block with masked positions, and the steps it may still take so that each block
 * gets its share. */
static Range block_now(const Diffusion *d, size_t *steps) {
    size_t size = block_size(d), at = d->begin;
    while (!is_open(d, at)) at++;
    size_t number = (at - d->begin) / size, begin = d->begin + number * size;
    *steps = d->options.steps * (number + 1) / diffusion_blocks_of(d) - d->step;
    return (Range){begin, begin + size < d->end ? begin + size : d->end};
}

/* The row of logits that predicts a position: its own, or the one before it. */
static size_t diffusion_row_of(const Diffusion *d, size_t place) {
    return model_extras(d->session->model)->shift_logits && place > 0 ? place - 1 : place;
}

static bool read_canvas(Diffusion *d, Range block, Fault *fault) {
    memset(d->wanted, 0, d->count * sizeof *d->wanted);
    for (size_t i = block.begin; i < block.end; i++)
        if (is_open(d, i)) d->wanted[diffusion_row_of(d, i)] = true;
    Batch batch = {d->count, d->tokens, d->sequence, d->position, d->wanted, NULL};
    return session_forward(d->session, &batch, fault);
}

/* The logits of a position among the requested ones. */
static float *logits_of(const Diffusion *d, size_t place) {
    size_t row = 0;
    for (size_t i = 0; i < diffusion_row_of(d, place); i++) row += d->wanted[i];
    return d->session->logits + row * d->session->model->sizes.vocab;
}

/* A token for a position, and its confidence.  The mask token itself is excluded. */
static bool ask(Diffusion *d, size_t place, Fault *fault) {
    const Model *m = d->session->model;
    float *logits = logits_of(d, place);
    Step step = {.seed = d->options.seed,
                 .position = d->step * d->count + place,
                 .tokenizer = m->tokenizer};
    logits[tokenizer_mask(m->tokenizer)] = -INFINITY;
    memcpy(d->row, logits, m->sizes.vocab * sizeof *d->row);
    if (!candidates_load(&d->candidates, d->row, fault) ||
        !chain_run(d->chain, &d->candidates, &step, &d->drawn[place], fault))
        return false;
    d->sure[place] =
        d->options.remask == REMASK_RANDOM
            ? rng_unit(d->options.seed, step.position, CHAIN_STAGES)
            : diffusion_confidence(d->options.remask, logits, m->sizes.vocab, d->drawn[place]);
    return true;
}

bool diffusion_step(Diffusion *d, Fault *fault) {
    size_t steps;
    Range block = block_now(d, &steps);
    if (!read_canvas(d, block, fault)) return false;
    for (size_t i = 0; i < d->count; i++) d->sure[i] = -INFINITY;
    for (size_t i = block.begin; i < block.end; i++)
        if (is_open(d, i) && !ask(d, i, fault)) return false;
    d->step++;
    size_t open = count_open(d, block.begin, block.end);
    diffusion_keep_surest(d->sure, d->count, diffusion_share(open, steps), d->stays);
    for (size_t i = block.begin; i < block.end; i++)
        if (d->stays[i]) {
            d->tokens[i] = d->drawn[i], d->sure_of[i] = d->sure[i];
            d->step_of[i] = (int32_t)d->step;
        }
    return true;
}
