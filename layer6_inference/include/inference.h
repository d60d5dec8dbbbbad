/* inference.h - layer 6: from logits to text.
 *
 * In reading order: */
#ifndef STRATA_INFERENCE_H
#define STRATA_INFERENCE_H

#include "candidates.h" /* the tokens that may come next */
#include "stage.h"      /* the shape every sampler has */
#include "chain.h"      /* stages in a row: parse, print, run */
#include "stream.h"     /* text on its way out: stop strings, whole characters */
#include "generate.h"   /* the loop */

#endif
