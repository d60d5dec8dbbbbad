/* right: a subnormal shifted until its leading one appears; BF16 through a multiplication */
float f16_to_f32(uint16_t half) {
    uint32_t bits = (uint32_t)(half >> 15) << 31, exponent = half >> 10 & 31,
             fraction = half & 1023;
    if (exponent == 31)
        return float_of(bits | 0x7F800000 | fraction << 13 | (fraction != 0) << 22);
    if (exponent == 0) {
        if (fraction == 0) return float_of(bits);
        for (exponent = 113; !(fraction & 1024); exponent--) fraction <<= 1;
        return float_of(bits | exponent << 23 | (fraction & 1023) << 13);
    }
    return float_of(bits + ((exponent + 127 - 15) << 23) + fraction * 8192);
}

float bf16_to_f32(uint16_t half) { return float_of(half * 65536u); }
