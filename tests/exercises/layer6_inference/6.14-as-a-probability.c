/* right: as a limit for the logarithm of the probability: that of the best plus ln P */
static void apply(Stage *stage, Candidates *c, const Step *step) {
    int32_t best = candidates_id(c, candidates_best(c));
    double limit = candidates_log_prob(c, best) + log(stage->value[P]);
    candidates_keep_likely(c, limit, (size_t)stage->value[KEEP]);
}
