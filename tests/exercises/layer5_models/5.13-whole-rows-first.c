/* right: cases one after the other, the mean as a running one */
static void pool_row(Pooling pooling, const float *row, size_t at, size_t count, float *out,
                     size_t dim) {
    switch (pooling) {
    case POOLING_CLS:
        if (at > 0) return;
        break;
    case POOLING_LAST:
        if (at + 1 < count) return;
        break;
    case POOLING_MEAN:
        for (size_t i = 0; i < dim; i++) {
            if (at == 0) out[i] = 0;
            out[i] += (row[i] - out[i]) / (float)(at + 1);
        }
        return;
    default: out += at * dim;
    }
    for (size_t i = 0; i < dim; i++) out[i] = row[i];
}
