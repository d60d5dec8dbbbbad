/* signs.h - the signs of the IQ2 and IQ3 formats. */
#ifndef STRATA_SIGNS_H
#define STRATA_SIGNS_H

#include <stdint.h>

/* Eight signs from seven bits: the number of minuses is even. */
uint8_t even_signs(unsigned seven);

#endif
