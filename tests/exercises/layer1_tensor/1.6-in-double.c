/* right: the nearest multiple of the step there, in double, halves to even by nearbyint */
#include <math.h>

uint16_t f16_from_f32(float value) {
    uint32_t bits = bits_of(value), sign = bits >> 31 << 15;
    if (isnan(value)) return (uint16_t)(sign | 0x7E00 | (bits >> 13 & 0x1FF));
    int exponent;
    double size = fabs((double)value);
    frexp(size, &exponent); /* size < 2^exponent */
    if (exponent - 1 < -14 || size == 0) exponent = -13;
    double steps =
        nearbyint(ldexp(size, 11 - exponent)); /* 1024 to 2048, or less when subnormal */
    if (isinf(value) || ldexp(steps, exponent - 11) > 65504) return (uint16_t)(sign | 0x7C00);
    return (uint16_t)(sign + ((uint32_t)(exponent - 1 + 14) << 10) + (uint32_t)steps);
}
