/* right: plan_slot looks for room at each token; plan_sequence says first when nothing is to be read */
static void plan_slot(ModelRunner *p, Sequence *s, Slot *r, bool ready) {
    const bool every = wants_every(s, r);
    size_t left = wishes(s, r), at = session_length(r->session, r->id);
    const size_t before = p->rows, first = at;
    if (!ready && left > 0) left -= 1;
    if (least(r) > (left < runner_room(p) ? left : runner_room(p))) left = 0;
    while (left > 0 && (!s->quota || at - first < quota_of(s, r)) && runner_room(p) > 0 &&
           (!every || row_room(p) > 0)) {
        left--;
        bool last = left == 0;
        runner_push(p, r->id, token_at(s, r, at), at, every || (last && ready));
        at++;
    }
    r->row = before, r->rows = p->rows - before;
}

static void plan_sequence(Engine *e, Sequence *s) {
    s->ready = false;
    if (!has_context(s))
        sequence_fail(s);
    else if (!s->plan.waits) {
        const bool room = fits(e, s), ready = room && is_prepared(s);
        if (s->plan.drafted && !ready) return;
        if (!promise_pages(e, s)) return;
        s->ready = ready;
        for (size_t i = 0; i < s->n_slots; i++)
            plan_slot(e->runners + s->slot[i].runner, s, &s->slot[i], ready);
    }
}
