/* right: loops of another shape; the last match as a value of its own */
static bool match_at(Search *s, size_t start, Match *match) {
    const Pattern *p = s->pattern;
    Match best = {start, start, -1};
    uint16_t state = p->machine.start[0], from = state;
    size_t at = start;
    for (bool ends = false; state && !ends;) {
        if (at < s->barren_to && is_barren(s, at, state)) break;
        size_t taken = 0, symbol = symbol_at(s, at, &taken);
        const TableStep *step = &p->machine.steps[state * p->symbols + symbol];
        if (step->match > 0) best.end = at, best.alternative = step->match - 1, from = state;
        ends = at == s->text.size;
        if (!ends) state = step->next, at += taken;
    }
    if (at >= best.end + 64) remember_barren(s, best.end, at, from);
    *match = best;
    return best.alternative >= 0;
}

bool search_next(Search *s, size_t from, Match *match) {
    size_t at = from;
    bool found;
    while (!(found = match_at(s, at, match)) && at < s->text.size) at = search_step(s, at);
    return found;
}
