/* speculate.c - see speculate.h. */
#include "speculate.h"
#include "take.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

double speculate_accept_chance(const float *p, const float *q, int32_t token) {
    return q[token] > 0 ? fmin(1, (double)p[token] / (double)q[token]) : 1;
}

void speculate_residual(const float *p, const float *q, size_t n, float *out) {
    double sum = 0;
    for (size_t i = 0; i < n; i++) sum += fmax(0, (double)p[i] - (double)q[i]);
    for (size_t i = 0; i < n; i++)
        out[i] = sum > 0 ? (float)(fmax(0, (double)p[i] - (double)q[i]) / sum) : p[i];
}

size_t speculate_lookup(const int32_t *tokens, size_t n, size_t most, int32_t *guess) {
    for (size_t words = n > 3 ? 3 : n ? n - 1 : 0; words > 0; words--)
        for (size_t at = n - 1; at-- > words - 1;) {
            const int32_t *end = tokens + at + 1; /* what follows position `at` */
            if (memcmp(end - words, tokens + n - words, words * sizeof *tokens) != 0) continue;
            size_t count = n - (at + 1) < most ? n - (at + 1) : most;
            memcpy(guess, end, count * sizeof *guess);
            return count;
        }
    return 0;
}

/* The distribution that the chain draws from, as a dense row.  All stages but the last act. */
static bool shape(Sequence *s, Chain *chain, float *logits, float *out, Fault *fault) {
    Candidates *c = s->candidates;
    int32_t token;
    if (!sequence_choose(s, chain, logits, &token, fault)) return false;
    memset(out, 0, c->vocab * sizeof *out);
    double sum = candidates_log_sum(c);
    for (size_t i = 0; i < c->count; i++)
        out[candidates_id(c, i)] = (float)exp((double)c->logits[i] - sum);
    return true;
}

static int32_t draw(const float *p, size_t n, double u) {
    double sum = 0;
    int32_t last = 0;
    for (size_t i = 0; i < n; i++) sum += (double)p[i];
    for (size_t i = 0; i < n; i++) {
        if (p[i] <= 0) continue;
        last = (int32_t)i;
        if ((u -= (double)p[i] / sum) < 0) return last;
    }
    return last;
}

/* Coins: of the guess, of the acceptance, of the second draw; by position, like all coins. */
enum { COIN_GUESS = 1001, COIN_ACCEPT, COIN_REST };

static double coin(const Sequence *s, uint64_t which) {
    return rng_unit(s->options.seed, s->tokens->count, which);
}

/* ------------------------------------------------------------------ guesses */

static size_t most_guessed(const Sequence *s) {
    size_t length = s->options.speculation->length, room = s->ctx - s->guess->text_count;
    return length < room ? length : room;
}

/* Has it read all but its last token, and its draft about as much? */
static bool is_due(const Sequence *s) {
    if (!s->live || !s->guess || s->guess->made) return false;
    const Reader *text = &s->reader[READS_TEXT], *draft = &s->reader[READS_DRAFT];
    size_t count = s->tokens->count;
    return session_length(text->session, text->id) + 1 == count &&
           (!draft->session || session_length(draft->session, draft->id) + 2 >= count);
}

static void guess_by_lookup(Sequence *s) {
    Guess *g = s->guess;
    g->count = speculate_lookup(s->tokens->ids, s->tokens->count, most_guessed(s), g->text);
    memset(g->q, 0, g->count * g->vocab * sizeof *g->q);
    for (size_t i = 0; i < g->count; i++) g->q[i * g->vocab + (size_t)g->text[i]] = 1;
}

/* `made` from now on: it is complete when all drafts have run. */
static void begin_guess(Sequence *s) {
    Guess *g = s->guess;
    g->made = true, g->count = 0, g->text_count = s->tokens->count;
    if (!s->reader[READS_DRAFT].session) guess_by_lookup(s);
}

/* The draft's next token, which follows the text for as long as it guesses. */
static bool guess_one(Engine *e, Sequence *s, Fault *fault) {
    const Reader *r = &s->reader[READS_DRAFT];
    Guess *g = s->guess;
    float *q = g->q + g->count * g->vocab;
    s->candidates = &e->candidates[0];
    if (!shape(s, &g->chain, part_row(&e->parts[r->part], r->row), q, fault)) return false;
    g->text[g->count] = draw(q, g->vocab, coin(s, COIN_GUESS));
    token_list_add(s->tokens, g->text[g->count++]);
    return true;
}

/* The drafts of the texts in `taking` read what they lack, and guess one token more. */
static bool run_drafts(Engine *e, EnginePart *part, size_t n, Fault *fault) {
    if (!part_forward(part, fault)) return false;
    part->count = part->rows = 0;
    for (size_t i = 0; i < n; i++)
        if (!guess_one(e, e->taking[i], &e->taking[i]->fault)) sequence_fail(e->taking[i]);
    return true;
}

static bool is_guessing(const Sequence *s, size_t part, size_t tokens) {
    return s->live && s->guess && s->guess->made && s->guess->count == tokens &&
           s->guess->text_count && s->reader[READS_DRAFT].session &&
           s->reader[READS_DRAFT].part == part && tokens < most_guessed(s);
}

