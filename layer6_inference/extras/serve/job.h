/* job.h - a request to generate, between the thread of its connection and the one that computes.
 *
 *     connection:  job_new, answers filled --> worker_submit --> job_wait ... --> job_leave
 *     worker:                                  the answers grow --> job_leave
 *
 * A job has an answer for each text that is asked for.  The worker appends to it, the connection reads it
 * from wherever it is; `gone` tells the worker that nobody reads any more.
 *
 * Invariant: whoever reads or writes an answer's text or notes holds the job's lock; the job is freed by
 * the second of the two who leave it. */
#ifndef STRATA_JOB_H
#define STRATA_JOB_H

#include "pictures/shown.h"
#include "calls/write.h"
#include "service.h"
#include "take_back.h"

#include <pthread.h>
#include <stdatomic.h>

enum { NOTE_TOPS = 20 };

/* What is known of a token that was chosen. */
typedef struct Note {
    int32_t token;
    size_t begin;  /* bytes of the text before it */
    float logprob; /* before the chain */
    int32_t top[NOTE_TOPS];
    float top_logprob[NOTE_TOPS];
} Note;

typedef struct Job Job;

typedef struct Answer {
    Job *job;
    size_t index;
    uint64_t id; /* of all that the server was given */
    TokenList tokens, negative;
    size_t prompt; /* tokens */
    Chain chain;
    Stream stream;
    TakeBack take_back; /* texts that must not come */
    ServiceRequest request;
    uint64_t *keys; /* (vocab) to find the likeliest tokens with; NULL: not wanted */

    /* under the job's lock */
    Bytes text;
    Note *notes; /* (n_notes) when logprobs are wanted */
    size_t n_notes, notes_room;
    size_t shown,
        noted; /* bytes of the text, and notes, that may be told: up to the last step */
    /* bytes of the tokens so far, and how many of them are out, or held back by the stream */
    size_t taken, released;
    size_t count;        /* tokens so far */
    size_t chosen;       /* the same, with those that were taken back */
    size_t chosen_bytes; /* their bytes */
    bool over;
    double reported; /* when it had a token last; of the worker */
    double mean;     /* ln p of its tokens, when it is over and logprobs are kept */
    size_t counted;
} Answer;

struct Job {
    const Tokenizer *tokenizer;
    Stops stops;
    TokenList marks; /* special tokens whose names are part of the texts */
    Shown shown;     /* pictures that are held until it is over */
    bool logprobs;   /* are kept */
    size_t tops;
    Answer *answers; /* (n) */
    size_t n;
    size_t left; /* answers that are not over */
    atomic_bool gone;
    bool starved; /* memory ran out for what it says */
    int holders;
    pthread_mutex_t lock;
    pthread_cond_t changed;
    Job *next; /* in the worker's lists */
};

/* A job of n answers, held by its connection alone; NULL when memory runs out. */
Job *job_new(size_t n, const Tokenizer *tokenizer);

/* One of its holders leaves it. */
void job_leave(Job *job);

/* Wait, at most so many seconds, until something has changed.  Called with the lock held. */
void job_wait(Job *job, double seconds);

/* Let an answer's tokens and text come to the job: what its request is told by the engine. */
void answer_listen(Answer *answer);

/* ln p of a token, and of the likeliest ones as far as the answer wants them.
 *
 *   logits   (vocab) the model's, before the chain */
void note_fill(const Answer *answer, const float *logits, size_t vocab, int32_t token,
               Note *note);

/* The worker has run a step: what went out may be read. */
void answer_publish(Answer *answer);

#endif
