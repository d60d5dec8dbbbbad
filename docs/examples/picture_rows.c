/* picture_rows.c - a small picture on its way into an encoder: squared, cut into patches, each
 * a row of numbers.
 *
 *     cc picture_rows.c $(pkg-config --cflags --libs strata) -o picture_rows &&
 *     ./picture_rows */
#include <strata.h>

#include <stdio.h>

enum { WIDTH = 6, HEIGHT = 4, PATCH = 3, NUMBERS = 3 * PATCH * PATCH };

static const unsigned char bar[3] = {122, 116, 104}; /* the mean of CLIP's colours */
static const float mean[3] = {0.48f, 0.46f, 0.41f}, spread[3] = {0.27f, 0.26f, 0.28f};

/* Red grows to the right and green downwards; there is no blue. */
static bool paint(Picture *p, Fault *fault) {
    if (!picture_init(p, WIDTH, HEIGHT, fault)) return false;
    for (int i = 0; i < WIDTH * HEIGHT; i++) {
        p->rgb[3 * i] = (unsigned char)(i % WIDTH * 51);
        p->rgb[3 * i + 1] = (unsigned char)(i / WIDTH * 85);
    }
    return true;
}

static void print_reds(const Picture *p) {
    for (size_t i = 0; i < p->width * p->height; i++)
        printf("%4d%s", p->rgb[3 * i], i % p->width + 1 < p->width ? "" : "\n");
}

static void print_rows(const Picture *square) {
    float rows[4][NUMBERS];
    picture_patches(rows[0], square, PATCH, mean, spread);
    for (int row = 0; row < 4; row++) {
        printf("row %d", row);
        for (int i = 0; i < NUMBERS; i++)
            printf("%s%5.1f", i % 9 || !i ? "" : "\n     ", (double)rows[row][i]);
        putchar('\n');
    }
}

int main(void) {
    Picture picture, square;
    Fault fault;
    if (!paint(&picture, &fault) ||
        !picture_square(&square, &picture, FIT_PAD, FILTER_CUBIC, bar, WIDTH, &fault)) {
        fprintf(stderr, "%s\n", fault.text);
        return 1;
    }
    printf("its reds\n"), print_reds(&picture);
    printf("... squared\n"), print_reds(&square);
    print_rows(&square);
    picture_free(&picture), picture_free(&square);
    return 0;
}
