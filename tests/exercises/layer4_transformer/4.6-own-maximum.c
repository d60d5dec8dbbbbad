/* wrong: by its own maximum | each page measured by its own maximum, nothing shrinks */
static void online_softmax_update(OnlineSoftmax *run, float *acc, size_t value_dim,
                                  float *scores, size_t n) {
    run->max = vector_max(scores, n);
    vector_exp(scores, scores, run->max, n);
    run->sum += vector_sum(scores, n);
}
