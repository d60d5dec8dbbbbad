/* best_of.h - n samples of one prompt, and one of them: the likeliest, or the winner of a vote.
 *
 *     prompt -- read once, its pages shared
 *        |-- sample 1   seed         |
 *        |-- sample 2   seed + 1     |  at_once of them in a batch; when one is over, the next
 *        '-- sample 3   seed + 2     |  takes its place
 *
 * With the stage arithmetic at the end of the chain, sample i draws with code (i / n + a common
 * shift) mod 1 instead: each is distributed as before, but all together they spread out.
 *
 * Invariant: which sample is chosen depends on their printed parts and ends alone, and with
 * `confidence` on the first `count` of them, however many were drawn at once
 * [a_vote_ends_early]. */
#ifndef STRATA_BEST_OF_H
#define STRATA_BEST_OF_H

#include "generate.h"

typedef enum ChooseBy { BY_LIKELIHOOD, BY_VOTE, BY_MBR } ChooseBy;

/* "likelihood", "vote", "mbr" (minimum Bayes risk).  Fails on other names, listing them. */
bool choose_by_read(const char *name, ChooseBy *by, Fault *fault);

typedef struct BestOfOptions {
    size_t n, at_once; /* at_once: the session has sequences for them */
    ChooseBy by;       /* likelihood: the mean of ln p over the printed tokens */
    bool keep_all;     /* keep the tokens of all samples; else of the chosen one */
    /* of a vote: where the answer is (choose.h), and stop as soon as the leader wins with this
     * probability if drawing went on; 0: draw all n */
    const char *answer;
    double confidence;
    /* the chain, limits and hooks of a sample; `stream` is not used.  The time limit covers all
     * samples.  on_read and on_choice are called as in generate */
    const GenerateOptions *each;
    void (*on_end)(void *context, size_t ended); /* a sample is over; or NULL */
    void *context;
    const Stops *stops; /* or NULL */
} BestOfOptions;

typedef struct BestOfSample {
    TokenList tokens; /* generated; empty if they were not kept */
    char *text;       /* printed (size); NULL if it was not kept */
    size_t size;
    uint64_t seed;
    double mean;    /* of ln p; -infinity if nothing was printed */
    double utility; /* mean chrF with the others, or votes */
    GenerateResult result;
} BestOfSample;

typedef struct BestOfResult {
    BestOfSample *samples; /* (count) in the order of their seeds */
    size_t count, chosen;
    size_t tokens;     /* of all samples, those included that came too late to count */
    double confidence; /* of a vote: of the winner before the second */
} BestOfResult;

/* Draw samples with seeds seed, seed + 1, ... and choose one of them.  Free the result even if
 * this fails.
 *
 * Fails if a sample does, and when no sample has an answer. */
bool best_of(Session *session, const TokenList *prompt, const BestOfOptions *options,
             BestOfResult *result, Fault *fault);
void best_of_free(BestOfResult *result);

#endif
