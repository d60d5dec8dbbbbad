/* input.h - standard input as a whole or line by line. */
#ifndef STRATA_INPUT_H
#define STRATA_INPUT_H

#include "inference.h"

#include <stdio.h>

/* All of a file that is read once, into fresh memory (free it); NULL when memory runs out. */
char *read_all(FILE *file, size_t *size);

#endif
