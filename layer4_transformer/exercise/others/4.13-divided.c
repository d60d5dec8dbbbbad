/* right: divided by the length, in double */
static void to_length_one(float *x, size_t heads, size_t d, float eps) {
    for (float *head = x; head < x + heads * d; head += d) {
        double squares = 0;
        for (size_t i = 0; i < d; i++) squares += (double)head[i] * (double)head[i];
        double length = fmax(sqrt(squares), (double)eps);
        for (size_t i = 0; i < d; i++) head[i] = (float)((double)head[i] / length);
    }
}
