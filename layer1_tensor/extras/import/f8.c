/* f8.c - floats of eight bits.  See safetensors.h.
 *
 *     e4m3   s eeee fff    0.002 .. 448      one pattern (all ones) is NaN: no infinity
 *     e5m2   s eeeee ff    1.5e-5 .. 57344   the upper half of an f16 */
#include "safetensors.h"
#include "half.h"

#include <math.h>

float f8_e4m3_to_f32(uint8_t bits) {
    int exponent = bits >> 3 & 15, fraction = bits & 7;
    float size = exponent ? ldexpf((float)(8 + fraction), exponent - 10)
                          : ldexpf((float)fraction, -9); /* subnormal: no implicit one */
    if (exponent == 15 && fraction == 7) size = NAN;
    return bits & 0x80 ? -size : size;
}

float f8_e5m2_to_f32(uint8_t bits) { return f16_to_f32((uint16_t)(bits << 8)); }
