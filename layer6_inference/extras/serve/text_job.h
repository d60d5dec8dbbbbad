/* text_job.h - what a request for texts has become: checked, tokenized, ready for the worker.
 *
 * Invariant: whatever can be known to be wrong with a request is known before it joins the queue. */
#ifndef STRATA_TEXT_JOB_H
#define STRATA_TEXT_JOB_H

#include "request.h"
#include "json.h"
#include "template.h"

/* What the model thought of a prompt's tokens. */
typedef struct Scores {
    /* (count) owns; the first has no ln p, unless something that is not shown comes before it */
    Note *notes;
    size_t count;
    bool first_is_known;
} Scores;

typedef struct TextJob {
    Server *server;
    RequestFields fields;
    Job *job; /* prompts * n answers; held */
    bool chat, stream, usage;
    bool calls;         /* its texts may hold calls of tools */
    bool logprobs;      /* are told */
    size_t n, reported; /* answers of each prompt; the likeliest `told` of them are told */
    uint64_t salt;      /* of the prefixes it may share */
    uint64_t user;      /* whose requests take turns: those of its key; 0 without keys */
    char id[40];
    long created;
    double began;   /* when it came */
    Bytes *prompts; /* (job->n / n) as texts, with echo; owns */
    Scores *scores; /* (job->n / n) with echo and logprobs; owns */
} TextJob;

/* Read a call's body and make a job of it.  text_job_close may be called when that fails, too. */
bool text_job_open(TextJob *text, const HttpRequest *request, int where, HttpError *error);
void text_job_close(TextJob *text);

/* The text that an answer goes on from; empty without echo. */
Text echoed(const TextJob *text, const Answer *answer);

/* Read the prompts for their tokens' ln p, where they are asked for (scores.c). */
bool scores_read(TextJob *text, HttpError *error);
void scores_free(Scores *scores);

/* Why an answer is over, in OpenAI's words; NULL: it failed. */
const char *finish_reason(const Answer *answer);

/* ------------------------------------------------------------------ prompts (prompts.c) */

/* The tokens of a list of prompts: of the chat alone, or each of a completion's. */
typedef struct Prompts {
    TokenList *lists; /* (count) owns */
    size_t count;
    Shown shown;         /* the pictures of a chat; held */
    uint64_t user, salt; /* of these */
} Prompts;

bool prompts_read(const RequestFields *fields, const Server *server, Prompts *prompts,
                  HttpError *error);
void prompts_free(Prompts *prompts);

/* OpenAI's four shapes: a text, several, tokens, several of them.
 *
 *   most   how many there may be */
bool prompts_read_shapes(const JsonValue *value, const char *field, size_t most,
                         const Server *server, Prompts *prompts, HttpError *error);

/* ------------------------------------------------------------------ messages (messages.c) */

/* The conversation of a request as the template's text, with a PICTURE_BYTE for each picture.
 *
 *   prompts   the pictures join those that it shows */
bool messages_render(const RequestFields *fields, const Server *server, bool open,
                     Prompts *prompts, Rendered *rendered, HttpError *error);

#endif
