/* files.h - image files.
 *
 * Layer 5 reads portable pixmaps.  PNG needs libpng and JPEG libjpeg: their headers are needed
 * to build this program, and the libraries only when an image is read.
 *
 * Invariant: an image that is read is complete; damage that a library would gloss over is
 * refused. */
#ifndef STRATA_PICTURE_FILES_H
#define STRATA_PICTURE_FILES_H

#include "inference.h"
#include "picture.h"

/* Decode the bytes of a file, by its first bytes, whatever its name.
 *
 * Fails on another kind, damage, too large an image, and if the library is missing. */
bool picture_read(Picture *picture, const void *bytes, size_t size, Fault *fault);

/* One function per kind. */
bool picture_read_png(Picture *picture, const void *bytes, size_t size, Fault *fault);
bool picture_read_jpeg(Picture *picture, const void *bytes, size_t size, Fault *fault);

/* The first installed library of a list that ends with NULL.  It stays loaded. */
void *library_open(const char *const *names);

/* *function = the library's function of that name.  False: it has none. */
bool library_find(void *library, const char *name, void *function);

#endif
