/* picture.c - allocating pictures, and portable pixmaps.  See picture.h. */
#include "picture.h"

#include "size.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

bool picture_init(Picture *p, size_t width, size_t height, Fault *fault) {
    *p = (Picture){0};
    if (!width || !height || width > PICTURE_MAX || height > PICTURE_MAX / width)
        return fault_set(fault, "a picture of %zu by %zu pixels: wanted 1 to %d in all", width,
                         height, PICTURE_MAX);
    if (!(p->rgb = calloc(width * height, 3)))
        return fault_set(fault, "no memory for a picture of %zu by %zu pixels", width, height);
    p->width = width, p->height = height;
    return true;
}

void picture_free(Picture *p) {
    free(p->rgb);
    *p = (Picture){0};
}

/* The rest of a file. */
typedef struct Bytes {
    const unsigned char *at, *end;
} Bytes;

static void picture_skip_space(Bytes *b) {
    bool remark = false;
    for (; b->at < b->end && (remark || isspace(*b->at) || *b->at == '#'); b->at++)
        remark = *b->at == '#' || (remark && *b->at != '\n');
}

/* The next number; PICTURE_MAX + 1 for all larger ones. */
static bool picture_read_number(Bytes *b, size_t *n) {
    picture_skip_space(b);
    if (b->at == b->end || !isdigit(*b->at)) return false;
    for (*n = 0; b->at < b->end && isdigit(*b->at); b->at++)
        if (*n <= PICTURE_MAX) *n = 10 * *n + (size_t)(*b->at - '0');
    if (*n > PICTURE_MAX) *n = PICTURE_MAX + 1;
    return true;
}

static bool read_head(Bytes *b, size_t *width, size_t *height, Fault *fault) {
    size_t most;
    b->at += 2;
    if (b->at < b->end && !isspace(*b->at) && *b->at != '#')
        return fault_set(fault, "not a portable pixmap: wanted white space behind \"P6\"");
    if (!picture_read_number(b, width) || !picture_read_number(b, height) ||
        !picture_read_number(b, &most))
        return fault_set(fault, "a pixmap whose head is broken: wanted \"P6\" and three "
                                "integers, its width, its height and 255");
    if (*width > PICTURE_MAX || *height > PICTURE_MAX)
        return fault_set(fault, "a pixmap with a side of more than %d pixels", PICTURE_MAX);
    if (most != 255)
        return fault_set(fault, "a pixmap of colours up to %s%zu: wanted 255, a byte each",
                         most > PICTURE_MAX ? "more than " : "", min_size(most, PICTURE_MAX));
    return (b->at < b->end && isspace(*b->at++)) ||
           fault_set(fault, "a pixmap that ends before its pixels");
}

bool picture_read_ppm(Picture *p, const void *bytes, size_t size, Fault *fault) {
    Bytes b = {bytes, (const unsigned char *)bytes + size};
    size_t width, height;
    *p = (Picture){0};
    if (size < 2 || memcmp(bytes, "P6", 2) != 0)
        return fault_set(fault, "not a portable pixmap: wanted \"P6\" at its beginning");
    if (!read_head(&b, &width, &height, fault) || !picture_init(p, width, height, fault))
        return false;
    size_t wanted = 3 * width * height, has = (size_t)(b.end - b.at);
    while (has > wanted && isspace(b.at[has - 1])) has--;
    if (has == wanted) return memcpy(p->rgb, b.at, wanted), true;
    picture_free(p);
    return fault_set(fault, "a pixmap of %zu by %zu pixels, which are %zu bytes, has %zu",
                     width, height, wanted, has);
}
