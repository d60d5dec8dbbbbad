/* tensor_extras.h - what hangs on the core of layer 1; in reading order: */
#ifndef STRATA_TENSOR_EXTRAS_H
#define STRATA_TENSOR_EXTRAS_H

#include "tensor.h"

#include "tensor_print.h"  /* a tensor for a person to read */
#include "region.h"        /* memory for many small things, freed together */
#include "json.h"          /* JSON texts, read into a tree */
#include "safetensors.h"   /* the container that models are published in */
#include "pytorch.h"       /* the one before it, which is read and never run */
#include "profile_trace.h" /* a profile as a trace for browsers */
#include "sha256.h"        /* the digest by which published files are known */

#endif
