/* The graders of layer 1: 16-bit numbers and random ones. */
#include "grader.h"
#include "tensor.h"

static float float_of(uint32_t bits) {
    float value;
    memcpy(&value, &bits, 4);
    return value;
}

static uint32_t bits_of(float value) {
    uint32_t bits;
    memcpy(&bits, &value, 4);
    return bits;
}

/* By definition: sign, exponent, fraction, in double. */
static double f16_value(unsigned half, int bias) {
    int exponent = (int)(half >> 10) & 31, fraction = (int)half & 1023;
    double size =
        exponent ? ldexp(1 + fraction / 1024.0, exponent - bias) : ldexp(fraction, -9 - bias);
    return half >> 15 ? -size : size;
}

GRADE(widened) {
    for (unsigned round = 0; round < 65536; round++) {
        unsigned half = round < 3 ? (unsigned[]){0x3C00, 0xC000, 0x3555}[round] : round,
                 exponent = half >> 10 & 31, fraction = half & 1023;
        double got = (double)f16_to_f32((uint16_t)half), want = f16_value(half, 15);
        if (exponent == 31) {
            HINT(fraction || isinf(got),
                 "0x%04x: exponent 31 without a fraction is infinity, got %g", half, got);
            HINT(!fraction || isnan(got), "0x%04x: exponent 31 with a fraction is NaN, got %g",
                 half, got);
            HINT(!fraction || bits_of((float)f16_to_f32((uint16_t)half)) >> 22 & 1,
                 "0x%04x: a NaN becomes a quiet one: the top bit of its fraction is set "
                 "(half.h)",
                 half);
            uint32_t bits = bits_of((float)f16_to_f32((uint16_t)half)),
                     all = (half & 0x8000u) << 16 | 0x7F800000 | fraction << 13 |
                           (fraction ? 0x400000 : 0);
            HINT(bits >> 31 == half >> 15,
                 "0x%04x: infinity and NaN have a sign, too: bit 15 becomes bit 31", half);
            HINT(bits == all,
                 "0x%04x: a NaN keeps its fraction, at the top of the 23 bits: expected the "
                 "bits 0x%08x, got 0x%08x",
                 half, all, bits);
            continue;
        }
        if (got == want && !signbit(got) == !signbit(want)) continue;
        double ratio = fabs(got / want);
        HINT(fabs(got) != fabs(want),
             "0x%04x: the sign is bit 15 of f16 and bit 31 of f32: expected %g, got %g", half,
             want, got);
        HINT(exponent != 0,
             "0x%04x: exponent 0 is a subnormal number: fraction * 2^-24 = %g, got %g", half,
             want, got);
        HINT(log2(ratio) != rint(log2(ratio)),
             "0x%04x: the exponent's bias is 15 in f16 and 127 in f32: expected %g, got %g, "
             "which is a power of two off",
             half, want, got);
        HINT(false,
             "0x%04x: the ten fraction bits go to the top of the 23, the sign to bit 31: "
             "expected %.9g, got %.9g",
             half, want, got);
    }
    for (unsigned half = 0; half < 65536; half++)
        HINT(bits_of(bf16_to_f32((uint16_t)half)) == half << 16,
             "bf16 is the upper half of an f32: 0x%04x is the float with the bits 0x%08x, got "
             "0x%08x",
             half, half << 16, bits_of(bf16_to_f32((uint16_t)half)));
}

/* The nearest multiple of a step, halves to even, away from zero, or cut. */
static double stepped(double v, double step, int how) {
    double q = v / step;
    return step * (how == 0   ? nearbyint(q)
                   : how == 1 ? round(q)
                   : how == 2 ? trunc(q)
                              : floor(q + 0.5));
}

static double step_of(double v, int fraction, int lowest) {
    int e;
    frexp(v, &e);
    return ldexp(1, (e - 1 < lowest ? lowest : e - 1) - fraction);
}

