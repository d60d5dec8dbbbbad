/* right: the limit walked up float by float; ln S in one place */
static double log_s(Candidates *c) { return log(candidates_sum(c)); }

double candidates_log_sum(Candidates *c) { return log_s(c) + (double)candidates_max(c); }

double candidates_log_prob(Candidates *c, int32_t token) {
    size_t at = candidates_find(c, token);
    return at < c->count ? ((double)c->logits[at] - (double)candidates_max(c)) - log_s(c)
                         : (double)-INFINITY;
}

float candidates_limit(Candidates *c, double log_p) {
    const double want = log_p + log_s(c) - MILLIONTH, max = (double)candidates_max(c);
    float limit = nextafterf((float)(max + want), -INFINITY);
    while ((double)limit - max < want) limit = nextafterf(limit, INFINITY);
    return limit;
}

double candidates_collision(Candidates *c) {
    double s = candidates_sum(c);
    return c->sums.squares / s / s;
}
