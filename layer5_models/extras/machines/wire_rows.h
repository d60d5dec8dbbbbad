/* wire_rows.h - rows of numbers in messages: as they are, or as halves; private.
 *
 *     f32    x0 x1 x2 ...            4 bytes each
 *     f16    2^e | h0 h1 h2 ...      x = 2^e h: 2 bytes each, and 4 for a row
 *
 * The exponent is such that the largest number of a row lies between 2^14 and 2^15: so none
 * overflows, whatever its size, and each is off by 2^-11 of itself at most, or by 2^-39 of the
 * row's largest [halves_are_near].  A row of odd length is padded
 * with one more. */
#ifndef STRATA_WIRE_ROWS_H
#define STRATA_WIRE_ROWS_H

#include "group.h"

/* Bytes of some rows. */
size_t wire_bytes(bool half, size_t rows, size_t width);

/* Write x (rows, width) to bytes, and read it. */
void wire_write(bool half, const float *x, size_t rows, size_t width, unsigned char *bytes);
void wire_read(bool half, const unsigned char *bytes, size_t rows, size_t width, float *x);

/* Append x (rows, width) to a message.  Fails when memory is short. */
bool message_add_rows(GroupMessage *message, bool half, const float *x, size_t rows,
                      size_t width, Fault *fault);

#endif
