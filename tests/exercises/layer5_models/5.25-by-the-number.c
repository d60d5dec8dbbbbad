/* right: number by number, with its pixel worked out from its place */
void picture_patches(float *rows, const Picture *p, size_t patch, const float mean[3],
                     const float spread[3]) {
    size_t across = p->width / patch, area = patch * patch, count = 3 * p->width * p->height;
    for (size_t i = 0; i < count; i++) {
        size_t row = i / (3 * area), c = i / area % 3, at = i % area;
        size_t x = row % across * patch + at % patch, y = row / across * patch + at / patch;
        rows[i] = ((float)p->rgb[3 * (y * p->width + x) + c] / 255 - mean[c]) / spread[c];
    }
}
