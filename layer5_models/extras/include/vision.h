/* vision.h - from an image to rows that a language model reads in place of tokens.
 *
 *     picture --square, patches (picture.h)--> rows --vision tower (vision_tower.h)--> rows
 *             --projector--> rows
 *
 * All of it is in a file of its own (mmproj, beside the model's).  The tower is a row of the
 * families' table: bidirectional, with learned positions.  What differs between encoders, and
 * their projectors, is a row of the table in ../vision/kinds.c.
 *
 * Invariant: a picture's rows depend, to the bit, on it and the file alone, not on threads or
 * earlier pictures [threads_and_pictures_before_change_no_bit].
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
    Pool *pool;                   /* borrows */
    size_t room;                  /* patches for which there is memory */
    size_t across, down;          /* patches of the picture */
    size_t *order;                /* (patches) the place of each among the encoder's inputs */
    uint64_t *windows;            /* which inputs each of them sees in windows */
    unsigned char *cut;           /* a picture without the pixels that fill no patch */
    float *patches;               /* (patches, 3 patch patch) */
    float *input;                 /* (patches + class row, dim) */
    float *merged;                /* (rows, what the projector reads) */
    float *mid;                   /* (rows, mid) */
    float *deep;                  /* (patches, taken blocks, dim) rows of earlier blocks */
    float *part;                  /* (rows, text) */
    float *turned;                /* (width, dim) a map that the file has as (dim, width) */
    float *place;                 /* (dim) */
    unsigned char *heads;         /* maps of queries and keys in another order; owns */
    void *scratch;                /* of the tower and the projector */
    int32_t *sequence, *position; /* (patches + class row) */
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

/* Rows per picture, or the most there can be, and numbers per row. */
size_t vision_rows(const Vision *vision);
size_t vision_width(const Vision *vision);

/* From now on, read pictures in one piece, without tiles. */
void vision_read_whole(Vision *vision);

/* Rows of a picture that vision_shape has made, and how many of them down and across. */
size_t vision_rows_of(const Vision *vision, const Picture *shaped);
void vision_grid(const Vision *vision, const Picture *shaped, size_t grid[2]);

/* A rectangle of pixels. */
typedef struct VisionArea {
    size_t left, top, width, height;
} VisionArea;

/* The pixels of such a picture that became its row of that number: a square of patches.  A row
 * that ends a line (Pixtral) or is the class row (LLaVA, CLASS_LAST) has none: 0 by 0.
 *
 * Invariant: each patch that reaches the projector is in the area of one row
 * [areas_cover_each_patch_once].
 *
 * Needs    row < vision_rows_of. */
VisionArea vision_area(const Vision *vision, const Picture *shaped, size_t row);

/* The picture as the tower reads it, made as its model's processor makes it: a square of the
 * size it was trained on, or, with `crop`, such a square of its middle.  For towers that read
 * any size (vision_any_size) a rectangle of whole patches, without `crop`; for those that read
 * tiles, squares as picture_tiles makes them.
 *
 * Fails when memory runs out, and as picture_rectangle does. */
bool vision_shape(const Vision *vision, const Picture *picture, bool crop, Picture *out,
                  Fault *fault);

/* Read such a picture.
 *
 *   out   (rows, width)   written
 *
 * Fails when cancelled (session.is_wanted), and when memory runs out. */
bool vision_read(Vision *vision, const Picture *shaped, float *out, Fault *fault);

#endif
