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

/* Where a text's thought begins (thinking.h). */
typedef enum ThinkingBegin {
    THINKING_NONE,   /* the text has no thought, or keeps it */
    THINKING_MARKED, /* after <think> */
    THINKING_BEGUN   /* at its first byte: <think> ends the prompt */
} ThinkingBegin;

typedef struct TextJob {
    Server *server;
    const struct Dialect *dialect; /* how its answers are written (dialect.h) */
    unsigned sent;                 /* which of the dialect's names it has */
    RequestFields fields;
    Job *job;          /* prompts * n answers; held */
    const char *model; /* its name, or that of the adapter which the request names */
    LoraChoice lora;
    bool chat, stream, usage;
    bool calls;    /* its texts may have tool calls */
    bool logprobs; /* are reported */
    ThinkingBegin thinking;
    size_t n, reported; /* answers per prompt, and how many of them are returned */
    uint64_t salt;      /* separates prefix caches */
    uint64_t user;      /* user for fair queueing: its key; 0 without keys */
    const KeyLimits *limits;
    size_t held;            /* slots of the queue, until the worker has the job */
    size_t blocks;          /* blocks or items of a stream that have ended, */
    const char *block_open; /* and the type of one that has not; NULL: none */
    Bytes block_text;       /* of that one; owns */
    size_t events;          /* that were numbered */
    char id[40];
    long created;
    double began;   /* time of arrival */
    Bytes *prompts; /* (job->n / n) texts for echo; owns */
    Scores *scores; /* (job->n / n) for echo with logprobs; owns */
} TextJob;

/* Make a job of a request's body.  Call text_job_close even if this fails. */
bool text_job_open(TextJob *text, const HttpRequest *request, int where, HttpError *error);
void text_job_close(TextJob *text);

/* Tokens and times of all answers so far; a prompt counts once, however many answers it has.
 * The job's lock is held. */
void text_job_usage(const TextJob *text, Usage *usage);

/* Evaluate the prompts for their tokens' ln p, if requested (scores.c). */
bool scores_read(TextJob *text, const HttpRequest *request, HttpError *error);
void scores_free(Scores *scores);

/* An error about one of its fields says the name that the client gave it. */
void text_job_name_error(const TextJob *text, HttpError *error);

/* finish_reason in OpenAI's words; NULL: it failed. */
const char *finish_reason(const Answer *answer);

/* ------------------------------------------------------------------ prompts (prompts.c) */

/* Tokens of the prompts: of a chat, or of a completion's prompts. */
enum { PROMPTS = 128 };

typedef struct Prompts {
    TokenList *lists; /* (count) owns */
    size_t count;
    Shown shown;         /* images of a chat; held */
    TokenList ends;      /* of a middle between prompt and suffix: tokens that end it */
    uint64_t user, salt; /* owner of these */
} Prompts;

/* Append an array of token ids. */
bool prompts_read_ids(const JsonValue *value, const char *field, const Server *server,
                      TokenList *list, HttpError *error);

/* Is it too long for the context even if all its tokens are the longest that there are?  Then
 * it is refused before it is tokenized, which takes seconds for megabytes. */
bool prompts_may_fit(const Server *server, size_t bytes, const char *field, HttpError *error);

/* How many prompts a field has; at most `most`. */
bool prompts_count(const JsonValue *value, const char *field, size_t most, size_t *count,
                   HttpError *error);

/* Keep the prompts to repeat before their answers, if "echo" asks for it (scores.c). */
bool echo_read(TextJob *text, const Prompts *prompts, HttpError *error);

/* The prompt to repeat before an answer; empty without echo. */
Text echoed(const TextJob *text, const Answer *answer);

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
