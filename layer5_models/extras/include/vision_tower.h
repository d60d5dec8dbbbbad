/* vision_tower.h - the kinds of vision encoder, and the weights of one outside its blocks.
 *
 *     patches --embed--> rows -+ class row -+--> blocks (model.h) --> rows of the patches
 *     --merge--> fewer rows --norm--> --project--> rows for the model
 *
 * A kind is a row of the table in ../vision/kinds.c, found by the file's projector_type.
 * vision.h runs it.
 *
 * Invariant: patch is 0 in a text model [recipes_are_found_by_name]. */
#ifndef STRATA_VISION_TOWER_H
#define STRATA_VISION_TOWER_H

#include "model.h"
#include "picture.h"

enum { VISION_WINDOW = 112 /* pixels */, VISION_DEEP = 8 };

/* How a square of patches becomes one row. */
typedef enum VisionMerge {
    MERGE_MEAN,  /* the mean of their rows */
    MERGE_STACK, /* their rows one after another, from left to right and top to bottom */
    MERGE_MIX    /* number 0 of each row, then number 1 of each ... */
} VisionMerge;

typedef struct VisionKind {
    const char *projector; /* clip.projector_type */
    const char *models;    /* that have it */
    /* the encoder: norms before the branches, learned positions or a rope: half of a head's
     * pairs rotate by a patch's row, half by its column */
    bool rms;        /* norms without a mean */
    bool gated;      /* networks with a gate */
    bool two_frames; /* each patch is read twice, as two equal frames of a film */
    RopeStyle rope;
    bool rope_shifted; /* columns have the frequencies between those of rows, not the same */
    bool windows;      /* most blocks attend within squares of VISION_WINDOW pixels */
    /* learned positions, too; rows and columns count from 1, and the class row is at 0 */
    bool learned_too;
    bool columns_first;    /* the first half of a head's pairs rotates by the column */
    bool class_row;        /* an extra row, which attends to all patches */
    bool class_behind;     /* ... and comes after them */
    bool flat_embed;       /* the map of patches is in the file as a matrix */
    bool pre_norm;         /* a norm after the positions */
    const char *post_norm; /* a norm after the last block; NULL: none */
    bool skips_block;      /* the projector reads the input of the last block */
    bool layer_scale;      /* each branch is multiplied by a learned vector */
    /* Gemma 4's blocks: norms of heads, of values without gains, and of what branches add;
     * scores are not scaled; each half of a head has rotated pairs of its own */
    bool sandwich;
    bool table_places; /* a learned row for each column, and one for each line */
    /* learned positions of a square, which is stretched over any picture: rows between them */
    bool stretched;
    bool bounded;    /* maps may be held between bounds: bounds.c */
    bool hears_too;  /* its file may have an encoder of sound, which is left out */
    bool centred;    /* colours are from -1 to 1 */
    double theta;    /* of the rope, if the file does not say; 0: 10000 */
    Activation gelu; /* what clip.use_gelu means */
    bool gelu_usual; /* ... and no such key */
    /* the projector: a norm, then one map or several with GELUs between them */
    VisionMerge merge;
    const char *side_key; /* patches per side that are merged */
    size_t side;          /* ... if the file does not say; 1 without a key: none */
    const char *merger;   /* of more than one: a map of its own before the others */
    bool standardized; /* the mean times sqrt(dim), shifted, scaled, and a norm without gains */
    const char *norm;  /* its name; NULL: none */
    NormKind norm_kind;
    float norm_eps; /* 0: as the encoder's */
    const char *maps[3];
    bool deep;   /* there may be further rows, from earlier blocks: deep.c */
    bool turned; /* the first map is in the file as (in, out) */
    /* what the model's processor does */
    PictureFit fit;
    PictureFilter filter;
    size_t min_pixels, max_pixels; /* FIT_PIXELS, if the file does not say */
    size_t max_rows;               /* FIT_AREA */
    const char *row_end; /* a row that ends each line of patches but the last; NULL: none */
    PictureGrid grid;    /* a large picture is cut into tiles, */
    size_t max_tiles;    /* ... up to so many, if the file does not say (GRID_NEAREST) */
    bool twice;          /* first to the long side clip.vision.preproc_image_size */
    /* text around a picture's rows; the names in <> that begin and end it are tokens */
    const char *begin, *end;
    /* Text before the rows of the whole picture, of each tile (# is its line, then its column),
     * between tiles, between lines of them, and behind the last line.  NULL: the rows of all
     * follow one another. */
    const char *whole, *tile, *beside, *line, *last;
    const char *behind; /* text after a picture that comes before a text */
    bool together;      /* in the language model its rows attend to each other, both ways */
} VisionKind;

