/* speculate.c - see speculate.h. */
#include "speculate.h"
#include "run.h"

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

/* A guess on its way through a round. */
typedef struct Round {
    Run *run;
    Speculation *spec;
    size_t vocab, count;              /* tokens guessed */
    int32_t text[SPECULATE_MOST + 1]; /* the last token of the text, then the guess */
    float *q;                         /* (SPECULATE_MOST, vocab) what they were drawn from */
    float *p, *rest;                  /* (vocab) */
    Chain draft_chain;
} Round;

/* The distribution that the chain draws from, as a dense row.  All stages but the last act. */
static bool shape(Round *r, Chain *chain, float *logits, const int32_t *history, size_t count,
                  float *out, Fault *fault) {
    Candidates *c = r->run->candidates;
    int32_t token;
    if (!run_choose(r->run, chain, logits, history, count, &token, fault)) return false;
    memset(out, 0, r->vocab * sizeof *out);
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

static double coin(const Round *r, size_t position, uint64_t which) {
    return rng_unit(r->run->options->seed, position, which);
}

/* The draft reads what it has not read yet. */
static bool catch_up(Round *r, Fault *fault) {
    Session *draft = r->spec->draft;
    const TokenList *tokens = r->run->tokens;
    size_t have = session_length(draft, 0);
    if (have >= tokens->count) session_rewind(draft, 0, have = tokens->count - 1);
    return session_feed(draft, tokens->ids + have, tokens->count - have, false, fault);
}

static bool guess_by_draft(Round *r, size_t most, Fault *fault) {
    Session *draft = r->spec->draft;
    TokenList *tokens = r->run->tokens;
    size_t base = tokens->count;
    bool ok = catch_up(r, fault);
    for (r->count = 0; ok && r->count < most; r->count++) {
        float *q = r->q + r->count * r->vocab;
        ok = shape(r, &r->draft_chain, draft->logits, tokens->ids, tokens->count, q, fault);
        if (!ok) break;
        int32_t token = draw(q, r->vocab, coin(r, tokens->count, COIN_GUESS));
        r->text[r->count + 1] = token;
        token_list_add(tokens, token);
        if (r->count + 1 < most) ok = session_feed(draft, &token, 1, false, fault);
    }
    tokens->count = base;
    return ok;
}

static void guess_by_lookup(Round *r, size_t most) {
    const TokenList *tokens = r->run->tokens;
    r->count = speculate_lookup(tokens->ids, tokens->count, most, r->text + 1);
    memset(r->q, 0, r->count * r->vocab * sizeof *r->q);
    for (size_t i = 0; i < r->count; i++) r->q[i * r->vocab + (size_t)r->text[i + 1]] = 1;
}

/* The model reads the last token and the guess in one batch. */
static bool check_guess(Round *r, Fault *fault) {
    r->text[0] = r->run->tokens->ids[r->run->tokens->count - 1];
    return session_feed(r->run->session, r->text, r->count + 1, true, fault);
}

/* Accept or draw again; returns false at the first token that was not guessed. */
static bool settle(Round *r, size_t i, int32_t *token) {
    size_t position = r->run->tokens->count;
    const float *q = r->q + i * r->vocab;
    if (i == r->count) {
        *token = draw(r->p, r->vocab, coin(r, position, COIN_REST));
        return false;
    }
    *token = r->text[i + 1];
    if (coin(r, position, COIN_ACCEPT) < speculate_accept_chance(r->p, q, *token)) {
        r->spec->accepted++;
        return true;
    }
    speculate_residual(r->p, q, r->vocab, r->rest);
    *token = draw(r->rest, r->vocab, coin(r, position, COIN_REST));
    return false;
}

static bool one_round(Round *r, bool *done, Fault *fault) {
    Run *run = r->run;
    size_t room = session_ctx(run->session) - run->tokens->count,
           most = r->spec->length < room ? r->spec->length : room;
    if (!r->spec->draft)
        guess_by_lookup(r, most);
    else if (!guess_by_draft(r, most, fault))
        return false;
    if (!check_guess(r, fault)) return false;
    r->spec->rounds++, r->spec->guessed += r->count;
    bool more = true;
    for (size_t i = 0; more && !*done && i <= r->count; i++) {
        int32_t token;
        float *row = run->session->logits + i * r->vocab;
        if (run->raw) memcpy(run->raw, row, r->vocab * sizeof *row);
        if (!shape(r, run->options->chain, row, run->tokens->ids, run->tokens->count, r->p,
                   fault))
            return false;
        more = settle(r, i, &token);
        if (run->result->tokens == 0) {
            run->first = clock_seconds();
            run->result->first_token_seconds = run->first - run->start;
        }
        *done = run_take(run, token);
    }
    session_rewind(run->session, 0, run->tokens->count - 1);
    return true;
}

/* The last stage must be one whose distribution can be told: what it draws from is what is left. */
bool run_speculate_check(const Run *run, Fault *fault) {
    const GenerateOptions *o = run->options;
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
    if (o->amateur || o->unconditional || (o->heal && o->heal->size))
        return fault_set(fault, "speculation does not go with a second model, cfg or healing");
    if (s->length < 1 || s->length > SPECULATE_MOST)
        return fault_set(fault, "a guess of %zu tokens: wanted 1 to %d", s->length,
                         SPECULATE_MOST);
    if (run->session->most_logits < s->length + 1)
        return fault_set(fault,
                         "the session has room for %zu rows of logits, a guess needs %zu",
                         run->session->most_logits, s->length + 1);
    if (s->draft && s->draft->model->sizes.vocab != run->session->model->sizes.vocab)
        return fault_set(
            fault, "the draft has %zu tokens, the model %zu: they must share a vocabulary",
            s->draft->model->sizes.vocab, run->session->model->sizes.vocab);
    return true;
}

bool run_speculate(Run *run, Fault *fault) {
    Round r = {.run = run,
               .spec = run->options->speculation,
               .vocab = run->session->model->sizes.vocab};
    bool done = run->options->limits.most_tokens == 0, ok = true;
    r.q = malloc(SPECULATE_MOST * r.vocab * sizeof *r.q);
    r.p = malloc(r.vocab * sizeof *r.p), r.rest = malloc(r.vocab * sizeof *r.rest);
    if (!r.q || !r.p || !r.rest) ok = fault_set(fault, "no memory for a guess");
    chain_copy(&r.draft_chain, run->options->chain);
    r.draft_chain.watch = NULL;
    if (r.spec->draft) session_rewind(r.spec->draft, 0, 0);
    /* the last token of the prompt is read again with the first guess */
    session_rewind(run->session, 0, run->tokens->count - 1);
    while (ok && !done) ok = one_round(&r, &done, fault);
    chain_close(&r.draft_chain);
    free(r.q), free(r.p), free(r.rest);
    return ok;
}
