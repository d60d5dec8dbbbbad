/* right: running sums in a second loop, whole blocks by floor() of a half more, the last one without a product */
#include <math.h>

void share_bounds(const double *shares, int size, double *bounds) {
    double all = 0;
    for (int i = size; i-- > 0;) all += shares ? shares[i] : 1;
    bounds[0] = 0;
    for (int i = 1; i < size; i++) {
        double before = 0;
        for (int k = 0; k < i; k++) before += shares ? shares[k] : 1;
        bounds[i] = before / all;
    }
    bounds[size] = 1;
}

size_t share_begin(const double *bounds, int member, size_t out) {
    size_t blocks = out / 16 + (out % 16 != 0);
    size_t block = (size_t)floor(bounds[member] * (double)blocks + 0.5);
    return block == blocks ? out : block * 16;
}

size_t share_rows(const double *bounds, int member, size_t out) {
    size_t from = share_begin(bounds, member, out);
    return share_begin(bounds, member + 1, out) - from;
}
