/* judge.h - tests a learner's program from outside: its input, its output, the verdict.
 *
 *     Reply r = ask("neuron %d %g", steps, rate);       the program with these arguments, after
 *     need(r.n == 5, "print ...");                      input("in") has written its standard input
 *
 * A capstone has a table judge_chapters of its own, one function each.
 *
 * Invariant: every input is generated from the seed, so that no answer can be known beforehand;
 * all files stay in one folder for the learner to look at. */
#ifndef STRATA_JUDGE_H
#define STRATA_JUDGE_H

#include "models.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What the program wrote; valid until the judge ends. */
typedef struct Reply {
    char *text; /* NUL-terminated */
    size_t size;
    double *numbers; /* every word of the text that is a number */
    size_t n;
    double seconds; /* of the processor, over all threads */
    double clock;   /* seconds by the clock */
    int threads;    /* the most that were seen at once; 0 where /proc does not tell */
} Reply;

/* Random choices that follow the seed. */
uint64_t judge_seed(void);
double judge_uniform(void);           /* [0, 1) */
int judge_between(int low, int high); /* low .. high */
double judge_normal(void);
void judge_fill(double *x, size_t n, double deviation);

const char *judge_path(const char *name); /* in the folder; static memory, four at a time */
FILE *judge_input(const char *name);      /* that file, to be written; "in" is standard input */
void judge_numbers(FILE *in, const double *x, size_t n);

/* Run the learner's program; the arguments are given as to printf and read by a shell.  Ends the
 * judge when the program does not end well. */
Reply ask(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* Whether it ends with an error: a status of 1 to 127. */
bool ask_fails(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* For the next questions: seconds of computing, of each thread; four times that by the clock. */
void judge_limit(double seconds);

/* Run any command and keep what it wrote. */
Reply judge_command(const char *command, int *status);

/* The library's program with these arguments: build/bin/strata, or what STRATA says. */
Reply judge_strata(int *status, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Not yet: say why, and end. */
void refuse(const char *format, ...) __attribute__((format(printf, 1, 2), noreturn));
#define need(holds, ...)                   \
    do {                                   \
        if (!(holds)) refuse(__VA_ARGS__); \
    } while (0)

/* Whether all numbers are near: within a thousandth of the largest. */
bool alike(const double *got, const double *want, size_t n);
/* The same for each row of so many columns by itself: small rows count as large ones do. */
bool alike_rows(const double *got, const double *want, size_t n, int cols);

/* Could these counts come from those odds?  The chi-square as a standard normal number: a right
 * program has 5.2 once in ten millions. */
double odds_apart(const double *p, const long *count, int n);
/* Refuse the draws when they could not. */
void need_odds(const char *what, const double *p, const long *count, int n);

/* The number behind a word of the reply; NAN when it is not there. */
double named(Reply reply, const char *word);

/* A byte as GPT-2 writes it; bytes that cannot be seen are the letters from U+0100 on. */
int judge_letter(int byte);

/* A wrong way to compute, and what is said when it gives what the program printed. */
typedef struct Mistake {
    int flag;
    const char *hint;
} Mistake;

/* What each chapter asks; NULL ends the table. */
extern void (*const judge_chapters[])(void);

#endif
