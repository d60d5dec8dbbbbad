/* drafts.c - when a text gets a draft, and from what.  See speculate.h; verification:
 * speculate.c. */
#include "draft.h"
#include "draft_head.h"

#include <string.h>

const DraftKind *const draft_kinds[] = {&draft_model,  &draft_lookup, &draft_suffix,
                                        &draft_jacobi, &draft_forced, NULL};

const DraftKind *draft_find(const char *name) {
    for (const DraftKind *const *kind = draft_kinds; *kind; kind++)
        if (strcmp((*kind)->name, name) == 0) return *kind;
    return NULL;
}

void draft_forget(Sequence *s) {
    Draft *g = sequence_draft(s);
    tree_release(g);
    g->made = false, g->accepted = g->n_leaves = 0;
    s->plan.drafted = NULL, s->plan.n_drafted = 0, s->plan.every_row = false;
}

/* While a draft model drafts, its tokens extend the text: they are not counted. */
size_t draft_room(const Sequence *s) {
    const Draft *g = sequence_draft(s);
    const size_t drafted = g->text_count ? s->tokens->count - g->text_count : 0;
    size_t room = g->asked->length;
    if (g->slot && assistant_is(g->slot->session->model) && !slot_length(s->slot))
        return 0; /* there are no keys yet */
    for (const Slot *slot = s->slot; slot < s->slot + s->n_slots; slot++)
        if (slot != g->slot)
            room = min_size(room, session_ctx(slot->session) - (slot_total(s, slot) - drafted));
    return room;
}

/* Is all but its last token evaluated, and about as much by its draft model? */
static bool is_due(const Sequence *s) {
    const Draft *g = sequence_draft(s);
    if (!g || g->made || !s->live || s->paused || s->preempted) return false;
    size_t count = s->tokens->count, lacks = 2;
    for (const Slot *slot = s->slot; slot < s->slot + s->n_slots; slot++)
        if (slot != g->slot && slot_length(slot) + 1 != slot_total(s, slot)) return false;
    if (g->hidden) /* it evaluates correct guesses again */
        lacks = min_size(SPECULATE_MAX + 2, g->slot->session->max_tokens);
    return !g->slot || session_length(g->slot->session, g->slot->id) + lacks >= count;
}

/* The draft is complete from now on, when all drafts have run. */
static void begin_draft(Sequence *s) {
    Draft *g = sequence_draft(s);
    g->made = true, g->text_count = s->tokens->count;
    g->count = g->kind->draft ? g->kind->draft(s, g->text, draft_room(s)) : 0;
}

static bool has_drafts(const Engine *e) {
    for (size_t i = 0; i < e->room; i++)
        if (sequence_draft(&e->sequences[i])) return true;
    return false;
}

/* Restore the text and its chain; its draft is tried after it. */
static void end_draft(Sequence *s) {
    Draft *g = sequence_draft(s);
    if (!g || !g->text_count) return;
    if (g->slot) chain_rewind(s->options.chain, g->count);
    s->tokens->count = g->text_count, g->text_count = 0;
    if (g->made)
        s->plan.drafted = g->text, s->plan.n_drafted = g->count, s->plan.every_row = true;
}

bool draft_all(Engine *e, Fault *fault) {
    if (!has_drafts(e)) return true;
    pages_begin(e);
    for (Sequence *s = e->sequences; s < e->sequences + e->room; s++)
        if (is_due(s) && draft_model_reserve(e, s)) begin_draft(s);
    bool ok = draft_model_run(e, fault);
    for (Sequence *s = e->sequences; s < e->sequences + e->room; s++) end_draft(s);
    return ok;
}
