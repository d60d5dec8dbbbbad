/* nn.h - layer 3: what a network does to one vector.
 *
 * In reading order; functions that training needs have a _backward sibling: */
#ifndef STRATA_NN_H
#define STRATA_NN_H

#include "softmax.h"    /* scores to probabilities */
#include "activation.h" /* the nonlinearities: ReLU, GELU, SiLU and their gated forms */
#include "norm.h"       /* RMSNorm and LayerNorm */
#include "embedding.h"  /* a token's row */
#include "low_rank.h"   /* LoRA: what an adapter adds to a linear map */
#include "linear.h"     /* y = W x + b */
#include "rows.h"       /* some rows of a batch, apart from the others */
#include "rope.h"       /* positions as rotations, and scaling for longer contexts */
#include "position.h"   /* other positions: learned, ALiBi */
#include "loss.h"       /* cross-entropy: how surprised the model was */

#endif
