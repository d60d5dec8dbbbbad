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

/* The first words of a story, and a story's last two paragraphs without the last period, after
 * which it ends soon: only letters, spaces, commas, newlines and periods, so that a shell takes
 * them in double quotes. */
void judge_opening(uint64_t index, char *out, size_t size);
void judge_last_words(char *out, size_t size);

/* Refuse a model file whose keys or tokens llama.cpp would not take. */
void judge_model_file(const char *path);

/* Refuse losses in bits: those printed, and nats per token as the library measures them. */
void judge_unit(const char *name, Reply losses, double nats);
/* Refuse a model that expects a newline before the end of a story. */
void judge_story_ends(const char *name);
/* Refuse a model with a tensor that is what it was after a shorter training, or a multiple. */
void judge_all_learn(const char *longer, const char *shorter);

/* Stories with texts of signs of two kinds between them. */
void judge_stories_and_signs(FILE *out, uint64_t first, int stories);
/* How far training has moved the kinds' rows of the table apart, between two models: 1 is chance;
 * a table that is not in F32 counts as infinitely far. */
double judge_kinds_apart(const char *longer, const char *shorter);

/* Refuse draws that are not by the library's probabilities; name: of the model's file. */
void judge_draws(const char *name, double temperature);
/* The same of the second and third tokens. */
void judge_later(const char *name, double temperature, const char *prompt);
/* The first with a copy of the model in which the end token is likely. */
void judge_end(const char *name);

/* A file of stories, as a reply; how often each of its bytes follows each is counted. */
Reply judge_text(const char *name, int documents);
/* The same of a few letters, the last of which is nowhere else. */
Reply judge_ring(const char *name);
extern double followers[256][256];

/* Tales of Tiny World, from document `first` of a fresh corpus; each with its line behind it. */
void judge_stories(FILE *out, uint64_t first, int documents);

#endif
