/* vision.h - from a picture to rows that a language model reads in place of tokens.
 *
 *     picture --square, resize, patches (picture.h)--> rows --an encoder (model.h, vision_tower.h)--> rows --project--> rows
 *
 * A file of its own holds all of it (mmproj, beside the model's).  The encoder is a row of the families' table: it
 * looks both ways, and its positions are learned.  What is taken is what goes into the last block, for so the
 * projector was trained; of the rows, those of the patches.
 *
 * Invariant: a picture's rows depend on it and the file alone: not on the threads, or on pictures before.  To the bit.
 * Source   Radford et al. 2021, arXiv:2103.00020 (CLIP); Liu et al. 2023, arXiv:2304.08485, section 4.1, and
 *          2024, arXiv:2310.03744 (LLaVA).
 * Tutorial docs/layer5/vision.md */
#ifndef STRATA_VISION_H
#define STRATA_VISION_H

#include "families.h"
#include "picture.h"

typedef struct Vision {
    FileMap file;                 /* owns, when opened by path */
    Model model;                  /* whose eye is there; owns */
    Session session;              /* of one picture; owns */
    float *patches;               /* (patches, 3 patch patch) */
    float *input;                 /* (patches + 1, dim) */
    float *mid;                   /* (patches, mid) */
    void *scratch;                /* of the eye and of the projector */
    int32_t *sequence, *position; /* (patches + 1) */
    bool *wanted;
    Arena arena; /* owns all from patches on */
} Vision;

/* Open the file of an encoder and its projector.
 *
 *   place   CLASS_LAST: to compare with llama.cpp
 *
 * Fails as model_open does, and for a model of texts.  The struct is not moved in memory from then on. */
bool vision_open(Vision *vision, const char *path, ClassPlace place, Pool *pool, Fault *fault);
bool vision_open_memory(Vision *vision, const void *bytes, size_t size, ClassPlace place,
                        Pool *pool, Fault *fault);
void vision_close(Vision *vision);

/* Rows of a picture, and numbers of a row. */
size_t vision_rows(const Vision *vision);
size_t vision_width(const Vision *vision);

/* What the eye sees of a picture of any size: a square as large as it was trained on.
 *
 * Fails when memory runs out. */
bool vision_shape(const Vision *vision, const Picture *picture, PictureFit fit, Picture *out,
                  Fault *fault);

/* Read such a square.
 *
 *   out   (rows, width)   written
 *
 * Fails when nobody wants it any more (session.is_wanted). */
bool vision_read(Vision *vision, const Picture *square, float *out, Fault *fault);

#endif
