/* inference.h - layer 6: from logits to text.
 *
 * In reading order: */
#ifndef STRATA_INFERENCE_H
#define STRATA_INFERENCE_H

#include "candidates.h" /* the tokens that may come next */
#include "order.h"      /* sort keys: a float and an id as one integer */
#include "pick.h"       /* reference versions: the best, the best k, a mass, a weighted draw */
#include "stage.h"      /* the shape every sampler has */
#include "chain.h"      /* stages in a row: parse, print, run */
#include "watermark.h"  /* which tokens the stage watermark makes green */
#include "trace.h"      /* what every stage did, as CSV */
#include "utf8.h"       /* UTF-8: whole characters, printable text */
#include "stops.h"      /* many stop strings, one pass */
#include "stream.h"     /* output text: stop strings, whole characters */
#include "ending.h"     /* when a text is over */
#include "text_queue.h" /* text from the thread that generates to the thread that shows it */
#include "extra.h"      /* optional features of a text, as hooks */
#include "sequence.h"   /* one text: its tokens, and how the next one is chosen */
#include "engine.h"     /* many texts, one batch */
#include "generate.h"   /* the loop */
#include "version.h"    /* which Strata this is */

#endif