static void check_narrow(float v) {
    double x = (double)v, step = step_of(x, 10, -14), want = stepped(x, step, 0),
           got = (double)f16_to_f32(f16_from_f32(v));
    if (fabs(want) > 65504) want = copysign(INFINITY, x);
    if (got != want) {
        HINT(got != -want, "%.9g: the sign is bit 31 of f32 and bit 15 of f16", x);
        HINT(!isinf(want),
             "%.9g is nearer to 65536 than to 65504, the largest f16: infinity; got %g", x,
             got);
        HINT(!isinf(got), "%.9g rounds to %.9g, which f16 has: got infinity", x, want);
        HINT(got != stepped(x, step, 2), "%.9g: cut off at %.9g; the nearest f16 is %.9g", x,
             got, want);
        HINT(got != stepped(x, step, 1) && got != stepped(x, step, 3),
             "%.9g is half-way between two f16: the even one is %.9g, got %.9g", x, want, got);
        HINT(fabs(x) >= 0x1p-14 || got != 0,
             "%.9g is a subnormal f16, a multiple of 2^-24: %.9g, got 0", x, want);
        HINT(false, "%.9g as f16: expected %.9g, got %.9g", x, want, got);
    }
    HINT(f16_from_f32(v) >> 15 == (signbit(v) != 0),
         "%.9g keeps its sign, even when it becomes 0", x);
    uint32_t bits = bits_of(v), low = bits & 0xFFFF, upper = bits >> 16,
             up = low > 0x8000 || (low == 0x8000 && (upper & 1));
    uint16_t brain = bf16_from_f32(v);
    HINT(brain != upper || !up, "0x%08x as bf16: cut off at 0x%04x; the nearest one is 0x%04x",
         bits, upper, upper + up);
    HINT(low != 0x8000 || brain == upper + up,
         "0x%08x is half-way between two bf16: the even one is 0x%04x, got 0x%04x", bits,
         upper + up, brain);
    HINT(brain == upper + up, "0x%08x as bf16: expected 0x%04x, got 0x%04x", bits, upper + up,
         brain);
}

GRADE(narrowed) {
    for (int round = 0; round < 40000; round++) {
        uint32_t bits = (uint32_t)fresh_bits();
        if (round % 4 == 1)
            bits = (bits & 0x80007FFF) | (100 + (bits >> 8) % 46) << 23 |
                   (bits & 0x7F0000);                            /* sizes that f16 has */
        if (round % 4 == 2) bits &= 0xFFFFF000;                  /* in the middle of two f16 */
        if (round % 4 == 3) bits = (bits & 0xFFFF0000) | 0x8000; /* ... of two bf16 */
        if (isfinite(float_of(bits))) check_narrow(float_of(bits));
    }
    const float odd[] = {
        0,      -0.0f,       1,           65504,        65519.99f,       65520,       65536,
        1e9f,   0x1p-14f,    0x1p-24f,    0x1p-25f,     0x1.8p-25f,      5.96e-8f,    -3e-6f,
        1e-30f, 0x1.fep127f, 0x1.ffp127f, 0x1.fefp127f, 0x1.fffffep127f, -0x1.ffp127f};
    for (size_t i = 0; i < sizeof odd / sizeof *odd; i++) check_narrow(odd[i]);
    HINT(bf16_from_f32(INFINITY) == 0x7F80 && bf16_from_f32(-INFINITY) == 0xFF80,
         "infinity stays infinity as bf16: 0x7F80, and 0xFF80 below zero");
    HINT(f16_from_f32(INFINITY) == 0x7C00 && f16_from_f32(-INFINITY) == 0xFC00,
         "infinity stays infinity: 0x7C00, and 0xFC00 below zero");
    for (int round = 0; round < 100; round++) {
        float odd_one =
            float_of(0x7F800001 | (uint32_t)fresh_below(round % 2 ? 1 << 22 : 1 << 15));
        HINT((f16_from_f32(odd_one) & 0x7C00) == 0x7C00 && f16_from_f32(odd_one) & 0x3FF,
             "NaN stays NaN (exponent 31, a fraction that is not 0): 0x%08x became 0x%04x",
             bits_of(odd_one), f16_from_f32(odd_one));
        HINT(isnan(bf16_to_f32(bf16_from_f32(odd_one))),
             "NaN stays NaN: 0x%08x became the bf16 0x%04x, which is not a NaN: its fraction "
             "was in the lower half",
             bits_of(odd_one), bf16_from_f32(odd_one));
        odd_one = float_of(0x7F800001 | ((uint32_t)fresh_bits() & 0x807FFFFF));
        uint32_t bits = bits_of(odd_one), sign = bits >> 16 & 0x8000;
        HINT(
            f16_from_f32(odd_one) == (sign | 0x7E00 | (bits >> 13 & 0x3FF)) &&
                bf16_from_f32(odd_one) == (bits >> 16 | 0x40),
            "a NaN keeps its sign and what there is room for of its fraction, whose top bit is "
            "set (half.h): 0x%08x is 0x%04x as f16 and 0x%04x as bf16, got 0x%04x and 0x%04x",
            bits, sign | 0x7E00 | (bits >> 13 & 0x3FF), bits >> 16 | 0x40,
            f16_from_f32(odd_one), bf16_from_f32(odd_one));
    }
}

/* ---------------------------------------------------------------- random numbers */

static uint64_t mixed(uint64_t x) {
    x += 0x9E3779B97F4A7C15u;
    x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9u;
    x = (x ^ (x >> 27)) * 0x94D049BB133111EBu;
    return x ^ (x >> 31);
}

