/* vision.h - from an image to rows that a language model reads in place of tokens.
 *
 *     picture --square, patches (picture.h)--> rows --vision tower (vision_tower.h)--> rows
 *             --projector--> rows
 *
 * All of it is in a file of its own (mmproj, beside the model's).  The tower is a row of the
 * families' table: bidirectional, with learned positions.  The projector reads the input of the
 * last block, as it was trained, and only the rows of patches.
 *
 * Invariant: a picture's rows depend, to the bit, on it and the file alone, not on threads or
 * earlier pictures.
 *
 * Source   Radford et al. 2021, arXiv:2103.00020 (CLIP); Liu et al. 2023, arXiv:2304.08485,
 *          section 4.1, and 2024, arXiv:2310.03744 (LLaVA)
 * Tutorial docs/layer5/vision.md */
#ifndef STRATA_VISION_H
#define STRATA_VISION_H

#include "families.h"
#include "picture.h"

typedef struct Vision {
    FileMap file;                 /* owns, when opened by path */
    Model model;                  /* with a vision tower; owns */
    Session session;              /* for one picture; owns */
    float *patches;               /* (patches, 3 patch patch) */
    float *input;                 /* (patches + 1, dim) */
    float *mid;                   /* (patches, mid) */
    void *scratch;                /* of the tower and the projector */
    int32_t *sequence, *position; /* (patches + 1) */
    bool *wanted;
    Arena arena; /* owns all from patches on */
} Vision;

/* Open the file of a vision tower and its projector.
 *
 *   place   CLASS_LAST: for comparison with llama.cpp
 *
 * Fails as model_open does, and for a text model.  The struct must not move in memory
 * afterwards. */
bool vision_open(Vision *vision, const char *path, ClassPlace place, Pool *pool, Fault *fault);
bool vision_open_memory(Vision *vision, const void *bytes, size_t size, ClassPlace place,
                        Pool *pool, Fault *fault);
void vision_close(Vision *vision);

/* Rows per picture, and numbers per row. */
size_t vision_rows(const Vision *vision);
size_t vision_width(const Vision *vision);

/* The picture as the tower reads it: a square of the size it was trained on.
 *
 * Fails when memory runs out. */
bool vision_shape(const Vision *vision, const Picture *picture, PictureFit fit, Picture *out,
                  Fault *fault);

/* Read such a square.
 *
 *   out   (rows, width)   written
 *
 * Fails when cancelled (session.is_wanted). */
bool vision_read(Vision *vision, const Picture *square, float *out, Fault *fault);

#endif
