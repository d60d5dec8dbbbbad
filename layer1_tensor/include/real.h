/* real.h - exp, log, cos and sin of doubles, from operations that IEEE 754 rounds exactly:
 * libm's last bits differ between C libraries.
 *
 * Invariant: errors below 1e-15, of the result or (real_turn) of 1 [reals_are_close]; the same
 * bits everywhere [reals_have_these_bits]. */
#ifndef STRATA_REAL_H
#define STRATA_REAL_H

double real_exp(double x);                                  /* clamped to -700 .. 700 */
double real_log(double x);                                  /* normal, above 0 */
void real_turn(double angle, double *cosine, double *sine); /* up to a million radians */

#endif
