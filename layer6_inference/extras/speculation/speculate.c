/* speculate.c - verifying a draft.  See speculate.h; making it: drafts.c. */
#include "draft.h"
#include "draft_head.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const ExtraKind draft_kind;

Draft *sequence_draft(const Sequence *s) {
    return s->taker && s->taker->kind == &draft_kind ? s->taker->state : NULL;
}

bool draft_shape(Sequence *s, Chain *chain, float *logits, float *out, Fault *fault) {
    Candidates *c = s->candidates;
    int32_t token;
    if (!sequence_choose(s, chain, logits, &token, fault)) return false;
    memset(out, 0, c->vocab * sizeof *out);
    double sum = candidates_log_sum(c);
    for (size_t i = 0; i < c->count; i++)
        out[candidates_id(c, i)] = (float)exp((double)c->logits[i] - sum);
    return true;
}

int32_t draft_draw(const float *p, size_t n, double u) {
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

double draft_coin(const Sequence *s, uint64_t which) {
    return rng_unit(s->options.seed, s->tokens->count, which);
}

/* ------------------------------------------------------------------ verification */

/* Accept or draw again; false at the first token that differs from the draft. */
static bool accept_or_draw(Sequence *s, size_t i, int32_t *token) {
    Draft *g = sequence_draft(s);
    const float *q = g->q + i * g->vocab;
    if (i == g->count) {
        *token = draft_draw(g->p, g->vocab, draft_coin(s, COIN_REST));
        return false;
    }
    *token = g->text[i];
    if (draft_coin(s, COIN_ACCEPT) < speculate_accept_prob(g->p, q, *token)) {
        g->accepted++;
        return true;
    }
    speculate_residual(g->p, q, g->vocab, g->rest);
    *token = draft_draw(g->rest, g->vocab, draft_coin(s, COIN_REST));
    return false;
}

/* The chain chooses as if nothing were drafted. */
static bool verify_forced(Sequence *s, float *rows, Fault *fault) {
    Draft *g = sequence_draft(s);
    for (size_t i = 0; s->live && i <= g->count; i++) {
        size_t before = s->tokens->count;
        if (!sequence_take(s, rows + i * g->vocab, fault)) return false;
        if (i == g->count || s->tokens->count == before || s->choice.token != g->text[i]) break;
        g->accepted++;
    }
    return true;
}

/* Take what the model accepts: row 0 predicts the first drafted token, row i the one after
 * draft token i. */
static bool draft_verify(Extra *x, Sequence *s, Fault *fault) {
    const Draft *g = x->state;
    const Slot *r = s->slot;
    float *rows = r->session->logits + r->row * g->vocab;
    bool more = true;
    if (g->asked->forced) return verify_forced(s, rows, fault);
    for (size_t i = 0; more && s->live && i <= g->count; i++) {
        int32_t token;
        float *row = rows + i * g->vocab;
        if (s->raw) memcpy(s->raw, row, g->vocab * sizeof *row);
        if (!draft_shape(s, s->options.chain, row, g->p, fault)) return false;
        more = accept_or_draw(s, i, &token);
        sequence_append(s, token);
    }
    return true;
}

/* Roll model and draft back to the accepted tokens. */
static void draft_rollback(Extra *x, Sequence *s) {
    Speculation *all = x->wish;
    Draft *g = x->state;
    all->rounds++, all->drafted += g->count, all->accepted += g->accepted;
    if (g->hidden) draft_head_rollback(g);
    if (g->slot) chain_rewind(&g->chain, g->count);
    draft_forget(s);
    for (const Slot *r = s->slot; r < s->slot + s->n_slots; r++)
        session_rewind(r->session, r->id, s->tokens->count - 1);
}

/* ------------------------------------------------------------------ requirements */

/* A draft head fits one model's hidden rows. */
static bool check_draft_head(const Model *head, const Model *model, Fault *fault) {
    if (!draft_head_is(head)) return true;
    if (model_extras(head)->quirks->is_draft_head)
        return model_extras(head)->draft_head.model == model ||
               fault_set(fault, "the draft head drafts for another model (draft_head_fit)");
    return head->sizes.dim == model->sizes.dim ||
           fault_set(fault,
                     "a draft head of rows of %zu numbers, a model of %zu: wanted its own head",
                     head->sizes.dim, model->sizes.dim);
}

/* The last stage must sample from the distribution that is left, so that it can be read off. */
static bool check_draft(const Extra *x, const GenerateOptions *o, const Session *session,
                        Fault *fault) {
    const StageKind *last = o->chain->stages[o->chain->count - 1].kind;
    const Speculation *s = x->wish;
    if (!s->forced && last != &stage_draw && last != &stage_greedy && last != &stage_gumbel)
        return fault_set(
            fault, "speculation needs a chain that ends in draw, gumbel or greedy, not in %s",
            last->name);
    for (size_t i = 0; i < o->chain->count && !s->forced; i++)
        if (o->chain->stages[i].kind == &stage_skew && !stage_is_off(&o->chain->stages[i]))
            return fault_set(fault, "speculation keeps the distribution, and skew changes the "
                                    "uniform sample: leave one out");
    for (const Extra *other = o->extras; other->kind; other++)
        if (other != x && other->kind->choose)
            return fault_set(fault,
                             "speculation does not go with a second model, cfg or healing");
    if (s->length < 1 || s->length > SPECULATE_MAX)
        return fault_set(fault, "a draft of %zu tokens: wanted 1 to %d", s->length,
                         SPECULATE_MAX);
    if (session->max_logits < s->length + 1)
        return fault_set(fault,
                         "the session has room for %zu rows of logits, a draft needs %zu",
                         session->max_logits, s->length + 1);
    if (s->draft && !check_draft_head(s->draft->model, session->model, fault)) return false;
    if (s->draft && s->draft->model->sizes.vocab != session->model->sizes.vocab)
        return fault_set(
            fault, "the draft has %zu tokens, the model %zu: they must share a vocabulary",
            s->draft->model->sizes.vocab, session->model->sizes.vocab);
    return true;
}

/* ------------------------------------------------------------------ the extra */

static bool draft_open(Extra *x, Engine *e, Sequence *s, Fault *fault) {
    const Session *session = e->runners[0].session;
    if (!check_draft(x, &s->options, session, fault)) return false;
    Draft *g = x->state = calloc(1, sizeof *g);
    if (!g) return fault_set(fault, "no memory for a draft");
    g->asked = x->wish, g->slot = x->slot, g->vocab = session->model->sizes.vocab;
    e->hooks.before_plan = draft_all;
    if (g->asked->forced) return true;
    g->q = malloc(SPECULATE_MAX * g->vocab * sizeof *g->q);
    g->p = malloc(g->vocab * sizeof *g->p), g->rest = malloc(g->vocab * sizeof *g->rest);
    chain_copy(&g->chain, s->options.chain);
    g->chain.observer = NULL;
    chain_reset(&g->chain);
    if (!g->q || !g->p || !g->rest) return fault_set(fault, "no memory for a draft");
    if (!g->slot || !draft_head_is(g->slot->session->model)) return true;
    return s->plan.reads_all = draft_head_prepare(e, g, fault);
}

static void draft_close(Extra *x) {
    Draft *g = x->state;
    if (!g) return;
    chain_close(&g->chain);
    free(g->q), free(g->p), free(g->rest), free(g->hidden), free(g);
}

/* While a draft is verified the model reads nothing else; a head never reads what the model
 * evaluates in the same step. */
static size_t draft_wishes(Extra *x, const Sequence *s, const Slot *r, size_t n) {
    const Draft *g = x->state;
    if (r != g->slot) return n;
    if (g->made) return 0;
    if (!g->hidden) return n;
    const size_t reach = draft_head_reach(s);
    return min_size(n, reach - min_size(reach, slot_length(r)));
}

static bool draft_is_ready(const Extra *x) { return ((const Draft *)x->state)->made; }

static void draft_preempted(Extra *x, Sequence *s) {
    (void)x;
    draft_forget(s);
}

static const ExtraKind draft_kind = {.open = draft_open,
                                     .close = draft_close,
                                     .wishes = draft_wishes,
                                     .is_ready = draft_is_ready,
                                     .take = draft_verify,
                                     .taken = draft_rollback,
                                     .forget = draft_preempted};

void with_draft(GenerateOptions *o, Speculation *speculation) {
    generate_with(
        o, (Extra){.kind = &draft_kind, .wish = speculation, .session = speculation->draft});
}
