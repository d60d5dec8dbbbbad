/* wrong: which does what is yours | the sibling that has an instruction for it */
float f16_to_f32(uint16_t half) {
    extern float f16_to_f32_f16c(uint16_t);
    return f16_to_f32_f16c(half);
}
