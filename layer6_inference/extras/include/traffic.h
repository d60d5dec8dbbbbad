/* traffic.h - requests: when they arrive, and how long their prompts and answers are.
 *
 * A trace is a table with a line for each request, in order of arrival:
 *
 *     arrival,prompt,answer,priority,user
 *     0.000000,57,80,0,0
 *     0.413207,12,33,1,0
 *
 * Invariant: arrivals never decrease, prompts and answers have at least one token; the same
 * shape and seed give the same traffic [the_same_traffic_is_served_alike]. */
#ifndef STRATA_TRAFFIC_H
#define STRATA_TRAFFIC_H

#include "models.h"

#include <stdio.h>

typedef struct Visit {
    double arrival;        /* seconds */
    size_t prompt, answer; /* tokens */
    int priority;
    uint32_t user; /* 0: a new user for every request */
} Visit;

typedef struct Traffic {
    Visit *visits; /* (count); owns */
    size_t count;
} Traffic;

/* Shape of generated traffic: lengths vary between half and one and a half times their mean. */
typedef struct TrafficShape {
    size_t count;
    double rate;           /* requests a second, on average; 0: all arrive at once */
    size_t burst;          /* requests per burst; 0 or 1: single arrivals (Poisson) */
    size_t prompt, answer; /* mean tokens */
    double urgent;         /* share of requests of priority 1 */
    double heavy;          /* requests a second of user 1, who is never urgent */
    size_t heavy_prompt;   /* mean prompt tokens of user 1 */
    uint64_t seed;
} TrafficShape;

/* Fails without memory. */
bool traffic_make(Traffic *traffic, const TrafficShape *shape, Fault *fault);

/* Read a trace; the first line names the columns, priority and user may be missing.
 *
 * Fails on anything else, naming the line. */
bool traffic_read(Traffic *traffic, Text text, Fault *fault);

void traffic_write(const Traffic *traffic, FILE *out);
void traffic_free(Traffic *traffic);

#endif
