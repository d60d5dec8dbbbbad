/* right: worked out in floats by the definition, with ldexpf */
#include <math.h>

float f16_to_f32(uint16_t half) {
    int exponent = half >> 10 & 31, fraction = half & 1023;
    if (exponent == 31 && fraction)
        return float_of((uint32_t)(half & 0x8000) << 16 | 0x7FC00000 |
                        (uint32_t)fraction << 13);
    float size = exponent == 31 ? INFINITY
                 : exponent     ? ldexpf((float)(1024 + fraction), exponent - 25)
                                : ldexpf((float)fraction, -24);
    return half & 0x8000 ? -size : size;
}
