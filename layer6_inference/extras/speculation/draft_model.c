/* draft_model.c - drafts of a draft model, token by token, in batches of all texts.  See
 * draft.h. */
#include "draft.h"

#include <math.h>

const DraftKind draft_model = {.name = "model", .gloss = "what a draft model would say"};

bool draft_model_reserve(Engine *e, Sequence *s) {
    const Slot *r = sequence_draft(s)->slot;
    size_t tokens[SEQUENCE_SLOTS] = {0}, count = s->tokens->count + draft_room(s);
    if (r && draft_room(s)) tokens[r - s->slot] = count - 1 - session_length(r->session, r->id);
    return pages_reserve(e, s, tokens);
}

/* Run the chain on the draft model's row.  A second model or text has not read the draft: the
 * draft's own row stands in, with which cfg changes nothing. */
static bool choose_drafted(Sequence *s, float *logits, int32_t *token, Fault *fault) {
    Chain *chain = s->options.chain;
    Step step = s->step;
    step.position = step.history_count = s->tokens->count, step.history = s->tokens->ids;
    if (step.amateur) step.amateur = logits;
    if (step.unconditional) step.unconditional = logits;
    ChainObserver *observer = chain->observer;
    chain->observer = NULL;
    bool ok = candidates_load(s->candidates, logits, fault) &&
              chain_run(chain, s->candidates, &step, token, fault);
    chain->observer = observer;
    return ok;
}

/* Append the draft model's next token while drafting.  The draft ends if the chain leaves no
 * token. */
static bool draft_one(Engine *e, Sequence *s, Fault *fault) {
    Draft *g = sequence_draft(s);
    int32_t token, best[LEAVES_MAX + 1];
    s->candidates = &e->candidates[0];
    if (g->matches) tree_rank(s, slot_row(g->slot), best);
    if (!choose_drafted(s, slot_row(g->slot), &token, fault))
        return candidates_max(s->candidates) == -INFINITY;
    if (g->matches) {
        tree_choose(s, best, token);
    } else {
        float *q = g->q + g->count * g->vocab;
        draft_read_off(s->candidates, q);
        token = draft_draw(q, g->vocab, draft_coin(s, COIN_DRAFT));
    }
    chain_accept(s->options.chain, token);
    token_list_add(s->tokens, token);
    g->text[g->count++] = token;
    return true;
}

/* The draft model evaluates what it lacks of the texts in `taking`, and drafts one more
 * token for each. */
static bool run_drafts(Engine *e, size_t number, size_t n, Fault *fault) {
    ModelRunner *runner = &e->runners[number];
    if (!engine_forward(e, number, fault)) return false;
    runner->count = runner->rows = 0;
    for (size_t i = 0; i < n; i++)
        if (!draft_one(e, e->taking[i], &e->taking[i]->fault)) sequence_fail(e->taking[i]);
    return true;
}

static bool is_drafting(const Sequence *s, size_t runner, size_t tokens) {
    const Draft *g = sequence_draft(s);
    return g && s->live && g->made && g->count == tokens && g->text_count && g->slot &&
           g->slot->runner == runner && tokens < draft_room(s) && !chain_ends(s->options.chain);
}

/* Token number `tokens` of all drafts by one draft model. */
static bool draft_next(Engine *e, size_t number, size_t tokens, Fault *fault) {
    ModelRunner *runner = &e->runners[number];
    size_t n = 0;
    for (Sequence *s = e->sequences; s < e->sequences + e->room; s++) {
        if (!is_drafting(s, number, tokens)) continue;
        Slot *r = sequence_draft(s)->slot;
        size_t at = session_length(r->session, r->id), lacks = s->tokens->count - at;
        if (runner_room(runner) < lacks || runner->rows == runner->session->max_logits) {
            if (!run_drafts(e, number, n, fault)) return false;
            n = 0;
        }
        r->row = runner->rows, r->rows = 1;
        for (size_t i = at; i < at + lacks; i++)
            runner_push(runner, r->id, s->tokens->ids[i], i, i + 1 == at + lacks);
        e->taking[n++] = s;
    }
    return n == 0 || run_drafts(e, number, n, fault);
}

bool draft_model_run(Engine *e, Fault *fault) {
    for (size_t tokens = 0; tokens < SPECULATE_MAX; tokens++)
        for (size_t runner = 0; runner < e->n_runners; runner++)
            if (!draft_next(e, runner, tokens, fault)) return false;
    return true;
}
