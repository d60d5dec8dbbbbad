/* engine.h - the judge's own engine: models made at random, and their logits in double
 * precision, as slow as the formulas.  See judge.h.
 *
 * Invariant: a weight in memory is exactly the number that the file holds (rounded to its
 * format), so that what differs from these logits is the program's arithmetic. */
#ifndef STRATA_JUDGE_ENGINE_H
#define STRATA_JUDGE_ENGINE_H

#include "judge.h"

enum { ATTN_NORM, ATTN_Q, ATTN_K, ATTN_V, ATTN_OUT, FFN_NORM, GATE, UP, DOWN, Q_NORM, K_NORM };
enum { PER_BLOCK = K_NORM + 1, LAYERS = 6, PIECE = 16, TOKENS = 1024 };
enum { F32 = 0, F16 = 1, Q8_0 = 8 }; /* as GGUF numbers them */

typedef struct TestModel {
    int dim, heads, kv_heads, head_dim, hidden, layers, vocab, ctx;
    double rope_base, epsilon, spread; /* spread: deviation of the logits, about */
    int format;
    bool tied, qwen3; /* qwen3: heads are normed, and pairs are k and k + half */
    bool faint_up;    /* ffn_up is so small that scales of Q8_0 are subnormal halves */
    bool silent_end;  /* the end token has logit 0: hardly the likeliest */
    double *embedding, *end_norm, *output, *w[LAYERS][PER_BLOCK];
    int n_merges, merge[TOKENS][2], end; /* end: the token that ends and begins texts */
    bool add_bos, json_pairs;
    int marks;                          /* 1: marks of JSON are likely; 2: brackets above all */
    unsigned char bytes[TOKENS][PIECE]; /* of each token */
    int size[TOKENS];
} TestModel;

/* Sizes at random, small enough for any language; chapters change them before test_fill. */
TestModel test_sizes(void);

/* Weights and words for these sizes, and the file. */
void test_fill(TestModel *m);
void test_write(const TestModel *m, const char *name);

/* The same weights (and words) in another format. */
TestModel test_as(const TestModel *m, int format);

/* Classic mistakes that the forward pass can make. */
enum {
    NO_EPSILON = 1 << 0,
    HALVES = 1 << 1, /* pairs as the other family has them */
    BASE = 1 << 2,   /* 10000, whatever the file says */
    NO_GAIN = 1 << 3,
    SPREAD_HEADS = 1 << 4, /* head h reads key head h % kv_heads */
    NO_SCALE = 1 << 5,
    FROM_ONE = 1 << 6, /* positions count from 1: seen where keys turn otherwise than queries */
    NO_END_NORM = 1 << 7,
    SWAPPED = 1 << 8,
    BLIND = 1 << 9, /* the newest token does not see itself */
    NO_HEAD_NORMS = 1 << 10,
    TIED = 1 << 11, /* the embedding as output, although there is one */
    NO_TURN = 1 << 12,
    FORGETFUL = 1 << 13,  /* sees the last 16 tokens */
    CAPPED = 1 << 14,     /* positions beyond 16 turn no further */
    STILL_KEYS = 1 << 15, /* only queries turn: seen where there are fewer heads of keys */
    WIDE_SCALE = 1 << 16, /* scores over the root of the row's width, not of a head's size */
};
extern int engine_way;

/* What was read so far, and the logits of what comes next (vocab). */
typedef struct Reading {
    const TestModel *m;
    int n;
    double *keys, *values, *logits; /* (layers, ctx, kv_heads * head_dim) */
} Reading;

Reading reading_begin(const TestModel *m);
void reading_take(Reading *r, int token);
void reading_end(Reading *r);

/* p = softmax(logits / temperature) */
void chances(const double *logits, int n, double temperature, double *p);
int likeliest(const double *x, int n);
int drawn(const double *p, int n);

/* A GGUF file being written; in gguf.c. */
typedef struct Out Out;
Out *out_open(const char *name, unsigned alignment);
void out_int(Out *out, const char *key, int type, long long value);
void out_float(Out *out, const char *key, double value);
void out_text(Out *out, const char *key, const char *value);
void out_array(Out *out, const char *key, int type, int n); /* n items must follow: */
void out_item_text(Out *out, const void *bytes, size_t size);
void out_item_int(Out *out, int type, long long value);
void out_tensor(Out *out, const char *name, int format, int rows, int cols, const double *x);
void out_depth(Out *out, int depth); /* of the last tensor: (depth, rows / depth, cols) */
void out_scatter(Out *out);          /* numbers in another order than entries, with gaps */
void out_close(Out *out);
double rounded(double x, int format, double scale); /* scale: of its block of Q8_0 */
double block_scale(const double *x);                /* of 32 numbers */
void round_rows(double *x, int n, int format);

/* `logits MODEL` on random tokens, compared; 1e-4 of the largest is near. */
void need_logits(const TestModel *m, const char *name, int n);

/* `generate` on a text of so many random words, compared with the judge's own: n tokens, or
 * fewer where the text `ends`. */
void need_text(TestModel *m, const char *name, int words, int n, bool ends);

/* A text of random words of the model, in the file `name` (a hundred words or more: some are
 * long); its tokens by the library. */
int random_text(const TestModel *m, const char *name, const char *model, int words, int *ids);

int text_tokens(const char *name, const char *model, int *ids);

void chapter_read(void);
void chapter_words(void);
void chapter_logits(void);
void chapter_greedy(void);
void chapter_cache(void);
void chapter_q8(void);
void chapter_product(void);
void chapter_threads(void);
void chapter_samplers(void);
void chapter_batch(void);
void chapter_speculation(void);
void chapter_json(void);
void chapter_family(void);

/* Refuse tokens that are not the likeliest by the judge's engine; what: begins the sentence. */
void need_greedy(const char *what, const TestModel *m, const int *prompt, int n_prompt,
                 const double *got, size_t n_got, size_t wanted);

void write_ids(FILE *in, const int *ids, int n);
void swap_end(TestModel *m, int token); /* that token is the end from now on */
int some_ids(const TestModel *m, int *ids, int n);

#endif
