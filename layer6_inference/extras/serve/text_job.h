/* text_job.h - a request for texts: checked, tokenized, ready for the worker.
 *
 * Invariant: everything wrong with a request is found before it joins the queue. */
#ifndef STRATA_TEXT_JOB_H
#define STRATA_TEXT_JOB_H

#include "request.h"
#include "json.h"
#include "template.h"

/* Log-probabilities of a prompt's tokens. */
typedef struct Scores {
    /* (count) owns; the first has none, unless a hidden token comes before it */
    Note *notes;
    size_t count;
    bool first_is_known;
} Scores;

typedef struct TextJob {
    Server *server;
    RequestFields fields;
    Job *job; /* prompts * n answers; held */
    bool chat, stream, usage;
    bool calls;         /* its texts may have tool calls */
    bool logprobs;      /* are reported */
    size_t n, reported; /* answers per prompt, and how many of them are returned */
    uint64_t salt;      /* separates prefix caches */
    uint64_t user;      /* user for fair queueing: its key; 0 without keys */
    char id[40];
    long created;
    double began;   /* time of arrival */
    Bytes *prompts; /* (job->n / n) texts for echo; owns */
    Scores *scores; /* (job->n / n) for echo with logprobs; owns */
} TextJob;

/* Make a job of a request's body.  Call text_job_close even if this fails. */
bool text_job_open(TextJob *text, const HttpRequest *request, int where, HttpError *error);
void text_job_close(TextJob *text);

/* The prompt to repeat before an answer; empty without echo. */
Text echoed(const TextJob *text, const Answer *answer);

/* Evaluate the prompts for their tokens' ln p, if requested (scores.c). */
bool scores_read(TextJob *text, HttpError *error);
void scores_free(Scores *scores);

/* finish_reason in OpenAI's words; NULL: it failed. */
const char *finish_reason(const Answer *answer);

/* ------------------------------------------------------------------ prompts (prompts.c) */

/* Tokens of the prompts: of a chat, or of a completion's prompts. */
typedef struct Prompts {
    TokenList *lists; /* (count) owns */
    size_t count;
    Shown shown;         /* images of a chat; held */
    uint64_t user, salt; /* owner of these */
} Prompts;

/* Append an array of token ids. */
bool prompts_read_ids(const JsonValue *value, const char *field, const Server *server,
                      TokenList *list, HttpError *error);

bool prompts_read(const RequestFields *fields, const Server *server, Prompts *prompts,
                  HttpError *error);
void prompts_free(Prompts *prompts);

/* OpenAI's four shapes: a string, strings, token ids, arrays of token ids.
 *
 *   most   maximum number of prompts */
bool prompts_read_shapes(const JsonValue *value, const char *field, size_t most,
                         const Server *server, Prompts *prompts, HttpError *error);

/* ------------------------------------------------------------------ messages (messages.c) */

/* A request's conversation, rendered, with a PICTURE_BYTE for each image.
 *
 *   prompts   collects the images */
bool messages_render(const RequestFields *fields, const Server *server, bool open,
                     Prompts *prompts, Rendered *rendered, HttpError *error);

#endif
