/* right: the logarithm of the probability itself */
static void apply(Stage *stage, Candidates *c, const Step *step) {
    double p = exp2(-*stage_memory(stage));
    candidates_keep_likely(c, log(p), 1);
    mirostat_draw(stage, c, step);
}
