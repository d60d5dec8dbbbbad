/* drafts.c - making drafts.  See speculate.h; verification: speculate.c. */
#include "draft.h"

#include <math.h>
#include <string.h>

size_t speculate_lookup(const int32_t *tokens, size_t n, size_t max, int32_t *draft) {
    for (size_t words = n > 3 ? 3 : n ? n - 1 : 0; words > 0; words--)
        for (size_t at = n - 1; at-- > words - 1;) {
            const int32_t *end = tokens + at + 1; /* the token after position `at` */
            if (memcmp(end - words, tokens + n - words, words * sizeof *tokens) != 0) continue;
            size_t count = n - (at + 1) < max ? n - (at + 1) : max;
            memcpy(draft, end, count * sizeof *draft);
            return count;
        }
    return 0;
}

void draft_forget(Sequence *s) {
    Draft *g = sequence_draft(s);
    g->made = false, g->accepted = 0;
    s->plan.drafted = NULL, s->plan.n_drafted = 0, s->plan.every_row = false;
}

static size_t max_drafted(const Sequence *s) {
    const Draft *g = sequence_draft(s);
    size_t length = g->asked->length, text = g->text_count,
           room = s->ctx - (text ? text : s->tokens->count);
    return length < room ? length : room;
}

/* Is all but its last token evaluated, and about as much by its draft model? */
static bool is_due(const Sequence *s) {
    const Draft *g = sequence_draft(s);
    if (!g || g->made || !s->live || s->paused || s->preempted) return false;
    const Slot *text = s->slot, *draft = g->slot;
    size_t count = s->tokens->count, lacks = 2;
    if (g->hidden) /* it evaluates correct guesses again */
        lacks = min_size(SPECULATE_MAX + 2, draft->session->max_tokens);
    return session_length(text->session, text->id) + 1 == count &&
           (!draft || session_length(draft->session, draft->id) + lacks >= count);
}

static void draft_by_lookup(Sequence *s) {
    Draft *g = sequence_draft(s);
    g->count = speculate_lookup(s->tokens->ids, s->tokens->count, max_drafted(s), g->text);
    memset(g->q, 0, g->count * g->vocab * sizeof *g->q);
    for (size_t i = 0; i < g->count; i++) g->q[i * g->vocab + (size_t)g->text[i]] = 1;
}

/* The token forced by the first stage that knows. */
static void draft_forced(Sequence *s) {
    const Chain *chain = s->options.chain;
    Draft *g = sequence_draft(s);
    for (size_t i = 0; i < chain->count && g->count == 0; i++) {
        const Stage *stage = &chain->stages[i];
        if (stage->kind->forced) g->count = stage->kind->forced(stage, g->text, max_drafted(s));
    }
}

/* The draft is complete from now on, when all drafts have run. */
static void begin_draft(Sequence *s) {
    Draft *g = sequence_draft(s);
    g->made = true, g->count = 0, g->text_count = s->tokens->count;
    for (; !g->asked->forced && g->followed < s->result.tokens; g->followed++)
        chain_accept(&g->chain, s->tokens->ids[s->result.prompt_tokens + g->followed]);
    if (g->asked->forced)
        draft_forced(s);
    else if (!g->slot)
        draft_by_lookup(s);
}

/* Does the draft model's memory hold the whole draft? */
static bool has_draft_pages(Engine *e, Sequence *s) {
    const Slot *r = sequence_draft(s)->slot;
    size_t tokens[SEQUENCE_SLOTS] = {0}, count = s->tokens->count + max_drafted(s);
    if (r && max_drafted(s))
        tokens[r - s->slot] = count - 1 - session_length(r->session, r->id);
    return pages_reserve(e, s, tokens);
}

/* Append the draft model's next token while drafting.  The draft ends if the chain leaves no
 * token. */
static bool draft_one(Engine *e, Sequence *s, Fault *fault) {
    Draft *g = sequence_draft(s);
    float *q = g->q + g->count * g->vocab;
    s->candidates = &e->candidates[0];
    if (!draft_shape(s, &g->chain, slot_row(g->slot), q, fault))
        return candidates_max(s->candidates) == -INFINITY;
    g->text[g->count] = draft_draw(q, g->vocab, draft_coin(s, COIN_DRAFT));
    chain_accept(&g->chain, g->text[g->count]);
    token_list_add(s->tokens, g->text[g->count++]);
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
           g->slot->runner == runner && tokens < max_drafted(s) && !chain_ends(&g->chain);
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

static bool has_drafts(const Engine *e) {
    for (size_t i = 0; i < e->room; i++)
        if (sequence_draft(&e->sequences[i])) return true;
    return false;
}

/* Restore the text; its draft is tried after it. */
static void end_draft(Sequence *s) {
    Draft *g = sequence_draft(s);
    if (!g || !g->text_count) return;
    s->tokens->count = g->text_count, g->text_count = 0;
    if (g->made)
        s->plan.drafted = g->text, s->plan.n_drafted = g->count, s->plan.every_row = true;
}

bool draft_all(Engine *e, Fault *fault) {
    bool ok = true;
    if (!has_drafts(e)) return true;
    pages_begin(e);
    for (Sequence *s = e->sequences; s < e->sequences + e->room; s++)
        if (is_due(s) && has_draft_pages(e, s)) begin_draft(s);
    for (size_t tokens = 0; ok && tokens < SPECULATE_MAX; tokens++)
        for (size_t runner = 0; ok && runner < e->n_runners; runner++)
            ok = draft_next(e, runner, tokens, fault);
    for (Sequence *s = e->sequences; s < e->sequences + e->room; s++) end_draft(s);
    return ok;
}
