/* job.h - a request to generate, shared by its connection's thread and the worker.
 *
 *     connection:  job_new, answers filled --> worker_submit --> job_wait ... --> job_leave
 *     worker:                                  the answers grow --> job_leave
 *
 * A job has an answer for each requested text.  The worker appends to it, and the connection
 * reads it at its own pace; `gone` tells the worker that the client has disconnected.
 *
 * Invariant: an answer's text and notes are accessed under the job's lock; the second holder
 * to leave frees the job. */
#ifndef STRATA_JOB_H
#define STRATA_JOB_H

#include "pictures/shown.h"
#include "calls/write.h"
#include "lora.h"
#include "service.h"
#include "speculate.h"
#include "take_back.h"

#include <pthread.h>
#include <stdatomic.h>

enum { NOTE_TOPS = 20 };

/* Bytes of an answer that memory_limit.h need not know of: there are slots for few of them. */
enum { ANSWER_FREE = 64 << 10 };

/* What is known of a chosen token. */
typedef struct Note {
    int32_t token;
    size_t begin;  /* offset of its text */
    float logprob; /* before the chain */
    int32_t top[NOTE_TOPS];
    float top_logprob[NOTE_TOPS];
} Note;

typedef struct Job Job;

typedef struct Answer {
    Job *job;
    size_t index;
    uint64_t id; /* unique within the server */
    TokenList tokens, negative;
    size_t prompt; /* tokens */
    Chain chain;
    Stream stream;
    TakeBack take_back; /* banned texts */
    Speculation speculation;
    ServiceRequest request;
    size_t continued;    /* last tokens of the prompt that belong to the answer (continued.h) */
    struct Steps *steps; /* watches the chain (steps.h); owns; NULL: not requested */
    uint64_t *keys;      /* (vocab) scratch for the likeliest tokens; NULL: not requested */

    /* guarded by the job's lock */
    Bytes text;
    Note *notes;                            /* (n_notes) with logprobs */
    size_t n_notes, notes_room, notes_held; /* held: bytes, by memory_limit.h */
    size_t shown,
        noted; /* bytes of text, and notes, that may be reported: up to the last step */
    /* bytes of all tokens so far, and how many of them the stream has flushed */
    size_t taken, released;
    size_t count;        /* tokens so far */
    size_t chosen;       /* the same, rolled-back tokens included */
    size_t chosen_bytes; /* bytes of the tokens so far */
    bool over;
    double reported; /* time of the last token; used by the worker */
    double mean;     /* mean ln p of its tokens, when it is over and has logprobs */
    size_t counted;
} Answer;

struct Job {
    const Tokenizer *tokenizer;
    Stops stops;
    TokenList marks; /* special tokens that are part of the texts */
    TokenList ends;  /* tokens that end the texts, besides the model's */
    Shown shown;     /* images, held until it is over */
    LoraChoice lora; /* adapters of its texts */
    bool logprobs;   /* requested */
    size_t tops;
    Answer *answers; /* (n) */
    size_t n;
    size_t left; /* unfinished answers */
    atomic_bool gone;
    bool starved; /* no memory for its text */
    int holders;
    pthread_mutex_t lock;
    pthread_cond_t changed;
    Job *next; /* in the worker's lists */
};

/* A job of n answers, held by its connection; NULL: no memory. */
Job *job_new(size_t n, const Tokenizer *tokenizer);

/* One of its holders leaves it. */
void job_leave(Job *job);

/* Wait at most so many seconds for a change.  Called with the lock held. */
void job_wait(Job *job, double seconds);

/* Connect an answer's request to the job: its tokens and text arrive there. */
void answer_listen(Answer *answer);

/* ln p of a token, and of the likeliest ones if the answer reports them.
 *
 *   logits   (vocab) the model's, before the chain */
void note_fill(const Answer *answer, const float *logits, size_t vocab, int32_t token,
               Note *note);

/* After a step of the worker: flushed text may be read. */
void answer_publish(Answer *answer);

#endif
