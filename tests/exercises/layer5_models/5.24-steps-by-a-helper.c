/* right: one step in a function; places that cannot begin a match are passed over by another */
static bool step_on(const Search *s, size_t *at, uint16_t *state, uint16_t *match) {
    size_t taken = 0;
    TableStep step =
        s->pattern->machine.steps[*state * s->pattern->symbols + symbol_at(s, *at, &taken)];
    *match = step.match;
    if (*at == s->text.size) return false;
    *at += taken, *state = step.next;
    return true;
}

static bool match_at(Search *s, size_t start, Match *match) {
    uint16_t state = s->pattern->machine.start[0], state_there = state, hit;
    size_t at = start;
    *match = (Match){start, start, -1};
    for (bool more = true; more && state != 0;) {
        size_t here = at;
        uint16_t now = state;
        if (here < s->barren_to && is_barren(s, here, now)) break;
        more = step_on(s, &at, &state, &hit);
        if (!hit) continue;
        match->end = here, match->alternative = hit - 1, state_there = now;
    }
    if (at - match->end >= 64) remember_barren(s, match->end, at, state_there);
    return match->alternative >= 0;
}

static size_t candidate(const Search *s, size_t at) {
    for (; at < s->text.size; at++) {
        unsigned char byte = (unsigned char)s->text.data[at];
        if (byte >= 128 || !s->pattern->skips[byte]) break;
    }
    return at;
}

bool search_next(Search *s, size_t from, Match *match) {
    for (size_t at = candidate(s, from);; at = candidate(s, search_step(s, at))) {
        if (match_at(s, at, match)) return true;
        if (at >= s->text.size) return false;
    }
}
