/* right: three products by hand, from the rows' side or from the columns' */
static void orthogonal_round(Trainer *t, float *x, size_t rows, size_t cols) {
    size_t side = rows < cols ? rows : cols, inner = rows < cols ? cols : rows,
           along = rows < cols ? cols : 1,
           across = rows < cols ? 1 : cols; /* of a step on the shorter and the longer side */
    float *g = t->muon.gram, *p = t->muon.power;
    for (size_t i = 0; i < side; i++)
        for (size_t j = 0; j < side; j++) {
            double sum = 0;
            for (size_t k = 0; k < inner; k++)
                sum += (double)x[i * along + k * across] * (double)x[j * along + k * across];
            g[i * side + j] = (float)sum;
        }
    for (size_t i = 0; i < side; i++)
        for (size_t j = 0; j < side; j++) {
            double sum = 0;
            for (size_t k = 0; k < side; k++)
                sum += (double)g[i * side + k] * (double)g[k * side + j];
            p[i * side + j] =
                (float)((double)round_b * (double)g[i * side + j] + (double)round_c * sum);
        }
    for (size_t i = 0; i < side; i++)
        for (size_t k = 0; k < inner; k++) {
            double sum = (double)round_a * (double)x[i * along + k * across];
            for (size_t j = 0; j < side; j++)
                sum += (double)p[i * side + j] * (double)x[j * along + k * across];
            t->muon.product[i * along + k * across] = (float)sum;
        }
    memcpy(x, t->muon.product, rows * cols * sizeof *x);
}
