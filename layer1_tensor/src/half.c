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

/* Normal results keep 10 of 23 fraction bits.  Adding half of the last kept bit (less one when
 * it is even) rounds to nearest even; a carry correctly increments the exponent. */
uint16_t f16_from_f32(float value) {
    uint32_t bits = bits_of(value), sign = (bits >> 16) & 0x8000, magnitude = bits & 0x7FFFFFFF;
    if (magnitude > 0x7F800000)
        return (uint16_t)(sign | 0x7E00 | ((magnitude >> 13) & 0x1FF)); /* NaN */
    if (magnitude >= 0x477FF000)
        return (uint16_t)(sign | 0x7C00);           /* rounds to 65536 or more: infinity */
    if (magnitude < 0x38800000) {                   /* below 2^-14: subnormal */
        float shifted = float_of(magnitude) + 0.5f; /* the f32 adder rounds to 2^-24 */
        return (uint16_t)(sign | (bits_of(shifted) - bits_of(0.5f)));
    }
    uint32_t even = (magnitude >> 13) & 1;
    return (uint16_t)(sign | ((magnitude - (112u << 23) + 0xFFF + even) >> 13));
}

uint16_t bf16_from_f32(float value) {
    uint32_t bits = bits_of(value);
    if ((bits & 0x7FFFFFFF) > 0x7F800000)
        return (uint16_t)(bits >> 16 | 0x40); /* keep it a NaN */
    return (uint16_t)((bits + 0x7FFF + ((bits >> 16) & 1)) >> 16);
}
