/* parts.h - what the files of this folder share: keys of a vision tower's file, and how its
 * rows become the language model's. */
#ifndef STRATA_VISION_PARTS_H
#define STRATA_VISION_PARTS_H

#include "families/parts.h"
#include "vision.h"

/* sizes_vision.c: a key of the whole file, such as "clip.use_gelu"; it is not `wanted`. */
const GgufPair *vision_key(Binder *binder, const char *key);
bool vision_refuse(Binder *binder, const char *key, const char *wanted, const char *why);

/* heads.c: each half of a head has rotated pairs of its own in the file, (0, d/4) ... and
 * (d/2, 3d/4) ...; here (0, d/2) ...: queries, keys and their norms in that order.
 *
 * Fails when memory runs out. */
bool turn_heads(Vision *vision, Fault *fault);

/* bounds.c: how a map, or each map of a block, is held between its NAME.input_min, input_max,
 * output_min and output_max, if the file has any of them. */
void bind_bounds(Binder *binder, const char *name, Linear *map);
void bind_block_bounds(Binder *binder, Block *block, size_t layer);

/* bind_vision.c: the width of a map that the file alone determines. */
size_t width_in_file(Binder *binder, const char *name, bool turned);

/* deep.c: the projectors of earlier blocks, if the file has any; and their rows, each behind
 * the parts of its row that are there. */
void bind_deep(Binder *binder);
void deep_project(Vision *vision, float *out);

/* places.c: add to each patch what says where it is. */
void add_places(Vision *vision, float *rows);

/* project.c: numbers of the row that several patches become, and at most between two maps of
 * the projector; the rows of all patches, in vision->session.hidden, through merge and
 * projector.
 *
 *   out   (rows, width)   written */
size_t merged_width(const Vision *vision);
size_t projector_mid(const VisionTower *tower);
void vision_project(Vision *vision, float *out);

/* Where row i of a rectangle of high by wide merged squares is: its line and column. */
void square_of_row(const VisionTower *tower, size_t i, size_t high, size_t wide, size_t at[2]);

/* Rows of patches, `stride` numbers apart, through a projector.
 *
 *   out   (rows, text)   written */
void project_patches(Vision *vision, const VisionProjector *projector, const float *rows,
                     size_t stride, float *out);

#endif
