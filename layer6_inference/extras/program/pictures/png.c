/* png.c - PNG files, by libpng's simplified interface.  See files.h.
 *
 * 16-bit colours become 8-bit, and transparent pixels keep the file's colour, as in programs
 * that train on images. */
#include "files.h"
#include "picture.h"

#include <stdlib.h>
#include <string.h>

#if __has_include(<png.h>)
#include <png.h>

typedef struct Library {
    int (*begin)(png_imagep image, png_const_voidp bytes, size_t size);
    int (*finish)(png_imagep image, png_const_colorp background, void *to, png_int_32 line,
                  void *map);
    void (*free)(png_imagep image);
} Library;

static bool png_load(Library *l) {
    static const char *const names[] = {"libpng16.so.16", "libpng16.so", "libpng16.16.dylib",
                                        "libpng16.dylib", NULL};
    void *h = library_open(names);
    return h && library_find(h, "png_image_begin_read_from_memory", &l->begin) &&
           library_find(h, "png_image_finish_read", &l->finish) &&
           library_find(h, "png_image_free", &l->free);
}

/* Red, green, blue and alpha, a byte each: alpha is dropped.  Warnings from here on concern
 * pixels; earlier ones metadata such as colour profiles. */
static bool read_pixels(const Library *l, png_imagep image, Picture *p, Fault *fault) {
    size_t count = p->width * p->height;
    unsigned char *all = malloc(4 * count);
    if (!all) return fault_set(fault, "no memory for %zu pixels", count);
    image->warning_or_error = 0;
    bool ok = l->finish(image, NULL, all, 0, NULL) && !image->warning_or_error;
    for (size_t i = 0; i < count && ok; i++) memcpy(p->rgb + 3 * i, all + 4 * i, 3);
    free(all);
    return ok || fault_set(fault, "libpng: %.60s", image->message);
}

bool picture_read_png(Picture *p, const void *bytes, size_t size, Fault *fault) {
    Library l;
    png_image image = {.version = PNG_IMAGE_VERSION};
    *p = (Picture){0};
    if (!png_load(&l))
        return fault_set(fault, "libpng is not installed, which reads PNG files: install it, "
                                "or convert the picture to PPM (P6)");
    bool ok = l.begin(&image, bytes, size) || fault_set(fault, "libpng: %.60s", image.message);
    image.format = PNG_FORMAT_RGBA;
    image.flags |= PNG_IMAGE_FLAG_16BIT_sRGB;
    ok = ok && picture_init(p, image.width, image.height, fault) &&
         read_pixels(&l, &image, p, fault);
    l.free(&image);
    if (!ok) picture_free(p);
    return ok;
}

#else

bool picture_read_png(Picture *p, const void *bytes, size_t size, Fault *fault) {
    *p = (Picture){0};
    (void)bytes;
    return fault_set(fault,
                     "a PNG file of %zu bytes, and this strata was built without libpng: "
                     "install it (make deps; apt-get install libpng-dev) and run make again, "
                     "or convert the picture to PPM (P6)",
                     size);
}

#endif
