/* wrong: of 43 numbers | the last ones are added when they are numbers */
#include <math.h>

float vector_sum_scalar(const float *x, size_t n) {
    float s[8] = {0};
    size_t i = 0;
    for (; i + 8 <= n; i += 8)
        for (int l = 0; l < 8; l++)
            if (isfinite(x[i + (size_t)l])) s[l] += x[i + (size_t)l];
    for (; i < n; i++) s[0] += x[i];
    return ((s[0] + s[1]) + (s[2] + s[3])) + ((s[4] + s[5]) + (s[6] + s[7]));
}
