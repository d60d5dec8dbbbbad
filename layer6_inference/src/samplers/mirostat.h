/* mirostat.h - the controller that both versions of Mirostat share: its row is mu. */
#ifndef STRATA_MIROSTAT_H
#define STRATA_MIROSTAT_H

#include "stage.h"

enum { MIROSTAT_TAU, MIROSTAT_ETA }; /* the first parameters of both */

void mirostat_begin(const Stage *stage, double *row);
void mirostat_draw(Stage *stage, Candidates *candidates, const Step *step);
void mirostat_accept(const Stage *stage, int32_t token, double *row);

#endif
