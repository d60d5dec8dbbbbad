/* draft_heads.c - drafts of a draft head (draft_head.h): the model's hidden row of each
 * position is kept as long as the text, and row p - 1 is fed to the head with token p.
 *
 *     position    0    1    2   ...  n - 1 |  n      n + 1
 *     hidden      h    h    h         g    |  g      g       h: the model's; g: the head's own
 *
 * Invariant: between two drafts a head's memory holds only what it read with the model's h, so
 * drafts depend on the text alone. */
#include "draft.h"
#include "draft_head.h"

#include <stdlib.h>
#include <string.h>

/* State of a runner whose model is a draft head; the engine has one for each of its models. */
typedef struct Head {
    float *input;  /* (max_tokens, width) hidden rows for the head's batch */
    float *known;  /* (PREFILL_BATCH, width) rows of the model's batch */
    float *tapped; /* (PREFILL_BATCH, layers, dim) layers of the model that the head reads */
    Arena arena;   /* owns all of the above */
} Head;

/* The text whose slot in this runner (the draft's, or the first) is sequence `id`; NULL: none
 * that has a draft head. */
static Sequence *reads_for(Engine *e, size_t runner, bool drafts, int32_t id) {
    for (Sequence *s = e->sequences; s < e->sequences + e->room; s++) {
        const Draft *g = sequence_draft(s);
        if (!g || !g->hidden) continue;
        const Slot *r = drafts ? g->slot : s->slot;
        if (r->session && r->runner == runner && r->id == (size_t)id) return s;
    }
    return NULL;
}

/* A draft head reads each token with the model's row of the token before, the first with
 * zeros. */
static void draft_head_feed(Engine *e, size_t number) {
    const ModelRunner *p = &e->runners[number];
    const size_t dim = draft_head_width(p->session->model);
    size_t *model = p->session->extras->assistant.sequence;
    for (size_t i = 0; i < p->count && p->input; i++) {
        const Sequence *s = reads_for(e, number, true, p->sequence[i]);
        REQUIRE(s, "a draft head needs a text to draft for");
        if (model) model[p->sequence[i]] = s->slot->id;
        float *row = p->input + i * dim;
        if (p->position[i])
            memcpy(row, sequence_draft(s)->hidden + (size_t)(p->position[i] - 1) * dim,
                   dim * sizeof *row);
        else
            memset(row, 0, dim * sizeof *row);
    }
}

/* Rows for one head: the model's h; the head's own g where the model has not been there yet. */
static void keep_for(Engine *e, size_t number, size_t head) {
    const Head *heads = e->hooks.state;
    const ModelRunner *p = &e->runners[number], *h = &e->runners[head];
    const size_t dim = draft_head_width(h->session->model);
    float *known = heads[head].known;
    const bool own = number == head;
    if (p->count) draft_head_rows(h->session, p->session, p->count, known);
    for (size_t i = 0; i < p->count; i++) {
        size_t at = (size_t)p->position[i];
        Sequence *s = reads_for(e, number, own, p->sequence[i]);
        if (!s || sequence_draft(s)->slot->runner != head) continue;
        if (own && at < slot_length(s->slot)) continue;
        memcpy(sequence_draft(s)->hidden + at * dim, known + i * dim, dim * sizeof *known);
    }
}

static void draft_head_keep(Engine *e, size_t number) {
    for (size_t head = 1; head < e->n_runners; head++)
        if (e->runners[head].input && (number == 0 || number == head))
            keep_for(e, number, head);
}

size_t draft_head_reach(const Sequence *s) { return slot_length(s->slot) + 1; }

void draft_head_rollback(const Draft *g) {
    const Slot *r = g->slot;
    size_t guessed = g->count ? g->count - 1 : 0;
    session_rewind(r->session, r->id, session_length(r->session, r->id) - guessed);
}

/* ------------------------------------------------------------------ the head's memory */

static void head_layout(Head *h, const Session *session) {
    const Model *m = session->model;
    const size_t width = draft_head_width(m),
                 depths = assistant_is(m) ? 0 : model_extras(m)->draft_head.width;
    h->input = arena_take(&h->arena, session->max_tokens * width, sizeof *h->input);
    h->known = arena_take(&h->arena, PREFILL_BATCH * width, sizeof *h->known);
    h->tapped = arena_take(&h->arena, PREFILL_BATCH * DRAFT_DEPTHS * depths, sizeof *h->tapped);
}

static void heads_close(Engine *e) {
    Head *heads = e->hooks.state;
    session_tap(e->runners[0].session, NULL, 0, NULL);
    e->runners[0].session->all_rows = false;
    for (size_t i = 0; i < ENGINE_MODELS; i++) arena_free(&heads[i].arena);
    free(heads);
}

/* A separate draft head (EAGLE-3) reads more layers of its model than the last, an assistant
 * reads its keys and values. */
static bool read_model(Session *main, Session *head, float *rows, Fault *fault) {
    const DraftHead *g = &model_extras(head->model)->draft_head;
    if (!g->model || g->model != main->model) return true;
    if (assistant_is(head->model)) return assistant_reads(head, main, fault);
    REQUIRE(!main->extras->tap.count, "an engine has one draft head in a file of its own");
    session_tap(main, g->layers, DRAFT_DEPTHS, rows);
    return true;
}

/* The runner's model is a draft head: keep the model's hidden rows for it from now on. */
static bool open_head(Engine *e, size_t runner, Fault *fault) {
    if (!e->hooks.state && !(e->hooks.state = calloc(ENGINE_MODELS, sizeof(Head))))
        return fault_set(fault, "no memory for a draft head");
    Session *session = e->runners[runner].session;
    Head *h = (Head *)e->hooks.state + runner;
    e->hooks.close = heads_close;
    arena_measure(&h->arena);
    head_layout(h, session);
    if (!arena_init(&h->arena, h->arena.used, fault)) return false;
    head_layout(h, session);
    e->runners[runner].input = h->input;
    e->runners[0].session->all_rows = session->all_rows = true;
    if (!read_model(e->runners[0].session, session, h->tapped, fault)) return false;
    e->hooks.before_forward = draft_head_feed, e->hooks.after_forward = draft_head_keep;
    return true;
}

bool draft_head_prepare(Engine *e, Draft *g, Fault *fault) {
    const Session *head = g->slot->session;
    size_t ctx = max_size(session_ctx(head), session_ctx(e->runners[0].session));
    if (!e->runners[g->slot->runner].input && !open_head(e, g->slot->runner, fault))
        return false;
    g->hidden = malloc(ctx * draft_head_width(head->model) * sizeof *g->hidden);
    return g->hidden || fault_set(fault, "no memory for hidden states");
}
