/* tensor_extras.h - the extras of layer 1, in reading order: */
#ifndef STRATA_TENSOR_EXTRAS_H
#define STRATA_TENSOR_EXTRAS_H

#include "tensor.h"

#include "tensor_print.h"  /* a tensor as readable text */
#include "region.h"        /* memory for many small things, freed together */
#include "json.h"          /* JSON, parsed into a tree */
#include "safetensors.h"   /* the format that models are published in */
#include "pytorch.h"       /* the one before it: parsed, never executed */
#include "profile_trace.h" /* a profile as a trace for browsers */
#include "sha256.h"        /* to verify downloads */
#include "file_same.h"     /* do two paths name the same file */

#endif