GRADE(generator) {
    size_t same = 0;
    for (uint64_t i = 0; i < 1000; i++) same += rng_hash(7, i, i + 1) == rng_hash(7, i + 1, i);
    SYMPTOM(same == 0,
            "of 1000 pairs of positions, %zu have the same number: the token at position 3 of "
            "story 5 is drawn with the sample of the token at position 5 of story 3",
            same);
    for (int bit = 0; bit < 64; bit++) {
        double flips = 0;
        for (int k = 0; k < 50; k++) {
            uint64_t s = fresh_bits(), t = fresh_bits(), c = fresh_bits();
            flips += __builtin_popcountll(rng_hash(s, t, c) ^ rng_hash(s, t, c ^ 1ull << bit));
        }
        SYMPTOM(flips > 50 * 24 && flips < 50 * 40,
                "a counter that differs in bit %d should change about 32 of 64 bits, and "
                "changes %.1f on average",
                bit, flips / 50);
    }
    for (int k = 0; k < 100; k++) {
        uint64_t s = fresh_below(1000), t = fresh_below(1000), c = fresh_below(1000);
        SYMPTOM(rng_hash(s, t, c) == mixed(mixed(mixed(s) ^ t) ^ c),
                "the numbers are good, and others than those that every story so far was drawn "
                "with (seed %llu, stream %llu, counter %llu)",
                (unsigned long long)s, (unsigned long long)t, (unsigned long long)c);
    }
}

GRADE(draws) {
    for (int k = 0; k < 2000; k++) {
        uint64_t s = fresh_bits(), t = fresh_bits(), c = fresh_bits() >> fresh_below(64),
                 bits = rng_hash(s, t, c),
                 limit =
                     k % 4 ? 1 + fresh_below(100) : 1 + (fresh_bits() >> 1 >> fresh_below(60));
        double u = rng_unit(s, t, c), want = (double)(bits >> 11) * 0x1p-53;
        HINT(u >= 0 && u < 1, "the unit number of a hash is in [0, 1), got %g", u);
        HINT(u != (double)(bits & ((1ull << 53) - 1)) * 0x1p-53,
             "those are the lower 53 bits of the hash: the upper ones are wanted");
        HINT(u != (double)(uint32_t)(bits >> 32) * 0x1p-32,
             "that is a number of 32 bits: 53 of them fit a double");
        NUMBER(u, want, 0, "the upper 53 bits of 0x%016llx, times 2^-53",
               (unsigned long long)bits);
        Rng rng = {s, t, c}, again = rng;
        double first = rng_next(&rng), second = rng_next(&rng);
        HINT(first != second,
             "two numbers of a walk are the same: the counter moves on by one");
        HINT(first != rng_unit(s, t, c + 1),
             "the first number is the one at the current counter; it advances afterwards");
        HINT(first == want && second == rng_unit(s, t, c + 1) && rng.counter == c + 2 &&
                 rng.stream == t,
             "a walk gives the numbers at counter, counter + 1, ... of its stream");
        uint64_t below = rng_below(&again, limit);
        HINT(below < limit, "rng_below(%llu) gave %llu: 0 to limit - 1",
             (unsigned long long)limit, (unsigned long long)below);
        HINT(again.counter == c + 1,
             "rng_below takes one number of the walk (a counter has 64 bits), here the counter "
             "moved by %lld",
             (long long)(again.counter - c));
        COUNT(below, (uint64_t)(want * (double)limit),
              "the unit number %.6g times %llu, cut (hash %% limit would be another number, "
              "and favours some)",
              want, (unsigned long long)limit);
        rng = (Rng){s, t, c};
        double normal = rng_normal(&rng), v = rng_unit(s, t, c + 1),
               right = sqrt(-2 * log(1 - want)) * cos(2 * acos(-1) * v);
        COUNT(rng.counter, c + 2, "rng_normal takes two numbers: the counter afterwards");
        HINT(!close_to(normal, sqrt(-2 * log(1 - want)) * sin(2 * acos(-1) * v), 1e-9),
             "that is the other one of the pair, with the sine: the cosine is wanted");
        HINT(!close_to(normal, sqrt(-2 * log(1 - v)) * cos(2 * acos(-1) * want), 1e-9),
             "u, the first number, is for the radius; here it is for the angle");
        NUMBER(normal, right, 1e-9,
               "sqrt(-2 log(1 - u)) cos(2 pi v), u = %.6g drawn first, v = %.6g", want, v);
    }
}

GRADES({"1.5", widened}, {"1.13", generator}, {"1.6", narrowed}, {"1.12", draws})
