/* right: looks for the largest rank instead of going through the order; counts places that are left */
static size_t victim(const Plan *d, size_t i) {
    size_t worst = d->n;
    for (size_t j = 0; j < d->n; j++) {
        bool can = runs(d, j) && d->jobs[j].read > 0 && d->plan[j].tokens == 0;
        if (!can || d->plan[j].rank <= d->plan[i].rank) continue;
        if (worst == d->n || d->plan[j].rank > d->plan[worst].rank) worst = j;
    }
    return worst;
}

static void admit(Plan *d) {
    if (d->preempted) return;
    if (d->policy->static_batch && d->running > 0) return;
    for (size_t k = 0; k < d->n; k++) {
        size_t i = d->order[k];
        bool waits = !d->jobs[i].running && !d->plan[i].drop;
        if (!waits) continue;
        bool full = d->budget == 0 && !d->policy->static_batch;
        if (full || d->running >= d->policy->running || !has_pages(d, i)) break;
        d->running += 1;
        d->plan[i].admit = true;
        read_tokens(d, i, chunk_of(d, i));
    }
}
