/* tensor.h - layer 1: bytes, shapes, memory, files, threads.
 *
 * Everything above this layer is arithmetic on the things named here.  In reading order: */
#ifndef STRATA_TENSOR_H
#define STRATA_TENSOR_H

#include "fault.h"      /* how things go wrong */
#include "size.h"       /* the smaller and the larger of two sizes */
#include "arena.h"      /* all memory of a run, sized before the first token */
#include "grow.h"       /* an array that grows as it is filled */
#include "text.h"       /* a text as a pointer and a size */
#include "dtype.h"      /* the table of number formats */
#include "half.h"       /* 16-bit floating point, bit by bit */
#include "view.h"       /* shape, stride, view: the Tensor itself */
#include "file_map.h"   /* a file as bytes in memory */
#include "file_write.h" /* files that appear whole or not at all */
#include "gguf.h"       /* the container models come in: read and write */
#include "gguf_file.h"  /* one by its path, or all parts of it */
#include "file_kind.h"  /* what a file is that is no GGUF */
#include "pool.h"       /* threads that split outputs */
#include "rng.h"        /* randomness without hidden state */
#include "hash.h"       /* a hash of bytes */
#include "profile.h"    /* where the time of a run goes */
#include "clock.h"      /* time, and how far long work has come */
#include "nearest.h"    /* a mistyped name, and what was meant */

#endif
