/* next.h - what the library expects next after some tokens of a model.  See judge.h. */
#ifndef STRATA_JUDGE_NEXT_H
#define STRATA_JUDGE_NEXT_H

#include "chapters.h"

enum { MOST_TOKENS = 4096 };

typedef struct Next {
    Model model;
    Session session;
    Tokenizer *tokenizer;
    int vocab, end; /* end: the token that ends texts */
    TokenList prompt;
} Next;

/* Open a model and read a prompt; a model that cannot be read is refused.  next_close frees. */
void next_open(Next *next, const char *name, const char *prompt);
void next_close(Next *next);

/* Probabilities (vocab) of what follows the tokens read, at a temperature. */
void next_chances(const Next *next, double temperature, double *p);

/* Read one more token; forget the tokens from `length` on. */
void next_read(Next *next, int token);
void next_rewind(Next *next, size_t length);

/* The bytes of a token; none for the end token. */
Text next_bytes(const Next *next, int token);

/* The tokens from the likeliest on. */
void next_order(const double *p, int vocab, int *order);

/* What the program puts behind a prompt, with n tokens and a seed of its own. */
Text next_drawn(const char *name, int n, double temperature, const char *prompt);

#endif
