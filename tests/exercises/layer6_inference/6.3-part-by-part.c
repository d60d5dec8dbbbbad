/* right: fits() asks part by part; the passes in two loops of their own */
static bool fits(const Engine *e, Sequence *s) {
    for (size_t i = 0; i < s->n_slots && s->quota > 0; i++)
        if (s->quota < tokens_to_read(s, &s->slot[i])) return false;
    for (size_t runner = 0; runner < e->n_runners; runner++) {
        size_t tokens = 0, rows = 0;
        for (size_t i = 0; i < s->n_slots; i++) {
            const Slot *slot = &s->slot[i];
            if (slot->runner != runner) continue;
            size_t n = tokens_to_read(s, slot);
            if (context_room(slot) < n) return false;
            tokens += n, rows += needs_all_logits(s, slot) ? n : n ? 1 : 0;
        }
        if (tokens > runner_room(&e->runners[runner])) return false;
        if (rows > row_room(&e->runners[runner])) return false;
    }
    return true;
}

void engine_plan(Engine *e) {
    begin_plan(e);
    size_t first = e->turn++ % e->room;
    for (size_t i = 0, at = first; i < e->room; i++, at = (at + 1) % e->room)
        if (e->sequences[at].live && !e->sequences[at].paused && is_decoding(&e->sequences[at]))
            plan_sequence(e, &e->sequences[at]);
    for (size_t i = 0, at = first; i < e->room; i++, at = (at + 1) % e->room) {
        Sequence *s = &e->sequences[at];
        if (s->live && !s->paused && !s->in_batch && !is_decoding(s)) plan_sequence(e, s);
    }
}
