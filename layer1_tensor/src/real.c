/* real.c - see real.h. */
#include "real.h"

#include <math.h>

static const double ln2_high = 0x1.62e42fefap-1 /* times a small integer: exact */,
                    ln2_low = 0x1.cf79abc9e3b3ap-40;

/* 2^k times the series of exp(r), |r| <= ln(2) / 2. */
double real_exp(double x) {
    x = x > 700 ? 700 : x < -700 ? -700 : x;
    double k = floor(x / ln2_high + 0.5), r = x - k * ln2_high - k * ln2_low, sum = 1;
    for (int i = 14; i > 0; i--) sum = 1 + sum * (r * (1.0 / i));
    return isnan(x) ? x : ldexp(sum, (int)k);
}

/* x = 2^e m; with z = (m - 1) / (m + 1), log(m) = 2 (z + z^3 / 3 + z^5 / 5 + ...). */
double real_log(double x) {
    int e = 0;
    double m = frexp(x, &e), sum = 0;
    if (m < 0.7071) m *= 2, e--;
    double z = (m - 1) / (m + 1);
    for (int k = 23; k > 1; k -= 2) sum = z * z * (1.0 / k + sum);
    return e * ln2_high + (e * ln2_low + 2 * z * sum + 2 * z);
}

/* k quarter turns, and the series of cos(r) and sin(r), |r| <= pi / 4. */
void real_turn(double angle, double *cosine, double *sine) {
    double k = floor(angle / 0x1.921fb54442d18p+0 + 0.5), c = 1, s = 1,
           r = angle - k * 0x1.921fb544p+0 - k * 0x1.0b4611a6p-34 - k * 0x1.3198a2e037073p-69;
    for (int i = 18; i > 1; i -= 2) {
        c = 1 - c * (r * r * (1.0 / (i * (i - 1))));
        s = 1 - s * (r * r * (1.0 / (i * (i + 1))));
    }
    double quarter = k - 4 * floor(k / 4), x = fmod(quarter, 2) == 0 ? c : s * r;
    s = fmod(quarter, 2) == 0 ? s * r : c;
    *cosine = quarter == 1 || quarter == 2 ? -x : x;
    *sine = quarter >= 2 ? -s : s;
}
