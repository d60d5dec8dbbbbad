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

void draft_read_off(Candidates *c, float *out) {
    memset(out, 0, c->vocab * sizeof *out);
    double sum = candidates_log_sum(c);
    for (size_t i = 0; i < c->count; i++)
        out[candidates_id(c, i)] = (float)exp((double)c->logits[i] - sum);
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

/* The model's logits after i drafted tokens; extras, too, find their rows there. */
static float *row_after(Sequence *s, size_t i) {
    for (Slot *slot = s->slot; slot < s->slot + s->n_slots; slot++)
        if (slot->rows) slot->rows = i + 1;
    return slot_row(s->slot);
}

/* The chain chooses as if nothing were drafted. */
static bool match(Sequence *s, size_t i, float *row, bool *more, Fault *fault) {
    Draft *g = sequence_draft(s);
    const size_t before = s->tokens->count;
    if (!sequence_take(s, row, fault)) return false;
    *more = i < g->count && s->tokens->count > before;
    if (*more && s->choice.token != g->text[i])
        *more = (g->leaf = tree_find(g, i, s->choice.token)) != NULL;
    g->accepted += *more;
    return true;
}

static bool accept(Sequence *s, size_t i, float *row, bool *more, Fault *fault) {
    Draft *g = sequence_draft(s);
    int32_t token;
    if (s->raw) memcpy(s->raw, row, g->vocab * sizeof *row);
    if (!sequence_choose(s, s->options.chain, row, &token, fault)) return false;
    draft_read_off(s->candidates, g->p);
    *more = accept_or_draw(s, i, &token);
    sequence_append(s, token);
    return true;
}

/* Take what the model accepts: row 0 predicts the first drafted token, row i the one after
 * draft token i, a leaf's row the one after it. */
static bool draft_verify(Extra *x, Sequence *s, Fault *fault) {
    const Draft *g = x->state;
    bool more = true;
    for (size_t i = 0; more && s->live && i <= g->count; i = g->leaf ? g->count : i + 1) {
        float *row = g->leaf ? tree_row(g) : row_after(s, i);
        if (!(g->matches ? match : accept)(s, i, row, &more, fault)) return false;
    }
    return true;
}

/* Roll model and draft back to the accepted tokens. */
static void draft_rollback(Extra *x, Sequence *s) {
    Speculation *all = x->wish;
    Draft *g = x->state;
    all->rounds++, all->drafted += g->count, all->accepted += g->accepted;
    for (size_t i = 0; i < g->n_leaves; i++) all->drafted += g->leaves[i].forked;
    if (g->kind->seen) g->kind->seen(s);
    if (g->hidden) draft_head_rollback(g);
    const bool leaf = tree_adopt(s, g); /* the draft model did not read it */
    draft_forget(s);
    for (Slot *slot = s->slot; slot < s->slot + s->n_slots; slot++)
        slot_rewind(slot, slot_total(s, slot) - 1 - (leaf && slot == g->slot));
}

/* ------------------------------------------------------------------ requirements */

/* A draft head fits one model's hidden rows. */
static bool check_draft_head(const Model *head, const Model *model, Fault *fault) {
    if (!draft_head_is(head)) return true;
    if (model_extras(head)->quirks->is_draft_head || assistant_is(head))
        return model_extras(head)->draft_head.model == model ||
               fault_set(fault, "the draft head drafts for another model (draft_head_fit)");
    return head->sizes.dim == model->sizes.dim ||
           fault_set(fault,
                     "a draft head of rows of %zu numbers, a model of %zu: wanted its own head",
                     head->sizes.dim, model->sizes.dim);
}

/* Does the chain sample from a distribution that can be read off before its last stage? */
static bool can_be_read_off(const Chain *chain) {
    const StageKind *last = chain->stages[chain->count - 1].kind;
    for (size_t i = 0; i < chain->count; i++)
        if (chain->stages[i].kind == &stage_skew && !stage_is_off(&chain->stages[i]))
            return false;
    return last == &stage_draw || last == &stage_gumbel;
}

/* Every session that verifies needs a row for each drafted token and the last one. */
static bool check_rows(const Sequence *s, const Slot *draft, size_t length, Fault *fault) {
    for (const Slot *slot = s->slot; slot < s->slot + s->n_slots; slot++) {
        const Session *session = slot->session;
        size_t rows = 0, room = min_size(session->max_logits, session->max_tokens);
        for (const Slot *other = s->slot; other < s->slot + s->n_slots; other++)
            if (other != draft && other->session == session) rows += length + 1;
        if (rows > min_size(room, PREFILL_BATCH))
            return fault_set(fault,
                             "the session has room for %zu rows of logits, a draft needs %zu",
                             min_size(room, PREFILL_BATCH), rows);
    }
    return true;
}

static bool check_draft_model(const Speculation *s, const Model *model, Fault *fault) {
    const Session *draft = s->draft;
    if (s->kind && (s->kind == &draft_model) != (draft != NULL))
        return fault_set(fault,
                         draft ? "drafts of the kind %s need no draft model"
                               : "drafts of the kind %s need a draft model",
                         s->kind->name);
    if (!draft) return true;
    return check_draft_head(draft->model, model, fault) &&
           (draft->model->sizes.vocab == model->sizes.vocab ||
            fault_set(fault,
                      "the draft has %zu tokens, the model %zu: they must share a vocabulary",
                      draft->model->sizes.vocab, model->sizes.vocab));
}

static bool check_draft(const Extra *x, const Sequence *text, const Session *session,
                        Fault *fault) {
    const Speculation *s = x->wish;
    for (const Extra *other = text->options.extras; other->kind; other++)
        if (other != x && other->kind->choose && !other->slot)
            return fault_set(fault,
                             "speculation does not go with token healing or banned texts");
    if (chain_needs(text->options.chain, NEEDS_LOOK_AHEAD))
        return fault_set(fault, "speculation does not go with a stage that looks ahead");
    if (s->length < 1 || s->length > SPECULATE_MAX)
        return fault_set(fault, "a draft of %zu tokens: wanted 1 to %d", s->length,
                         SPECULATE_MAX);
    if (s->leaves > LEAVES_MAX)
        return fault_set(fault, "%zu leaves for each drafted token: wanted up to %d", s->leaves,
                         LEAVES_MAX);
    if (s->leaves && (!s->draft || draft_head_is(s->draft->model) || text->n_slots > 2))
        return fault_set(
            fault, "leaves need a draft model (a file, or this model without some blocks) "
                   "that is no draft head, and a text without cfg and contrast");
    return check_rows(text, x->slot, s->length, fault) &&
           check_draft_model(s, session->model, fault);
}

/* ------------------------------------------------------------------ the extra */

static bool draft_open(Extra *x, Engine *e, Sequence *s, Fault *fault) {
    const Session *session = e->runners[0].session;
    if (!check_draft(x, s, session, fault)) return false;
    Draft *g = x->state = calloc(1, sizeof *g);
    if (!g) return fault_set(fault, "no memory for a draft");
    g->asked = x->wish, g->slot = x->slot, g->vocab = session->model->sizes.vocab;
    g->kind = g->asked->kind ? g->asked->kind : g->slot ? &draft_model : &draft_lookup;
    g->matches = !g->slot || g->asked->leaves || !can_be_read_off(s->options.chain);
    g->runner = &e->runners[0];
    e->hooks.before_plan = draft_all;
    if (g->asked->leaves) e->hooks.before_forward = tree_fork;
    if (!g->matches) {
        g->q = malloc(SPECULATE_MAX * g->vocab * sizeof *g->q);
        g->p = malloc(g->vocab * sizeof *g->p), g->rest = malloc(g->vocab * sizeof *g->rest);
        if (!g->q || !g->p || !g->rest) return fault_set(fault, "no memory for a draft");
    }
    if (g->kind->open && !g->kind->open(g, s, fault)) return false;
    if (!g->slot || !draft_head_is(g->slot->session->model)) return true;
    return s->plan.reads_all = draft_head_prepare(e, g, fault);
}

static void draft_close(Extra *x) {
    Draft *g = x->state;
    if (!g) return;
    tree_release(g);
    if (g->kind && g->kind->close) g->kind->close(g);
    free(g->state), free(g->q), free(g->p), free(g->rest), free(g->hidden), free(g);
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
