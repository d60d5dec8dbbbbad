/* right: the angle brought below one turn first, cosine and sine together */
void rope_angles(const Rope *rope, size_t position, float *cosine, float *sine) {
    const double turn = 6.283185307179586476925;
    for (size_t i = 0; i < rope->rotary / 2; i++) {
        double angle = fmod((double)position * rope->freq[i], turn);
        cosine[i] = (float)((double)rope->magnitude * cos(angle));
        sine[i] = (float)((double)rope->magnitude * sin(angle));
    }
}
