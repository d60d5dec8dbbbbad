/* right: of a mean each row adds its share; lengths in one loop */
static void pool_row(Pooling pooling, const float *row, size_t at, size_t count, float *out,
                     size_t dim) {
    bool mean = pooling == POOLING_MEAN, first = at == 0, last = at == count - 1;
    if ((pooling == POOLING_CLS && !first) || (pooling == POOLING_LAST && !last)) return;
    float *to = pooling == POOLING_NONE ? &out[at * dim] : out;
    for (size_t i = 0; i < dim; i++)
        to[i] = mean ? (first ? 0 : to[i]) + row[i] / (float)count : row[i];
}

double pooling_cosine(const float *a, const float *b, size_t n) {
    double aa = 0, bb = 0, ab = 0;
    for (size_t i = 0; i < n; i++) {
        aa += (double)a[i] * (double)a[i];
        bb += (double)b[i] * (double)b[i];
        ab += (double)a[i] * (double)b[i];
    }
    return aa == 0 || bb == 0 ? 0 : ab / sqrt(aa * bb);
}

void pooling_normalize(float *x, size_t n) {
    double length = 0;
    for (size_t i = 0; i < n; i++) length = hypot(length, (double)x[i]);
    if (length == 0) return;
    for (size_t i = 0; i < n; i++) x[i] = (float)((double)x[i] / length);
}
