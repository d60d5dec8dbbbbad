/* vision_tower.h - what a picture goes through before the blocks of an encoder and behind them.
 *
 *     patches --embed--> rows -+
 *                 class row -+--> blocks (model.h) --> rows of the patches --project--> rows that another model reads
 *
 * vision.h runs it.
 *
 * Invariant: a model that has none reads texts: patch is 0. */
#ifndef STRATA_VISION_TOWER_H
#define STRATA_VISION_TOWER_H

#include "model.h"

typedef struct VisionTower {
    size_t image, patch; /* sides of a picture and of a patch, in pixels */
    size_t patches;      /* of a picture: (image / patch)^2 */
    /* of red, green and blue, from 0 to 1, where the model was trained */
    float mean[3], spread[3];
    Linear embed;           /* (dim, 3 patch patch) */
    const float *class_row; /* (dim) a row of its own, which sees all patches */
    bool class_last;        /* it stands behind them */
    Activation act;         /* of the blocks' networks */
    Linear project[2];      /* (mid, dim) and (width, mid) */
    Activation project_act; /* between them */
} VisionTower;

/* Where the row stands that belongs to no patch of a picture. */
typedef enum ClassPlace {
    CLASS_FIRST, /* as the encoders were trained */
    /* behind the patches, as llama.cpp has it (issue 25814); so that both can be compared, all
     * else is as there, too: the number of blocks, the norm behind them, GELU by tanh */
    CLASS_LAST
} ClassPlace;

/* The same as model_open_memory for the eye of another model: a file that reads pictures
 * (mmproj), which that one refuses. */
bool model_open_vision(Model *model, const void *bytes, size_t size, ClassPlace place,
                       Fault *fault);

#endif
