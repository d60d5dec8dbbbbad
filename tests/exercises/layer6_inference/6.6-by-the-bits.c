/* wrong: 0 and -0 are the same | the bits of a float, made to grow with it: 0 comes above -0 */
#include <string.h>

static uint32_t growing(float x) {
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits >> 31 ? ~bits : bits | 1u << 31;
}

size_t pick_best(const float *logits, const int32_t *ids, size_t n) {
    size_t best = 0;
    for (size_t i = 1; i < n; i++) {
        uint32_t here = growing(logits[i]), high = growing(logits[best]);
        if (here > high || (ids && here == high && ids[i] < ids[best])) best = i;
    }
    return best;
}
