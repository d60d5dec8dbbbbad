/* right: pointers that walk, the tiles written out without the naive one */
void matmul_naive(size_t m, size_t n, size_t k, Matrix a, Matrix b, float *c, size_t ldc,
                  bool add) {
    for (size_t j = 0; j < n; j++)
        for (size_t i = 0; i < m; i++) {
            const float *row = a.data + i * a.row, *col = b.data + j * b.col;
            float sum = c[i * ldc + j];
            if (!add) sum = 0;
            for (size_t p = 0; p < k; p++, row += a.col, col += b.row) sum += *row * *col;
            c[i * ldc + j] = sum;
        }
}

void matmul_blocked(size_t m, size_t n, size_t k, Matrix a, Matrix b, float *c, size_t ldc,
                    bool add) {
    enum { T = 32 };
    for (size_t i = 0; !add && i < m; i++)
        for (size_t j = 0; j < n; j++) c[i * ldc + j] = 0;
    for (size_t p0 = 0; p0 < k; p0 += T)
        for (size_t j0 = 0; j0 < n; j0 += T)
            for (size_t i = 0; i < m; i++)
                for (size_t j = j0; j < n && j < j0 + T; j++)
                    for (size_t p = p0; p < k && p < p0 + T; p++)
                        c[i * ldc + j] +=
                            a.data[i * a.row + p * a.col] * b.data[p * b.row + j * b.col];
}
