/* inference_extras.h - the optional parts of layer 6, in reading order: */
#ifndef STRATA_INFERENCE_EXTRAS_H
#define STRATA_INFERENCE_EXTRAS_H

#include "inference.h"
#include "models_extras.h"

#include "grammar.h"           /* constrained text: grammars and their states */
#include "grammar_stages.h"    /* the stages that constrain a text */
#include "more_stages.h"       /* samplers beside those of the core */
#include "sampler_reference.h" /* the definition of each sampler, and the stage that runs it */
#include "heal.h"              /* token healing of a prompt's end */
#include "take_back.h"         /* banned texts, rolled back */
#include "guidance.h"          /* second logits, of a weaker model or another prompt */
#include "early_layers.h"      /* second logits, of the model's own early layers */
#include "look_ahead.h"        /* hidden states of a text and of possible next tokens */
#include "long_text.h"         /* texts longer than their context */
#include "suffix_store.h"      /* what followed the last words of a text */
#include "speculate.h"         /* several tokens per forward pass */
#include "watermark_detect.h"  /* detection of the stage watermark */
#include "diversity.h"         /* how varied a set of texts is */
#include "surprisal.h"         /* how well a model predicts a text */
#include "beam.h"              /* beam search */
#include "particles.h"         /* texts that obey, as the model would write them */
#include "best_of.h"           /* samples, and the likeliest, a vote or minimum Bayes risk */
#include "choose.h"            /* the votes and the agreement themselves */
#include "distinct.h"          /* samples without replacement: stochastic beams */
#include "power.h"             /* texts sharpened as a whole: p^a by Metropolis-Hastings */
#include "aligned.h"           /* texts that obey, with bounds learned from text to text */
#include "diffusion.h"         /* diffusion: filling in any order */
#include "schedule.h"          /* the scheduler: who reads how many tokens in the next step */
#include "service.h"           /* many users: requests wait, run and end */
#include "traffic.h"           /* traffic: arrivals and lengths */
#include "step_cost.h"         /* how long a step takes */
#include "step_group.h"        /* and on several machines that compute together */
#include "simulate.h"          /* a service without a model */
#include "activation_cache.h"  /* everything inside a model for one text */
#include "interventions.h"     /* changes to a model while it runs */

#endif
