/* vision_ours.c - for vision.sh: a picture of noise, and Strata's rows of it beside those in a file.
 *
 *   vision_ours draw WIDTH HEIGHT PICTURE.ppm
 *   vision_ours rows MMPROJ.gguf PICTURE.ppm ROWS [class-last]
 *
 * Prints how many rows there are and by how much they differ (root mean square, of their size); fails above LIMIT. */
#include "file_map.h"
#include "rng.h"
#include "vision.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double LIMIT = 5e-3; /* ggml rounds to F16 on the way */

static int fails(const char *what) {
    fprintf(stderr, "vision_ours: %s\n", what);
    return 1;
}

static int draw(size_t width, size_t height, const char *path) {
    FILE *out = fopen(path, "wb");
    if (!out) return fails("cannot write the picture");
    fprintf(out, "P6\n%zu %zu\n255\n", width, height);
    for (size_t i = 0; i < 3 * width * height; i++) putc((int)(rng_hash(1, 0, i) & 255), out);
    return fclose(out) == 0 ? 0 : fails("cannot write the picture");
}

static int compare(const float *ours, const FileMap *rows, size_t count) {
    const float *theirs = (const void *)rows->data;
    double off = 0, size = 0;
    if (rows->size != count * sizeof *theirs) {
        printf("%zu numbers, theirs %zu\n", count, rows->size / sizeof *theirs);
        return 1;
    }
    for (size_t i = 0; i < count; i++) {
        off += pow((double)ours[i] - (double)theirs[i], 2);
        size += pow((double)theirs[i], 2);
    }
    const double error = sqrt(off / size);
    printf("%.1e\n", error);
    return !(error < LIMIT);
}

static int rows(const char *mmproj, const char *picture, const char *theirs, ClassPlace place) {
    static Vision vision;
    FileMap ppm, wanted;
    Picture read, shaped;
    Fault fault;
    if (!file_open(&ppm, picture, &fault) || !file_open(&wanted, theirs, &fault) ||
        !vision_open(&vision, mmproj, place, NULL, &fault) ||
        !picture_read_ppm(&read, ppm.data, ppm.size, &fault) ||
        !vision_shape(&vision, &read, false, &shaped, &fault))
        return fails(fault.text);
    const size_t count = vision_rows_of(&vision, &shaped);
    float *ours = malloc(count * vision_width(&vision) * sizeof *ours);
    if (!ours || !vision_read(&vision, &shaped, ours, &fault))
        return fails(ours ? fault.text : "no memory");
    printf("%4zu  ", count);
    return compare(ours, &wanted, count * vision_width(&vision));
}

int main(int argc, char **argv) {
    if (argc == 5 && strcmp(argv[1], "draw") == 0)
        return draw((size_t)atoi(argv[2]), (size_t)atoi(argv[3]), argv[4]);
    if ((argc == 5 || argc == 6) && strcmp(argv[1], "rows") == 0)
        return rows(argv[2], argv[3], argv[4], argc == 6 ? CLASS_LAST : CLASS_FIRST);
    return fails("wanted draw WIDTH HEIGHT PICTURE or rows MMPROJ PICTURE ROWS [class-last]");
}
