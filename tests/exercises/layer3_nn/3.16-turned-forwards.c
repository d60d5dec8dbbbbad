/* right: forwards, with the sines' signs turned, a pair at a time */
void rope_rotate_backward(const Rope *rope, const float *cosine, const float *sine,
                          float *head) {
    size_t half = rope->rotary / 2;
    for (size_t i = 0; i < half; i++) {
        Rope pair = {.style = ROPE_INTERLEAVED, .rotary = 2, .magnitude = rope->magnitude};
        size_t a = rope->style == ROPE_HALF_SPLIT ? i : 2 * i,
               b = rope->style == ROPE_HALF_SPLIT ? i + half : 2 * i + 1;
        float opposite = -sine[i], two[2] = {head[a], head[b]};
        rope_rotate(&pair, &cosine[i], &opposite, two);
        head[a] = two[0], head[b] = two[1];
    }
}
