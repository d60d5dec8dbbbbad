/* tensor_print.h - a tensor as readable text. */
#ifndef STRATA_TENSOR_PRINT_H
#define STRATA_TENSOR_PRINT_H

#include "view.h"

#include <stdio.h>

/* `F32 (2, 3)`, then the numbers in rows; the middle of long dimensions is left out. */
void tensor_print(const Tensor *tensor, FILE *out);

#endif
