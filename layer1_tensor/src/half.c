/* half.c - see half.h. */
#include "half.h"
#include "float_bits.h"

/* A subnormal f16 is fraction * 2^-24 exactly, and that product is exact in f32 too. */
float f16_to_f32(uint16_t half) {
    uint32_t sign = (uint32_t)(half & 0x8000) << 16;
    uint32_t exponent = (half >> 10) & 31, fraction = half & 0x3FF;
    if (exponent == 0) return float_of(sign | bits_of((float)fraction * 0x1p-24f));
    if (exponent == 31)
        return float_of(sign | 0x7F800000 | fraction << 13 | (fraction ? 0x400000 : 0));
    return float_of(sign | (exponent + 112) << 23 | fraction << 13); /* 112 = 127 - 15 */
}

float bf16_to_f32(uint16_t half) { return float_of((uint32_t)half << 16); }
