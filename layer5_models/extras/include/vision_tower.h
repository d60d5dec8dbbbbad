/* vision_tower.h - the weights of a vision tower outside its blocks.
 *
 *     patches --embed--> rows -+ class row -+--> blocks (model.h) --> rows of the patches
 *     --project--> rows for the model
 *
 * vision.h runs it.
 *
 * Invariant: patch is 0 in a text model. */
#ifndef STRATA_VISION_TOWER_H
#define STRATA_VISION_TOWER_H

#include "model.h"

typedef struct VisionTower {
    size_t image, patch; /* sides of a picture and of a patch, in pixels */
    size_t patches;      /* of a picture: (image / patch)^2 */
    /* of red, green and blue, from 0 to 1, in training */
    float mean[3], spread[3];
    Linear embed;           /* (dim, 3 patch patch) */
    const float *class_row; /* (dim) an extra row, which attends to all patches */
    bool class_last;        /* it comes after them */
    Activation act;         /* of the blocks' networks */
    Linear project[2];      /* (mid, dim) and (width, mid) */
    Activation project_act; /* between them */
} VisionTower;

/* The position of the class row. */
typedef enum ClassPlace {
    CLASS_FIRST, /* as the encoders were trained */
    /* after the patches, as in llama.cpp (issue 25814); for comparison everything else is as
     * there, too: the number of blocks, the norm after them, GELU by tanh */
    CLASS_LAST
} ClassPlace;

/* model_open_memory for a vision tower (mmproj), which that function refuses. */
bool model_open_vision(Model *model, const void *bytes, size_t size, ClassPlace place,
                       Fault *fault);

#endif
