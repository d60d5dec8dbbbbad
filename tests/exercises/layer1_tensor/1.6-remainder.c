/* right: what is cut off looked at by itself: more than half, or half and odd, adds one */
static uint32_t cut(uint32_t bits, int places) {
    uint32_t kept = bits >> places, rest = bits & ((1u << places) - 1),
             half = 1u << (places - 1);
    return rest > half || (rest == half && kept & 1) ? kept + 1 : kept;
}

uint16_t f16_from_f32(float value) {
    uint32_t bits = bits_of(value), sign = (bits >> 16) & 0x8000, size = bits & 0x7FFFFFFF;
    if (size > 0x7F800000) return (uint16_t)(sign | 0x7E00 | (size >> 13 & 0x3FF));
    if (size >= 0x47800000) return (uint16_t)(sign | 0x7C00);
    if (size >= 0x38800000) return (uint16_t)(sign + cut(size - (112u << 23), 13));
    int shift = 126 - (int)(size >> 23);
    if (shift > 25) return (uint16_t)sign;
    return (uint16_t)(sign + cut((size & 0x7FFFFF) | 0x800000, shift));
}

uint16_t bf16_from_f32(float value) {
    uint32_t bits = bits_of(value);
    if ((bits & 0x7FFFFFFF) > 0x7F800000) return (uint16_t)(bits >> 16 | 0x40);
    return (uint16_t)cut(bits, 16);
}
