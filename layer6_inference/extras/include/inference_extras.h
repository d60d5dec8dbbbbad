/* inference_extras.h - what hangs on the core of layer 6; in reading order: */
#ifndef STRATA_INFERENCE_EXTRAS_H
#define STRATA_INFERENCE_EXTRAS_H

#include "inference.h"
#include "models_extras.h"

#include "grammar.h"          /* text that must obey: grammars and where a text has come to */
#include "grammar_stages.h"   /* the stages by which a text obeys one */
#include "heal.h"             /* the end of a prompt, spelled anew */
#include "take_back.h"        /* texts that must not come: taken back */
#include "guidance.h"         /* second logits: a weaker model's, or those of another text */
#include "look_ahead.h"       /* hidden states of a text and of what might come next */
#include "long_text.h"        /* texts that are longer than their context */
#include "speculate.h"        /* several tokens for one reading of the model */
#include "watermark_detect.h" /* does a text carry the mark of the stage watermark? */
#include "diversity.h"        /* how varied a set of texts is */
#include "surprisal.h"        /* how surprised a model is by a text */
#include "beam.h"             /* the likeliest texts */
#include "diffusion.h"        /* a text whose words come in any order */
#include "schedule.h"         /* who reads how many tokens in the next step */
#include "service.h"          /* many users: their requests wait, run and end */
#include "traffic.h"          /* who comes when, and for how much */
#include "step_cost.h"        /* how long a step takes */
#include "simulate.h"         /* a service without a model */
#include "activation_cache.h" /* all that happens to a text inside a model */
#include "interventions.h"    /* what is to be changed in a model while it runs */

#endif
