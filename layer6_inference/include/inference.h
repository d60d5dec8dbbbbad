/* inference.h - layer 6: from logits to text.
 *
 * In reading order: */
#ifndef STRATA_INFERENCE_H
#define STRATA_INFERENCE_H

#include "candidates.h" /* the tokens that may come next */
#include "order.h"      /* candidates in order: a float and an id as one sortable number */
#include "pick.h"       /* the best, the best k, those that make up a mass, one by its weight */
#include "stage.h"      /* the shape every sampler has */
#include "chain.h"      /* stages in a row: parse, print, run */
#include "watermark.h"  /* which tokens the stage watermark makes green */
#include "trace.h"      /* what every stage did, as CSV */
#include "utf8.h"       /* where characters end, and text that any program can read */
#include "stops.h"      /* many stop strings, one pass */
#include "stream.h"     /* text on its way out: stop strings, whole characters */
#include "ending.h"     /* when a text is over */
#include "text_queue.h" /* text from the thread that generates to the thread that shows it */
#include "extra.h"      /* what a text may want besides: hooks on its way */
#include "sequence.h"   /* one text on its way */
#include "engine.h"     /* many texts, one batch */
#include "generate.h"   /* the loop */
#include "version.h"    /* which Strata this is */

#endif
