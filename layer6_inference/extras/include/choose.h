/* choose.h - one of several texts: the answer that most of them give, or the text that agrees
 * most with all others.
 *
 *     "... so it is 12."   "12."   "I get 12."   "14."      vote: 12, with 3 of 4
 *
 * The likeliest text need not be the likeliest answer: many texts may lead to the same one.
 *
 * Invariant: of equals the first is chosen; nothing here is random [votes_are_counted].
 * Source   voting: Wang et al. 2022, arXiv:2203.11171; minimum Bayes risk: Kumar & Byrne 2004,
 *          for samples of neural models: Eikema & Aziz 2020, arXiv:2005.10283. */
#ifndef STRATA_CHOOSE_H
#define STRATA_CHOOSE_H

#include "text.h"

#include <stdbool.h>

/* The answer in a text: what stands at the * of a pattern such as "named *.", where the pattern
 * occurs last.  With nothing after the * it ends with its line.  Spaces around it are cut.
 *
 *   pattern   with one *; NULL: the whole text is its answer
 *
 * data is NULL if the pattern does not occur. */
Text choose_answer(Text text, const char *pattern);

/* Count answer `at` among those before it: votes[i] = how many of answers[0 .. at] equal answer
 * i, itself included; 0 for one whose data is NULL. */
void choose_add_vote(const Text *answers, size_t at, size_t *votes);

/* The first answer with the most votes. */
size_t choose_vote(const size_t *votes, size_t n);

/* How sure is it that the first of two answers is the more common one, after so many votes for
 * each?  P(share > 1/2) under Beta(first + 1, second + 1), the posterior of a uniform prior.
 * Source   Aggarwal et al. 2023, arXiv:2305.11860. */
double choose_confidence(size_t first, size_t second);

/* utility[i] = the mean of chrF(text i, text k) over all other k: its expected utility if the
 * others are samples of what may be right.  *best is the first with the largest.
 *
 * False without memory. */
bool choose_agreement(const Text *texts, size_t n, double *utility, size_t *best);

#endif
