/* jpeg.c - JPEG files, by libjpeg.  See files.h. */
#include "files.h"
#include "picture.h"

#include <setjmp.h>
#include <stdio.h>
#include <string.h>

#if __has_include(<jpeglib.h>)
#include <jerror.h>
#include <jpeglib.h>

typedef struct Library {
    struct jpeg_error_mgr *(*std_error)(struct jpeg_error_mgr *err);
    void (*create)(j_decompress_ptr jpeg, int version, size_t size);
    void (*source)(j_decompress_ptr jpeg, const unsigned char *bytes, unsigned long size);
    int (*header)(j_decompress_ptr jpeg, boolean whole);
    boolean (*many_scans)(j_decompress_ptr jpeg);
    boolean (*start)(j_decompress_ptr jpeg);
    JDIMENSION (*lines)(j_decompress_ptr jpeg, JSAMPARRAY rows, JDIMENSION most);
    boolean (*finish)(j_decompress_ptr jpeg);
    void (*destroy)(j_decompress_ptr jpeg);
} Library;

/* The library must have the version of the headers. */
static bool jpeg_load(Library *l) {
    static const char *const names[] = {JPEG_LIB_VERSION >= 90   ? "libjpeg.so.9"
                                        : JPEG_LIB_VERSION >= 80 ? "libjpeg.so.8"
                                                                 : "libjpeg.so.62",
                                        "libjpeg.8.dylib", "libjpeg.dylib", NULL};
    void *h = library_open(names);
    return h && library_find(h, "jpeg_std_error", &l->std_error) &&
           library_find(h, "jpeg_CreateDecompress", &l->create) &&
           library_find(h, "jpeg_mem_src", &l->source) &&
           library_find(h, "jpeg_read_header", &l->header) &&
           library_find(h, "jpeg_has_multiple_scans", &l->many_scans) &&
           library_find(h, "jpeg_start_decompress", &l->start) &&
           library_find(h, "jpeg_read_scanlines", &l->lines) &&
           library_find(h, "jpeg_finish_decompress", &l->finish) &&
           library_find(h, "jpeg_destroy_decompress", &l->destroy);
}

typedef struct Reading {
    struct jpeg_decompress_struct jpeg;
    struct jpeg_error_mgr errors; /* libjpeg's own, with another error_exit */
    jmp_buf back;
    bool many_scans;
    char text[JMSG_LENGTH_MAX];
} Reading;

static void give_up(j_common_ptr jpeg) {
    Reading *r = jpeg->client_data;
    jpeg->err->format_message(jpeg, r->text);
    longjmp(r->back, 1);
}

/* Is a warning about pixels?  These are not:
 *
 *     an unknown revision    about metadata
 *     strange bytes          between segments; before a restart marker they were pixels
 *     a missing end          where all pixels are there; else another warning says so, or a
 *                            scan is missing */
static bool is_damage(const Reading *r) {
    const struct jpeg_error_mgr *e = &r->errors;
    if (e->msg_code == JWRN_JFIF_MAJOR) return false;
    if (e->msg_code == JWRN_JPEG_EOF) return r->many_scans;
    return e->msg_code != JWRN_EXTRANEOUS_DATA || (e->msg_parm.i[1] & ~7) == JPEG_RST0;
}

/* Below 0: a warning, for damage that libjpeg would gloss over. */
static void complain(j_common_ptr jpeg, int level) {
    if (level < 0 && is_damage(jpeg->client_data)) give_up(jpeg);
}

/* All calls that may end in give_up.  False with a fault, or, from libjpeg, with r->text. */
static bool read_all_lines(const Library *l, Reading *r, Picture *p, const void *bytes,
                           size_t size, Fault *fault) {
    if (setjmp(r->back)) return fault_set(fault, "libjpeg: %.200s", r->text);
    l->create(&r->jpeg, JPEG_LIB_VERSION, sizeof r->jpeg);
    l->source(&r->jpeg, bytes, (unsigned long)size);
    l->header(&r->jpeg, TRUE);
    r->many_scans = l->many_scans(&r->jpeg);
    if (r->jpeg.num_components == 4)
        return fault_set(fault, "a JPEG in the four colours of print (CMYK): wanted red, green "
                                "and blue, or grey: convert the picture");
    r->jpeg.out_color_space = JCS_RGB;
    if (!picture_init(p, r->jpeg.image_width, r->jpeg.image_height, fault)) return false;
    l->start(&r->jpeg);
    while (r->jpeg.output_scanline < r->jpeg.output_height) {
        JSAMPROW row = p->rgb + (size_t)r->jpeg.output_scanline * 3 * p->width;
        l->lines(&r->jpeg, &row, 1);
    }
    l->finish(&r->jpeg);
    return true;
}

bool picture_read_jpeg(Picture *p, const void *bytes, size_t size, Fault *fault) {
    Library l;
    Reading r = {0};
    *p = (Picture){0};
    if (!jpeg_load(&l))
        return fault_set(fault, "libjpeg is not installed as it was when this strata was "
                                "built: install it, or convert the picture to PPM (P6)");
    r.jpeg.err = l.std_error(&r.errors);
    r.errors.error_exit = give_up, r.errors.emit_message = complain;
    r.jpeg.client_data = &r;
    bool ok = read_all_lines(&l, &r, p, bytes, size, fault);
    l.destroy(&r.jpeg);
    if (!ok) picture_free(p);
    return ok;
}

#else

bool picture_read_jpeg(Picture *p, const void *bytes, size_t size, Fault *fault) {
    *p = (Picture){0};
    (void)bytes;
    return fault_set(fault,
                     "a JPEG file of %zu bytes, and this strata was built without libjpeg: "
                     "install it (make deps; apt-get install libjpeg-dev) and run make again, "
                     "or convert the picture to PPM (P6)",
                     size);
}

#endif
