/* nn.h - layer 3: what a network does to one vector.
 *
 * In reading order; a function's _backward sibling stands beside it where training needs one: */
#ifndef STRATA_NN_H
#define STRATA_NN_H

#include "softmax.h" /* scores to probabilities */
#include "activation.h" /* the nonlinearity between two linear maps: ReLU, GELU, SiLU and their gated forms */
#include "norm.h"      /* RMSNorm and LayerNorm */
#include "embedding.h" /* a token's row */
#include "low_rank.h"  /* what an adapter adds to a linear map */
#include "linear.h"    /* y = W x + b */
#include "rope.h"      /* positions as rotations, and how they are stretched */
#include "position.h"  /* other positions: learned, ALiBi */
#include "loss.h"      /* how surprised the model was */

#endif
