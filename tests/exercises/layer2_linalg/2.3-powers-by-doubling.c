/* right: 2^m by doubling and halving - exact - and m halved by a shift */
static float power_of_two(int m) {
    float power = 1;
    for (; m > 0; m--) power *= 2;
    for (; m < 0; m++) power *= 0.5f;
    return power;
}

static float exp_one(float v) {
    float x = v > EXP_HIGHEST ? EXP_HIGHEST : v < EXP_LOWEST ? EXP_LOWEST : v;
    if (x != x) return x;
    float whole = (x * EXP_LOG2E + EXP_ROUND) - EXP_ROUND;
    float r = x - whole * EXP_LN2_HIGH;
    r -= whole * EXP_LN2_LOW;
    float p = (((EXP_C6 * r + EXP_C5) * r + EXP_C4) * r + EXP_C3) * r + EXP_C2;
    float y = p * (r * r) + r + 1;
    int m = (int)whole;
    return y * power_of_two(m >> 1) * power_of_two(m - (m >> 1));
}
