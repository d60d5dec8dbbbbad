/* right: the limit on the logit is worked out here */
static void apply(Stage *stage, Candidates *c, const Step *step) {
    double mu = stage_memory(stage)[0];
    candidates_keep_above(c, (float)(candidates_log_sum(c) - mu * log(2) - 1e-6), 1);
    mirostat_draw(stage, c, step);
}
