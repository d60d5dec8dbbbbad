/* right: both gradients read first, the styles in loops of their own */
void rope_rotate_backward(const Rope *rope, const float *cosine, const float *sine,
                          float *head) {
    size_t half = rope->rotary / 2;
    for (size_t i = 0; i < half && rope->style == ROPE_HALF_SPLIT; i++) {
        float a = head[i], b = head[i + half];
        head[i] = a * cosine[i] + b * sine[i], head[i + half] = -a * sine[i] + b * cosine[i];
    }
    for (size_t i = 0; i < half && rope->style == ROPE_INTERLEAVED; i++) {
        float a = head[2 * i], b = head[2 * i + 1];
        head[2 * i] = a * cosine[i] + b * sine[i],
                 head[2 * i + 1] = -a * sine[i] + b * cosine[i];
    }
}
