/* files.h - pictures in the files that people have.
 *
 * Portable pixmaps are read by layer 5.  PNG is libpng's work and JPEG libjpeg's: their headers are looked for when this
 * program is built, and they themselves when a picture is read, so that the program needs neither.
 *
 * Invariant: a picture that is read is all there: damage that a library would paint over is refused. */
#ifndef STRATA_PICTURE_FILES_H
#define STRATA_PICTURE_FILES_H

#include "inference.h"
#include "picture.h"

/* Read a picture from the bytes of a file, by what they begin with, whatever its name.
 *
 * Fails when it is of another kind, damaged or too large, or the library for its kind is not there. */
bool picture_read(Picture *picture, const void *bytes, size_t size, Fault *fault);

/* One kind each. */
bool picture_read_png(Picture *picture, const void *bytes, size_t size, Fault *fault);
bool picture_read_jpeg(Picture *picture, const void *bytes, size_t size, Fault *fault);

/* The first of some libraries that is installed; NULL ends the names.  It stays open. */
void *library_open(const char *const *names);

/* *function = what the library calls so.  False when it has none. */
bool library_find(void *library, const char *name, void *function);

#endif
