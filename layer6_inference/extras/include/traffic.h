/* traffic.h - who comes when, with how long a prompt, for how long an answer.
 *
 * A trace is a table with a line for each request, in order of arrival:
 *
 *     arrival,prompt,answer,priority,user
 *     0.000000,57,80,0,0
 *     0.413207,12,33,1,0
 *
 * Invariant: arrivals never go back, prompts and answers have a token at least; the same shape and
 * seed make the same traffic. */
#ifndef STRATA_TRAFFIC_H
#define STRATA_TRAFFIC_H

#include "models.h"

#include <stdio.h>

typedef struct Visit {
    double arrival;        /* seconds */
    size_t prompt, answer; /* tokens */
    int priority;
    uint32_t user; /* 0: somebody who sends nothing else */
} Visit;

typedef struct Traffic {
    Visit *visits; /* (count); owns */
    size_t count;
} Traffic;

/* What made traffic is like: lengths differ from half to one and a half times their mean. */
typedef struct TrafficShape {
    size_t count;
    double rate;           /* requests a second, on average; 0: all come at once */
    size_t burst;          /* that come together; 0 or 1: each for itself (Poisson) */
    size_t prompt, answer; /* tokens, on average */
    double urgent;         /* share of requests of priority 1 */
    double heavy;          /* of the rate, requests of user 1, who is never urgent */
    size_t heavy_prompt;   /* tokens of his prompts, on average */
    uint64_t seed;
} TrafficShape;

/* Fails when memory runs out. */
bool traffic_make(Traffic *traffic, const TrafficShape *shape, Fault *fault);

/* Read a trace; the first line names the columns, priority and user may be missing.
 *
 * Fails on what is no such table, with the line. */
bool traffic_read(Traffic *traffic, Text text, Fault *fault);

void traffic_write(const Traffic *traffic, FILE *out);
void traffic_free(Traffic *traffic);

#endif
