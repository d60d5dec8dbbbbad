/* wrong: NaN or infinite | the maximum of the first page serves them all */
static void online_softmax_update(OnlineSoftmax *run, float *acc, size_t value_dim,
                                  float *scores, size_t n) {
    if (run->sum == 0) run->max = vector_max(scores, n);
    vector_exp(scores, scores, run->max, n);
    run->sum += vector_sum(scores, n);
}
