/* study.h - texts that chains make of the same openings, and a table of what they are like.
 *
 * The texts of all chains are sequences of one engine, up to AT_ONCE in a batch; the next one takes the
 * place of one that is over.
 *
 * Invariant: a text depends on its chain, its opening and the seed, not on those beside it. */
#ifndef STRATA_STUDY_H
#define STRATA_STUDY_H

#include "compute.h"

enum { MAX_CHAINS = 128 };

typedef struct Job {
    const char *model, *prompt, *csv, *amateur;
    const char *chains[MAX_CHAINS];
    size_t n_chains;
    const CommandLine *line;
    long documents, seeds, words, max_tokens;
    uint64_t seed;
    ComputeOptions compute;
} Job;

/* One text and what the model thought of it. */
typedef struct Sample {
    WorldText text;
    WorldVerdict verdict;
    size_t tokens;
    double surprisal, entropy, seconds; /* sums over tokens, in nats */
} Sample;

typedef struct Study {
    const Job *job;
    Model model, amateur;
    World *world;
    Sample *samples; /* (chains, texts) */
    FileOut csv;
    size_t texts; /* for each chain */
} Study;

/* Write all texts. */
bool study_write(Study *study, Fault *fault);

/* Print the table of all chains, and write it to a file when that is asked for. */
bool study_report(Study *study, Fault *fault);

#endif
