/* right: fits() asks part by part; the passes in two loops of their own */
static bool fits(const Engine *e, Sequence *s) {
    for (size_t i = 0; i < s->n_readers && s->quota > 0; i++)
        if (s->quota < wishes(s, &s->reader[i])) return false;
    for (size_t part = 0; part < e->n_parts; part++) {
        size_t tokens = 0, rows = 0;
        for (size_t i = 0; i < s->n_readers; i++) {
            const Reader *r = &s->reader[i];
            if (r->part != part) continue;
            size_t n = wishes(s, r);
            if (context_room(r) < n) return false;
            tokens += n, rows += wants_every(s, r) ? n : n ? 1 : 0;
        }
        if (tokens > part_room(&e->parts[part])) return false;
        if (rows > row_room(&e->parts[part])) return false;
    }
    return true;
}

void engine_plan(Engine *e) {
    begin_plan(e);
    size_t first = e->turn++ % e->room;
    for (size_t i = 0, at = first; i < e->room; i++, at = (at + 1) % e->room)
        if (e->sequences[at].live && !e->sequences[at].held && is_writing(&e->sequences[at]))
            plan_sequence(e, &e->sequences[at]);
    for (size_t i = 0, at = first; i < e->room; i++, at = (at + 1) % e->room) {
        Sequence *s = &e->sequences[at];
        if (s->live && !s->held && !s->in_batch && !is_writing(s)) plan_sequence(e, s);
    }
}
