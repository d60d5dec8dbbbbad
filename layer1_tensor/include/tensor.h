/* tensor.h - layer 1: bytes, shapes, memory, files, threads.
 *
 * Everything above this layer is arithmetic on these.  In reading order: */
#ifndef STRATA_TENSOR_H
#define STRATA_TENSOR_H

#include "fault.h"      /* how things go wrong */
#include "size.h"       /* min and max of two sizes */
#include "arena.h"      /* all memory of a run, sized before the first token */
#include "grow.h"       /* an array that grows as it is filled */
#include "text.h"       /* a string as a pointer and a size */
#include "dtype.h"      /* the table of number formats */
#include "half.h"       /* 16-bit floating point, bit by bit */
#include "view.h"       /* shape, stride, view: the Tensor itself */
#include "file_map.h"   /* a file as bytes in memory */
#include "file_write.h" /* files that appear whole or not at all */
#include "gguf.h"       /* the file format of models: read and write */
#include "gguf_file.h"  /* ... by its path, with all parts */
#include "pool.h"       /* threads that split outputs */
#include "real.h"       /* exp, log, cos and sin that no C library changes */
#include "rng.h"        /* randomness without hidden state */
#include "hash.h"       /* a hash of bytes */
#include "profile.h"    /* where the time of a run goes */
#include "clock.h"      /* time, and progress lines */
#include "nearest.h"    /* did you mean: the name nearest to a mistyped one */

#endif
