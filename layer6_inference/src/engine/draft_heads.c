/* draft_heads.c - drafts of a draft head (draft_head.h): what the model knew at each position of a text is
 * kept for as long as the text is, and given to the head, position p - 1 with token p.
 *
 *     position    0    1    2   ...  n - 1 |  n      n + 1
 *     hidden      h    h    h         g    |  g      g         h: the model's; g: the head's own, while it drafts
 *
 * Invariant: what a head's memory holds of a text between two drafts was read with the model's h, so that drafts depend
 * on the text alone. */
#include "take.h"

#include <string.h>

bool has_draft_head(const Sequence *s) { return s->draft && s->draft->hidden; }

/* The text, one of whose readers reads in this part as number `id`; NULL: none with a draft head. */
static Sequence *sequence_of(Engine *e, size_t part, size_t reader, int32_t id) {
    for (Sequence *s = e->sequences; s < e->sequences + e->room; s++) {
        const Reader *r = &s->reader[reader];
        if (has_draft_head(s) && r->session && r->part == part && r->id == (size_t)id) return s;
    }
    return NULL;
}

void draft_head_feed(Engine *e, size_t number) {
    const EnginePart *p = &e->parts[number];
    const size_t dim = p->session->model->sizes.dim;
    for (size_t i = 0; i < p->count && p->input; i++) {
        const Sequence *s = sequence_of(e, number, READS_DRAFT, p->sequence[i]);
        REQUIRE(s, "a draft head reads for a text");
        float *row = p->input + i * dim;
        if (p->position[i])
            memcpy(row, s->draft->hidden + (size_t)(p->position[i] - 1) * dim,
                   dim * sizeof *row);
        else
            memset(row, 0, dim * sizeof *row);
    }
}

/* For one head the model's h of what that one read; the head's own where the model has not read yet. */
static void keep_for(Engine *e, size_t number, size_t head) {
    const EnginePart *p = &e->parts[number], *h = &e->parts[head];
    const size_t dim = h->session->model->sizes.dim;
    const bool own = number == head;
    if (p->count) draft_head_rows(h->session, p->session, p->count, h->known);
    for (size_t i = 0; i < p->count; i++) {
        size_t at = (size_t)p->position[i];
        Sequence *s = sequence_of(e, number, own ? READS_DRAFT : READS_TEXT, p->sequence[i]);
        if (!s || s->reader[READS_DRAFT].part != head) continue;
        if (own && at < reader_length(&s->reader[READS_TEXT])) continue;
        memcpy(s->draft->hidden + at * dim, h->known + i * dim, dim * sizeof *h->known);
    }
}

void draft_head_keep(Engine *e, size_t number) {
    for (size_t head = 1; head < e->n_parts; head++)
        if (e->parts[head].input && (number == 0 || number == head)) keep_for(e, number, head);
}

size_t draft_head_reach(const Sequence *s) { return reader_length(&s->reader[READS_TEXT]) + 1; }

void draft_head_rollback(Sequence *s) {
    const Reader *r = &s->reader[READS_DRAFT];
    size_t guessed = s->draft->count ? s->draft->count - 1 : 0;
    if (has_draft_head(s))
        session_rewind(r->session, r->id, session_length(r->session, r->id) - guessed);
}
