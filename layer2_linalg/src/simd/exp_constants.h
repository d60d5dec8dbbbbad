/* exp_constants.h - the constants of vector_exp, shared by all versions so that they agree to
 * the bit.  The polynomial is the Taylor series of exp; its last two coefficients are adjusted
 * to spread the error over [-ln 2 / 2, ln 2 / 2]. */
#ifndef STRATA_EXP_CONSTANTS_H
#define STRATA_EXP_CONSTANTS_H

#define EXP_HIGHEST  89.0f   /* above, exp is infinity */
#define EXP_LOWEST   -104.0f /* below, exp is 0 */
#define EXP_LOG2E    1.44269504f
#define EXP_ROUND    0x1.8p23f    /* adding and subtracting it rounds to the nearest integer */
#define EXP_LN2_HIGH 0x1.62e4p-1f /* 15 bits of ln 2: m * high is exact */
#define EXP_LN2_LOW  1.42860677e-6f /* the rest */
#define EXP_C2       0.5f
#define EXP_C3       0.166666672f
#define EXP_C4       0.0416664667f
#define EXP_C5       0.00833337288f
#define EXP_C6       0.00139243889f

#endif
