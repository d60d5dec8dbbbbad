/* layer6.c - what each stage of a chain leaves of the next token.  See moving.h. */
#include "moving.h"

#include <stdlib.h>
#include <string.h>

enum { PLACES = 5, ROWS = 12 };

/* The trace of the chain (trace.h), and a row for each stage: how many candidates it left. */
bool moving_chain(FILE *out, const double *at, const char *text, Fault *fault) {
    static const char *const names[PLACES + 1] = {"model", "top_k", "top_p",
                                                  "min_p", "temp",  "draw"};
    char chain[80];
    snprintf(chain, sizeof chain, "top_k:40,top_p:0.9,min_p:0.1,temp:%g,draw", at[1]);
    const char *problem = play_begin(text);
    if (!problem) problem = play_chain(chain, (unsigned)at[2]);
    if (problem) return fault_set(fault, "%s", problem);
    const char *trace = play_look(ROWS), *rows = strchr(trace, '\n');
    if (!rows) return fault_set(fault, "%s", trace);
    fputs(rows + 1, out);
    for (unsigned place = 0; place <= PLACES; place++)
        fprintf(out, "left,,%u,%s,%u,,,,,\n", place, names[place], play_left(place));
    fprintf(out, "chosen,,,,,%d,,,,\n", play_chosen());
    return true;
}
