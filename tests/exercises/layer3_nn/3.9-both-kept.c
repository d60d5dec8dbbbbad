/* right: both numbers are read first, and the styles have loops of their own */
static void turn_pair(float *a, float *b, float c, float s) {
    float x = *a, y = *b;
    *a = c * x - s * y;
    *b = s * x + c * y;
}

void rope_rotate(const Rope *rope, const float *cosine, const float *sine, float *head) {
    size_t half = rope->rotary / 2;
    if (rope->style == ROPE_INTERLEAVED)
        for (size_t i = 0; i < half; i++)
            turn_pair(&head[2 * i], &head[2 * i + 1], cosine[i], sine[i]);
    else
        for (size_t i = 0; i < half; i++)
            turn_pair(&head[i], &head[half + i], cosine[i], sine[i]);
}
