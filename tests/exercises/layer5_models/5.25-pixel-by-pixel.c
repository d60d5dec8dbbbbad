/* right: the picture pixel by pixel, each put where it belongs; the three rules as one product and a sum */
static void put(float *row, size_t area, const unsigned char *rgb, const float mean[3],
                const float spread[3]) {
    for (size_t c = 0; c < 3; c++)
        row[c * area] = (float)rgb[c] * (1 / (255 * spread[c])) - mean[c] / spread[c];
}

void picture_patches(float *rows, const Picture *p, size_t patch, const float mean[3],
                     const float spread[3]) {
    size_t area = patch * patch, across = p->width / patch;
    const unsigned char *rgb = p->rgb;
    for (size_t y = 0; y < p->height; y++)
        for (size_t x = 0; x < p->width; x++, rgb += 3) {
            float *row = rows + (y / patch * across + x / patch) * 3 * area;
            put(row + y % patch * patch + x % patch, area, rgb, mean, spread);
        }
}
