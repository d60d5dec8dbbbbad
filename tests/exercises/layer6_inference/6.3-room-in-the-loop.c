/* right: plan_slot looks for room at each token; plan_sequence says first when nothing is to be read */
static void plan_slot(ModelRunner *p, Sequence *s, Slot *slot, bool ready) {
    const bool every = needs_all_logits(s, slot);
    size_t left = tokens_to_read(s, slot), at = session_length(slot->session, slot->id);
    const size_t before = p->rows, first = at;
    if (!ready && left > 0) left -= 1;
    const size_t asked = left, room = runner_room(p), most = every ? row_room(p) : room;
    if (room < left) left = room;
    if (s->quota && quota_of(s, slot) < left) left = quota_of(s, slot);
    left = before_cut(s, slot, at, left < most ? left : most);
    ready = ready && left == asked;
    if (at_least(slot) > (left < runner_room(p) ? left : runner_room(p))) left = 0;
    while (left > 0 && (!s->quota || at - first < quota_of(s, slot)) && runner_room(p) > 0 &&
           (!every || row_room(p) > 0)) {
        left--;
        bool last = left == 0;
        runner_push(p, slot->id, token_at(s, slot, at), at, every || (last && ready));
        at++;
    }
    slot->row = before, slot->rows = p->rows - before;
}

static void plan_sequence(Engine *e, Sequence *s) {
    s->ready = false;
    if (!has_context(s))
        sequence_fail(s);
    else if (!s->plan.waits) {
        const bool room = fits(e, s), ready = room && extra_is_ready(s);
        if (s->plan.drafted && !ready) return;
        if (!reserve_pages(e, s)) return;
        s->ready = ready;
        for (size_t i = 0; i < s->n_slots; i++)
            plan_slot(e->runners + s->slot[i].runner, s, &s->slot[i], ready);
    }
}
