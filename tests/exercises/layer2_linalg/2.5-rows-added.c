/* right: each number of A times a row of B, added to a row of C; the order of the products is the same */
void matmul_naive(size_t m, size_t n, size_t k, Matrix a, Matrix b, float *c, size_t ldc,
                  bool add) {
    for (size_t i = 0; i < m; i++) {
        for (size_t j = 0; !add && j < n; j++) c[i * ldc + j] = 0;
        for (size_t p = 0; p < k; p++) {
            float factor = a.data[i * a.row + p * a.col];
            for (size_t j = 0; j < n; j++)
                c[i * ldc + j] += factor * b.data[p * b.row + j * b.col];
        }
    }
}
