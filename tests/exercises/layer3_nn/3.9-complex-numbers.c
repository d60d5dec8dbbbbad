/* right: a pair as a complex number, times cos + i sin, from the last pair to the first */
#include <complex.h>

void rope_rotate(const Rope *rope, const float *cosine, const float *sine, float *head) {
    size_t half = rope->rotary / 2;
    for (size_t i = half; i-- > 0;) {
        size_t a = rope->style == ROPE_HALF_SPLIT ? i : 2 * i;
        size_t b = rope->style == ROPE_HALF_SPLIT ? i + half : 2 * i + 1;
        float complex z = (head[a] + head[b] * I) * (cosine[i] + sine[i] * I);
        head[a] = crealf(z), head[b] = cimagf(z);
    }
}
