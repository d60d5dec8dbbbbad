/* tensor_print.h - a tensor for a person to read. */
#ifndef STRATA_TENSOR_PRINT_H
#define STRATA_TENSOR_PRINT_H

#include "view.h"

#include <stdio.h>

/* For a person: `F32 (2, 3)`, then the numbers in rows, long dimensions with their middle left
 * out. */
void tensor_print(const Tensor *tensor, FILE *out);

#endif
