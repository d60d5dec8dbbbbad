/* half.c
 *
 * Proves    f16_from_f32 and bf16_from_f32 round to nearest, ties to even (IEEE 754, 4.3.1); NaN
 *           stays NaN; f16_to_f32 and bf16_to_f32 are exact
 * Bound     float (2^32) and half
 * Native    the program is compiled and run: these inputs can be counted
 * Source    layer1_tensor/src/half.c
 * Mutant    layer1_tensor/src/half.c | (112u << 23) + 0xFFF | (111u << 23) + 0xFFF
 * Mutant    layer1_tensor/src/half.c | 0xFFF + even | 0x1000 + even */
#include "half.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static float float_of(uint32_t bits) {
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static void prove(int claim, const char *what, uint32_t bits) {
    if (claim) return;
    printf("[eva:alarm] half.c:0: Warning: \n  %s is wrong at 0x%08x\n", what, bits);
    exit(1);
}

/* A half with `fraction` bits after the point and the others for the exponent, by definition;
 * the pattern after the largest number counts as the next one. */
static double exact(uint32_t half, int fraction) {
    int bias = (1 << (14 - fraction)) - 1, exponent = (int)(half >> fraction);
    double digits = (double)(half & ((1u << fraction) - 1));
    return exponent ? ldexp(digits + (1 << fraction), exponent - bias - fraction)
                    : ldexp(digits, 1 - bias - fraction);
}

/* All floats in ascending order: `half` is the nearest one, and moves on when the next is. */
static void walk(uint16_t narrow(float), float widen(uint16_t), int fraction,
                 const char *name) {
    const uint32_t infinity = 0x7FFFu >> fraction << fraction;
    uint32_t half = 0;
    double limit = exact(1, fraction) / 2;
    for (uint32_t bits = 0; bits <= 0x7F800000; bits++) {
        double value = (double)float_of(bits);
        while (half < infinity && (value > limit || (value == limit && half % 2))) {
            half++;
            limit = (exact(half, fraction) + exact(half + 1, fraction)) / 2;
        }
        prove(narrow(float_of(bits)) == half, name, bits);
        prove(narrow(float_of(bits | 0x80000000)) == (half | 0x8000), name, bits | 0x80000000);
    }
    for (uint32_t bits = 0x7F800001; bits <= 0x7FFFFFFF; bits++)
        prove(isnan(widen(narrow(float_of(bits)))), name, bits);
    for (half = 0; half < infinity; half++) {
        prove((double)widen((uint16_t)half) == exact(half, fraction), "widening", half);
        prove((double)widen((uint16_t)(half | 0x8000)) == -exact(half, fraction), "widening",
              half);
    }
}

int main(void) {
    walk(f16_from_f32, f16_to_f32, 10, "f16_from_f32");
    walk(bf16_from_f32, bf16_to_f32, 7, "bf16_from_f32");
    puts("the end");
}
