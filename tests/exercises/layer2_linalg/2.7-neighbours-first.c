/* wrong: in the order | each lane is added to its neighbour first, the same for one row and for four */
INLINE void store_sums(int R, const __m256 *sum, float *y) {
    for (int r = 0; r < R; r++) {
        float l[8];
        _mm256_storeu_ps(l, sum[r]);
        y[r] = ((l[0] + l[1]) + (l[2] + l[3])) + ((l[4] + l[5]) + (l[6] + l[7]));
    }
}
