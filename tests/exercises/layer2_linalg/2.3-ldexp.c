/* right: the power of two by the C library, rounding by it, too */
static float exp_one(float v) {
    if (isnan(v)) return v;
    v = fminf(fmaxf(v, EXP_LOWEST), EXP_HIGHEST);
    float whole = rintf(v * EXP_LOG2E), r = v - whole * EXP_LN2_HIGH - whole * EXP_LN2_LOW;
    const float c[] = {EXP_C5, EXP_C4, EXP_C3, EXP_C2};
    float p = EXP_C6;
    for (int i = 0; i < 4; i++) p = p * r + c[i];
    p = p * (r * r) + r + 1;
    return ldexpf(p, (int)whole);
}
