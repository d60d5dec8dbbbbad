/* chapters.h - the chapters of the first capstone, and what several of them use.  See judge.h. */
#ifndef STRATA_JUDGE_CHAPTERS_H
#define STRATA_JUDGE_CHAPTERS_H

#include "judge.h"

/* The chapters. */
void chapter_bytes(void);
void chapter_bigram(void);
void chapter_pairs(void);
void chapter_neuron(void);
void chapter_next(void);
void chapter_table(void);
void chapter_attention(void);
void chapter_block(void);
void chapter_gradient(void);
void chapter_adamw(void);
void chapter_train(void);
void chapter_generate(void);
void chapter_story(void);

/* The mean of -log p at these counts, in nats. */
double entropy_of(const double *count, int n);

/* Refuse a model file whose keys or tokens llama.cpp would not take. */
void judge_model_file(const char *path);

/* Refuse draws that are not by the library's probabilities; name: of the model's file. */
void judge_draws(const char *name, double temperature);

/* A file of stories, as a reply; how often each of its bytes follows each is counted. */
Reply judge_text(const char *name, int documents);
extern double followers[256][256];

/* Tales of Tiny World, from document `first` of a fresh corpus; each with its line behind it. */
void judge_stories(FILE *out, uint64_t first, int documents);

#endif
