/* right: in double precision, for a limit that candidates_keep_above takes */
static void apply(Stage *stage, Candidates *c, const Step *step) {
    double limit = (double)candidates_max(c) + log(stage->value[0]);
    candidates_keep_above(c, (float)limit, (size_t)stage->value[1]);
}
