/* right: everything shrinks at every page, by 1 where nothing larger came; the sums in plain loops */
static void online_softmax_update(OnlineSoftmax *run, float *acc, size_t value_dim,
                                  float *scores, size_t n) {
    float before = run->max;
    for (size_t j = 0; j < n; j++)
        if (!(scores[j] <= run->max)) run->max = scores[j];
    float shrink = expf(before - run->max);
    for (size_t i = 0; i < value_dim; i++) acc[i] = acc[i] * shrink;
    run->sum = run->sum * shrink;
    for (size_t j = 0; j < n; j++) {
        scores[j] = expf(scores[j] - run->max);
        run->sum += scores[j];
    }
}