/* The kind at this place in the table; NULL behind the last one. */
const VisionKind *vision_kind_at(size_t index);

/* From rows of patches to rows of the model: a norm, a merger or none, and up to three maps. */
typedef struct VisionProjector {
    Norm norm;
    Linear merger;
    Linear maps[3]; /* (mid, in) ... (width, mid); or only the first: (width, in) */
} VisionProjector;

typedef struct VisionTower {
    const VisionKind *kind;
    size_t image, patch; /* sides of a picture and of a patch, in pixels */
    /* of a picture, or the most: (image / patch)^2; pixels that fill no patch are left out, at
     * the right and at the bottom (SmolVLM: 384 in patches of 14) */
    size_t patches;
    size_t side, rows; /* patches merged per side; rows for the model: patches / side^2, and
                        * row ends */
    size_t min_pixels, max_pixels; /* FIT_PIXELS */
    size_t min_tiles, max_tiles;   /* max 1: a picture is read whole */
    size_t full_every;             /* the last of so many blocks has no windows; 0: none has */
    bool axes;                     /* a rope by row and column */
    Recipe recipe;                 /* the file's, as the kind changes it */
    size_t text;                   /* numbers of the model's rows */
    size_t width;                  /* of such a row: text, and as many for each deep one */
    size_t first_long;             /* the long side of the first of two resizes; 0: only one */
    /* of red, green and blue, from 0 to 1, in training */
    float mean[3], spread[3];
    Linear embed[2];        /* (dim, 3 patch patch) of each frame */
    const float *class_row; /* (dim); NULL: none */
    bool class_last;        /* as llama.cpp has it */
    bool class_after;       /* it comes after the patches */
    Activation act;         /* of the blocks' networks */
    const float *row_end;   /* (width); NULL: none */
    /* (2 n_places, dim) rows of columns, then of lines; or, `stretched`, (n_places^2, dim) */
    Tensor places;
    size_t n_places;
    bool hears;                 /* the file has an encoder of sound, too, which is left out */
    size_t held_width;          /* the most inputs of a map with bounds; 0: none has */
    float *held;                /* (rows, held_width) of the picture that is read */
    const float *shift, *scale; /* (dim) of a standardized row; NULL: none */
    VisionProjector projector;
    VisionProjector deep[VISION_DEEP]; /* of the rows that come out of earlier blocks ... */
    size_t deep_taps[VISION_DEEP];     /* ... and go into these */
    size_t n_deep;
    Activation project_act; /* between maps */
} VisionTower;

/* Rows of the most tiles, and of the whole picture. */
static inline size_t vision_most_rows(const VisionTower *tower) {
    return tower->rows * (tower->max_tiles > 1 ? tower->max_tiles + 1 : 1);
}

/* Does it read pictures of any size? */
static inline bool vision_any_size(const VisionTower *tower) {
    const PictureFit fit = tower->kind->fit;
    return fit == FIT_PIXELS || fit == FIT_SIDE || fit == FIT_AREA;
}

/* The position of the class row. */
typedef enum ClassPlace {
    CLASS_FIRST, /* as the encoders were trained */
    /* after the patches, as in llama.cpp (issue 25814); for comparison everything else is as
     * there, too: the number of blocks, the norm after them, GELU by tanh (Gemma 4: quick
     * GELU), Llama 4's rows column by column */
    CLASS_LAST
} ClassPlace;

/* model_open_memory for a vision tower (mmproj), which that function refuses. */
bool model_open_vision(Model *model, const void *bytes, size_t size, ClassPlace place,
                       Fault *fault);

#endif
