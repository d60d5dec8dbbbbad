/* study.h - texts that chains make of the same openings, and a table of what they are like.
 *
 * Every thread has an engine with a session of its own and writes AT_ONCE texts in a batch; the next
 * one that nobody has begun takes the place of one that is over.
 *
 * Invariant: a text depends on its chain, its opening and the seed, not on who writes it. */
#ifndef STRATA_STUDY_H
#define STRATA_STUDY_H

#include "compute.h"

#include <stdatomic.h>

enum { MOST_CHAINS = 128 };

typedef struct Job {
    const char *model, *prompt, *csv, *amateur;
    const char *chains[MOST_CHAINS];
    size_t n_chains;
    const CommandLine *line;
    long documents, seeds, words, most;
    uint64_t seed;
    Machine machine;
} Job;

/* One text and what the model thought of it. */
typedef struct Sample {
    WorldText text;
    WorldVerdict verdict;
    size_t tokens;
    double surprise, entropy, seconds; /* sums over tokens, in nats */
} Sample;

typedef struct Study {
    const Job *job;
    Model model, amateur;
    World *world;
    Sample *samples; /* (chains, texts) */
    FileOut csv;
    size_t texts; /* for each chain */
    atomic_size_t next, done;
    atomic_bool failed;
    Fault fault;
} Study;

/* Write all texts, on so many threads. */
bool study_write(Study *study, int threads, Fault *fault);

/* Print the table of all chains, and write it to a file when that is asked for. */
bool study_report(Study *study, Fault *fault);

#endif
