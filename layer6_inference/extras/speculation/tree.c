/* tree.c - a draft with leaves: other candidates for each drafted token.
 *
 *     text --- x1 --- x2 --- x3        the draft, in the text's own sequence
 *        \       \      \
 *         y1      y2     y3            leaves, each in a fork: text x1 x2 y3
 *
 * All of it is one batch.  Where the chain chooses a leaf instead of the drafted token, its
 * fork replaces the text's sequence, and the leaf's row gives one more token.  A fork reads
 * again what its leaf stands on: the text's last token and the draft before it.
 *
 * Invariant: how many leaves find room changes the number of passes, and no token.
 * Source   Miao et al. 2023, arXiv:2305.09781 (SpecInfer); Cai et al. 2024, arXiv:2401.10774
 *          (Medusa). */
#include "draft.h"

void tree_rank(Sequence *s, const float *logits, int32_t *best) {
    const Draft *g = sequence_draft(s);
    size_t n = 0;
    for (size_t i = 0; i < g->vocab && g->asked->leaves; i++) {
        size_t k = n;
        for (; k > 0 && logits[i] > logits[best[k - 1]]; k--)
            if (k <= g->asked->leaves) best[k] = best[k - 1];
        if (k <= g->asked->leaves) best[k] = (int32_t)i;
        n = min_size(n + 1, g->asked->leaves + 1);
    }
}

void tree_choose(Sequence *s, const int32_t *best, int32_t token) {
    Draft *g = sequence_draft(s);
    for (size_t i = 0, k = 0; k < g->asked->leaves; i++)
        if (best[i] != token)
            g->leaves[g->n_leaves++] = (Leaf){.token = best[i], .depth = g->count}, k++;
}

/* ------------------------------------------------------------------ forks */

/* Put a leaf into the model's batch, with what it stands on.  False: there is no room. */
static bool fork_leaf(ModelRunner *r, const Sequence *s, Leaf *leaf) {
    KvCache *kv = &r->session->kv;
    const Draft *g = sequence_draft(s);
    const size_t text = s->slot->id, at = session_length(r->session, text), n = leaf->depth + 2,
                 end = at + 1 + g->count;
    size_t id = 0;
    while (id < kv->config.sequences && r->used[id]) id++;
    if (id == kv->config.sequences || runner_room(r) < n || r->rows == r->session->max_logits)
        return false;
    size_t own = kv_pages_needed(kv, text, end);
    kv_fork(kv, id, text);
    own = kv_pages_needed(kv, text, end) - own; /* the text now shares its last page */
    if (!kv_reserve(kv, id, at + n, r->pages + own))
        return session_rewind(r->session, id, 0), false;
    r->pages += own + kv_pages_needed(kv, id, at + n);
    r->used[id] = leaf->forked = true, leaf->id = id, leaf->row = r->rows;
    runner_push(r, id, s->tokens->ids[at], at, false);
    for (size_t i = 0; i < leaf->depth; i++) runner_push(r, id, g->text[i], at + 1 + i, false);
    runner_push(r, id, leaf->token, at + n - 1, true);
    return true;
}

void tree_fork(Engine *e, size_t number) {
    for (Sequence *s = e->sequences; number == 0 && s < e->sequences + e->room; s++) {
        Draft *g = sequence_draft(s);
        if (!g || !s->live || !s->ready || !g->made) continue;
        tree_release(g);
        for (size_t i = 0; i < g->n_leaves && fork_leaf(&e->runners[0], s, &g->leaves[i]);) i++;
    }
}

void tree_release(Draft *g) {
    for (Leaf *leaf = g->leaves; leaf < g->leaves + g->n_leaves; leaf++) {
        if (!leaf->forked) continue;
        session_rewind(g->runner->session, leaf->id, 0);
        g->runner->used[leaf->id] = leaf->forked = false;
    }
}

/* ------------------------------------------------------------------ after the batch */

Leaf *tree_find(Draft *g, size_t depth, int32_t token) {
    for (Leaf *leaf = g->leaves; leaf < g->leaves + g->n_leaves; leaf++)
        if (leaf->depth == depth && leaf->forked && leaf->token == token) return leaf;
    return NULL;
}

float *tree_row(const Draft *g) { return g->runner->session->logits + g->leaf->row * g->vocab; }

bool tree_adopt(const Sequence *s, Draft *g) {
    const Leaf *leaf = g->leaf;
    if (leaf) kv_fork(&g->runner->session->kv, s->slot->id, leaf->id);
    g->leaf = NULL;
    return leaf != NULL;
}
