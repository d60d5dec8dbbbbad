/* right: y dy less y times the sum of all y dy */
void softmax_backward(float *dx, const float *y, const float *dy, size_t n) {
    double all = 0;
    for (size_t i = 0; i < n; i++) all += (double)(dx[i] = y[i] * dy[i]);
    for (size_t i = 0; i < n; i++) dx[i] -= y[i] * (float)all;
}
