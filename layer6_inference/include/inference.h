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
#include "watermark.h"  /* which tokens are green, and how many of a text are */
#include "trace.h"      /* what every stage did, as CSV */
#include "grammar.h"    /* text that must obey: grammars and where a text has come to */
#include "utf8.h"       /* where characters end, and text that any program can read */
#include "stops.h"      /* many stop strings, one pass */
#include "stream.h"     /* text on its way out: stop strings, whole characters */
#include "take_back.h"  /* texts that must not come: taken back */
#include "ending.h"     /* when a text is over */
#include "heal.h"       /* the end of a prompt, spelled anew */
#include "text_queue.h" /* text from the thread that generates to the thread that shows it */
#include "look_ahead.h" /* hidden states of a text and of what might come next */
#include "diversity.h"  /* how varied a set of texts is */
#include "surprisal.h"  /* how surprised a model is by a text */
#include "speculate.h"  /* several tokens for one reading of the model */
#include "beam.h"       /* the likeliest texts */
#include "diffusion.h"  /* a text whose words come in any order */
#include "schedule.h"   /* who reads how many tokens in the next step */
#include "sequence.h"   /* one text on its way */
#include "engine.h"     /* many texts, one batch */
#include "service.h"    /* many users: their requests wait, run and end */
#include "traffic.h"    /* who comes when, and for how much */
#include "step_cost.h"  /* how long a step takes */
#include "simulate.h"   /* a service without a model */
#include "generate.h"   /* the loop */
#include "version.h"    /* which Strata this is */

#include "glass.h"         /* all that happens to a text inside a model */
#include "interventions.h" /* what is to be changed in a model while it runs */

#endif
