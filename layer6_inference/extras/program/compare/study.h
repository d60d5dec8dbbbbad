/* study.h - texts that chains tell from the same openings, the true documents beside them,
 * and what both say about each chain.
 *
 *     openings.c   the first words of true documents of Tiny World; or prompts of the user
 *     write.c      each chain tells a text from each opening
 *     truth.c      each chain is asked how likely it was to tell the true document instead
 *     measure.c    measures, with intervals; estimate.c has the statistics
 *     table.c      as columns, JSON and CSV; page.c and plot.c: as a page
 *
 * The texts of all chains are sequences of one engine, up to AT_ONCE in a batch; the next
 * one takes the place of one that is over.
 *
 * Invariant: a text depends on its chain, its opening and the seed, not on those beside it. */
#ifndef STRATA_STUDY_H
#define STRATA_STUDY_H

#include "world_check.h"
#include "compute.h"
#include "steering.h"

enum { MAX_CHAINS = 128, MAX_CTX = 1024 /* of a text */ };

typedef struct CompareJob {
    const char *model, *prompt, *prompts, *csv, *html, *amateur;
    const char *chains[MAX_CHAINS];
    size_t n_chains;
    long documents, seeds, words, max_tokens, sample;
    uint64_t seed;
    bool json;
    ComputeOptions compute;
    SteeringOptions steering; /* on the model, not on the amateur */
} CompareJob;

typedef struct Opening {
    WorldText text;   /* of a true document, all of it; of a prompt, the prompt */
    size_t line;      /* of the file of prompts; 0: it stands in none */
    size_t end;       /* bytes of the opening */
    TokenList tokens; /* the token that begins a text, then the opening's */
    double nats;      /* -ln p of the true document under the world, given the opening */
    double unlikely;  /* -ln p of all documents that begin so */
} Opening;

/* A text and its scores. */
typedef struct Sample {
    WorldText text;
    WorldVerdict verdict;
    bool right;                         /* a document of the world, told to its end */
    int32_t *ids;                       /* (begun + tokens) owns */
    size_t tokens, begun;               /* generated; of the opening */
    double surprisal, entropy, seconds; /* sums over tokens, in nats */
    double nats;                        /* -ln p of the text under its chain, its end too */
    double repetition;                  /* share of its 4-grams that stood in it before */
} Sample;

/* A true document under a chain. */
typedef struct Truth {
    bool kept;   /* none of its tokens is cut */
    double nats; /* -ln p under the chain, given the opening; infinity when a token is cut */
} Truth;

typedef struct Study {
    const CompareJob *job;
    Model model, amateur;
    World *world;      /* NULL: the openings are the user's */
    Opening *openings; /* (n_openings) */
    Sample *samples;   /* (chains, texts): texts / n_openings of each opening */
    Truth *truth;      /* (chains, n_openings); NULL without a world */
    FileOut csv, html;
    size_t n_openings, texts; /* for each chain */
    bool guided;              /* some chain has cfg */
} Study;

/* The first words of documents that no model has seen, or the user's prompts. */
bool study_openings(Study *study, Fault *fault);

/* Write all texts. */
bool study_write(Study *study, Fault *fault);

/* Ask every chain for the true documents. */
bool study_truth(Study *study, Fault *fault);

/* Print the results, and write the requested files. */
bool study_report(Study *study, Fault *fault);

/* A session that the model, or the amateur, reads texts in. */
bool study_session(Session *session, const Study *study, const Model *model, size_t sequences,
                   size_t max_logits, Fault *fault);

/* ln p of the token that a chain chose, or could have chosen, after its last stage. */
double chain_ln_p(const Chain *chain, Candidates *after, int32_t token);

#endif
