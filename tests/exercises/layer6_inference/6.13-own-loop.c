/* right: the sums in a loop of its own, in double; the largest found number by number */
float candidates_max(Candidates *c) {
    if (!c->sorted && !(c->known & KNOW_MAX)) {
        float max = c->logits[0];
        for (size_t i = 1; i < c->count; i++)
            if (c->logits[i] > max) max = c->logits[i];
        c->max = max, c->known |= KNOW_MAX;
    }
    return c->sorted ? c->logits[0] : c->max;
}

double candidates_sum(Candidates *c) {
    if (c->known & KNOW_SUMS) return c->sums.sum;
    const double max = (double)candidates_max(c);
    ExpSums s = {0, 0, 0};
    for (size_t i = 0; i < c->count; i++) {
        double d = (double)c->logits[i] - max, e = d < -43 ? 0 : exp(d);
        s.sum += e, s.squares += e * e;
        if (e > 0) s.weighted += d * e;
    }
    c->sums = s;
    c->known |= KNOW_SUMS;
    return s.sum;
}

double candidates_entropy(Candidates *c) {
    double s = candidates_sum(c);
    return fmax(0, log(s) - c->sums.weighted / s);
}