/* Token number `tokens` of all guesses that one draft makes. */
static bool guess_next(Engine *e, size_t number, size_t tokens, Fault *fault) {
    EnginePart *part = &e->parts[number];
    size_t n = 0;
    for (Sequence *s = e->sequences; s < e->sequences + e->room; s++) {
        Reader *r = &s->reader[READS_DRAFT];
        if (!is_guessing(s, number, tokens)) continue;
        size_t at = session_length(r->session, r->id), lacks = s->tokens->count - at;
        if (part_room(part) < lacks || part->rows == part->session->most_logits) {
            if (!run_drafts(e, part, n, fault)) return false;
            n = 0;
        }
        r->row = part->rows;
        for (size_t i = at; i < at + lacks; i++)
            part_push(part, r->id, s->tokens->ids[i], i, i + 1 == at + lacks);
        e->taking[n++] = s;
    }
    return n == 0 || run_drafts(e, part, n, fault);
}

bool engine_guess(Engine *e, Fault *fault) {
    bool ok = true;
    for (size_t i = 0; i < e->n_parts; i++) e->parts[i].count = e->parts[i].rows = 0;
    for (Sequence *s = e->sequences; s < e->sequences + e->room; s++)
        if (is_due(s)) begin_guess(s);
    for (size_t tokens = 0; ok && tokens < SPECULATE_MOST; tokens++)
        for (size_t part = 0; ok && part < e->n_parts; part++)
            ok = guess_next(e, part, tokens, fault);
    for (Sequence *s = e->sequences; s < e->sequences + e->room; s++)
        if (s->guess && s->guess->text_count)
            s->tokens->count = s->guess->text_count, s->guess->text_count = 0;
    return ok;
}

/* ------------------------------------------------------------------ what the model says */

/* Accept or draw again; returns false at the first token that was not guessed. */
static bool settle(Sequence *s, size_t i, int32_t *token) {
    Guess *g = s->guess;
    const float *q = g->q + i * g->vocab;
    if (i == g->count) {
        *token = draw(g->p, g->vocab, coin(s, COIN_REST));
        return false;
    }
    *token = g->text[i];
    if (coin(s, COIN_ACCEPT) < speculate_accept_chance(g->p, q, *token)) {
        g->accepted++;
        return true;
    }
    speculate_residual(g->p, q, g->vocab, g->rest);
    *token = draw(g->rest, g->vocab, coin(s, COIN_REST));
    return false;
}

bool guess_take(Sequence *s, float *rows, Fault *fault) {
    const Guess *g = s->guess;
    bool more = true;
    for (size_t i = 0; more && s->live && i <= g->count; i++) {
        int32_t token;
        float *row = rows + i * g->vocab;
        if (s->raw) memcpy(s->raw, row, g->vocab * sizeof *row);
        if (!shape(s, s->options.chain, row, g->p, fault)) return false;
        more = settle(s, i, &token);
        sequence_append(s, token, &s->choice);
    }
    return true;
}

void guess_settle(Sequence *s) {
    Speculation *all = s->options.speculation;
    Guess *g = s->guess;
    all->rounds++, all->guessed += g->count, all->accepted += g->accepted;
    g->made = false, g->accepted = 0;
    for (const Reader *r = s->reader; r < s->reader + READERS; r++)
        if (r->session) session_rewind(r->session, r->id, s->tokens->count - 1);
}

/* ------------------------------------------------------------------ what goes together */

/* The last stage must be one whose distribution can be told: what it draws from is what is left. */
static bool check(const GenerateOptions *o, const Session *session, Fault *fault) {
    const StageKind *last = o->chain->stages[o->chain->count - 1].kind;
    const Speculation *s = o->speculation;
    if (last != &stage_draw && last != &stage_greedy && last != &stage_gumbel)
        return fault_set(
            fault, "speculation needs a chain that ends in draw, gumbel or greedy, not in %s",
            last->name);
    for (size_t i = 0; i < o->chain->count; i++)
        if (o->chain->stages[i].kind == &stage_skew && !stage_is_off(&o->chain->stages[i]))
            return fault_set(
                fault,
                "speculation keeps the distribution; skew bends the coin: leave one out");
    if (o->amateur || o->negative || (o->heal && o->heal->size))
        return fault_set(fault, "speculation does not go with a second model, cfg or healing");
    if (s->length < 1 || s->length > SPECULATE_MOST)
        return fault_set(fault, "a guess of %zu tokens: wanted 1 to %d", s->length,
                         SPECULATE_MOST);
    if (session->most_logits < s->length + 1)
        return fault_set(fault,
                         "the session has room for %zu rows of logits, a guess needs %zu",
                         session->most_logits, s->length + 1);
    if (s->draft && s->draft->model->sizes.vocab != session->model->sizes.vocab)
        return fault_set(
            fault, "the draft has %zu tokens, the model %zu: they must share a vocabulary",
            s->draft->model->sizes.vocab, session->model->sizes.vocab);
    return true;
}

bool guess_open(Sequence *s, const Session *session, Fault *fault) {
    if (!check(&s->options, session, fault)) return false;
    Guess *g = s->guess = calloc(1, sizeof *g);
    if (!g) return fault_set(fault, "no memory for a guess");
    g->vocab = session->model->sizes.vocab;
    g->q = malloc(SPECULATE_MOST * g->vocab * sizeof *g->q);
    g->p = malloc(g->vocab * sizeof *g->p), g->rest = malloc(g->vocab * sizeof *g->rest);
    chain_copy(&g->chain, s->options.chain);
    g->chain.watch = NULL;
    return (g->q && g->p && g->rest) || fault_set(fault, "no memory for a guess");
}

void guess_close(Guess *g) {
    if (!g) return;
    chain_close(&g->chain);
    free(g->q), free(g->p), free(g->rest), free(g);
}
