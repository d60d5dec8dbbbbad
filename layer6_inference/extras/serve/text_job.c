/* text_job.c - see text_job.h. */
#include "text_job.h"
#include "fault_try.h"

#include "constrain.h"
#include "continued.h"
#include "dialect.h"
#include "steps.h"
#include "text_fields.h"
#include "thinking.h"
#include "tool_calls.h"
#include "json.h"
#include "long_text.h"
#include "service.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* ------------------------------------------------------------------ answers */

static size_t asked_tokens(const TextJob *t) {
    double most = fields_number(&t->fields, F_MAX_COMPLETION_TOKENS, -1);
    if (t->fields.where == IN_STEPS) return 1;
    if (most < 0) most = fields_number(&t->fields, F_MAX_TOKENS, t->chat ? -1 : 16);
    return most < 0 ? SIZE_MAX : (size_t)most;
}

static size_t most_tokens(const TextJob *t) {
    return min_size(asked_tokens(t), t->limits->tokens ? t->limits->tokens : SIZE_MAX);
}

/* The time that it asks for, but not more than its key has; 0: any. */
static double most_seconds(const TextJob *t) {
    const double most = t->limits->seconds, asked = fields_number(&t->fields, F_SECONDS, most);
    return most > 0 ? fmin(asked, most) : asked;
}

/* A key that may not ask for 0 has its own limit without asking. */
static bool text_job_read_priority(const TextJob *t, int *priority, HttpError *error) {
    const int most = t->limits->priority;
    *priority = (int)fields_number(&t->fields, F_PRIORITY, most < 0 ? most : 0);
    return *priority <= most ||
           http_error(error, 400, "priority",
                      "priority: %d, wanted at most %d: --priority, or a key's", *priority,
                      most);
}

/* max_tokens and its newer name: giving both is ambiguous. */
static bool check_lengths(const TextJob *t, HttpError *error) {
    return !t->fields.value[F_MAX_TOKENS] || !t->fields.value[F_MAX_COMPLETION_TOKENS] ||
           http_error(error, 400, "max_tokens",
                      "max_tokens and max_completion_tokens are the same: give one of them");
}

/* A shifting context never ends an answer, so max_tokens must. */
static bool text_job_read_shift(const TextJob *t, GenerateOptions *o, HttpError *error) {
    const bool shift = fields_bool(&t->fields, F_CONTEXT_SHIFT, false);
    if (shift) with_long_text(o, (size_t)fields_number(&t->fields, F_N_KEEP, 0));
    if (t->fields.value[F_N_KEEP] && !shift)
        return http_error(error, 400, "n_keep", "n_keep: needs context_shift");
    if (shift && most_tokens(t) == SIZE_MAX)
        return http_error(error, 400, "context_shift",
                          "context_shift: needs max_tokens, or the answer might never end");
    return long_text_check(&t->server->loaded.session, o, &error->fault) ||
           http_error_fault(error, 400, "context_shift");
}

static uint64_t first_seed(const TextJob *t) {
    uint64_t random = (uint64_t)(clock_seconds() * 1e9);
    if (t->fields.value[F_SEED]) return (uint64_t)(int64_t)fields_number(&t->fields, F_SEED, 0);
    return rng_hash(random, (uint64_t)(uintptr_t)t, 0) >> 11; /* a number that JSON can hold */
}

static bool check_prompt(const Server *s, const TokenList *tokens, HttpError *error) {
    const size_t ctx = session_ctx(&s->loaded.session);
    if (tokens->count < ctx)
        return generate_check_prompt(&s->loaded.session, tokens, false, &error->fault) ||
               http_error_fault(error, 400, "prompt");
    http_error(
        error, 400, NULL,
        "the prompt has %zu tokens, the context holds %zu: it leaves no room for an answer",
        tokens->count, ctx);
    error->code = "context_length_exceeded";
    return false;
}

static bool text_job_copy_tokens(const TokenList *from, TokenList *to, HttpError *error) {
    if (!token_list_reserve(to, from->count, &error->fault))
        return http_error_fault(error, 500, NULL);
    memcpy(to->ids, from->ids, from->count * sizeof *to->ids);
    to->count = from->count;
    return true;
}

static bool fill_answer(TextJob *t, Answer *a, const TokenList *prompt, const Chain *chain,
                        uint64_t seed, HttpError *error) {
    const Server *s = t->server;
    Text negative = fields_text(&t->fields, F_NEGATIVE, "");
    const double seconds = most_seconds(t);
    if (!check_prompt(s, prompt, error) || !text_job_copy_tokens(prompt, &a->tokens, error))
        return false;
    if (!prompts_may_fit(s, negative.size, "negative", error)) return false;
    if (negative.size &&
        !loaded_tokenize(&s->loaded, negative, false, &a->negative, &error->fault))
        return http_error_fault(error, 400, "negative");
    if (a->negative.count >= session_ctx(&s->loaded.session))
        return http_error(error, 400, "negative", "negative: %zu tokens, the context holds %zu",
                          a->negative.count, session_ctx(&s->loaded.session));
    if (t->job->tops && !(a->keys = malloc(s->loaded.model->sizes.vocab * sizeof *a->keys)))
        return http_error(error, 500, "logprobs", "no memory for logprobs");
    if (!field_banned(t, a, error)) return false;
    a->prompt = prompt->count;
    if (t->fields.value[F_ANSWER_TOKENS])
        a->continued = t->fields.value[F_ANSWER_TOKENS]->count;
    chain_copy(&a->chain, chain);
    if (t->fields.where == IN_STEPS && !steps_open(t, a, error)) return false;
    answer_listen(a);
    with_continued(&a->request.options, &a->continued);
    a->request.options.shown = &t->job->marks;
    a->request.options.seed = seed, a->request.options.salt = t->salt;
    a->request.options.limits = (Limits){.max_tokens = most_tokens(t),
                                         .stop_ids = t->job->ends.ids,
                                         .n_stop_ids = t->job->ends.count};
    if (!check_lengths(t, error) || !text_job_read_shift(t, &a->request.options, error))
        return false;
    a->request.user = t->user;
    if (seconds > 0) a->request.deadline = t->began + seconds;
    return text_job_read_priority(t, &a->request.priority, error);
}

/* n answers per prompt; all but the first wait until the first has evaluated it. */
static bool fill_answers(TextJob *t, const Prompts *p, const Chain *chain, HttpError *error) {
    uint64_t seed = first_seed(t);
    for (size_t i = 0; i < t->job->n; i++) {
        Answer *a = &t->job->answers[i];
        if (!fill_answer(t, a, &p->lists[i / t->n], chain, seed + i % t->n, error))
            return false;
        if (i % t->n) a->request.after = &t->job->answers[i - i % t->n].request;
    }
    return true;
}

/* If its texts may have tool calls, their special tokens are part of the text. */
static bool read_calls(TextJob *t, HttpError *error) {
    const Tokenizer *tokenizer = t->server->loaded.model->tokenizer;
    return tool_calls_read(&t->fields, &t->calls, error) &&
           (!t->calls ||
            tools_marks(t->server->form.calls, tokenizer, &t->job->marks, &error->fault) ||
            http_error_fault(error, 500, "tools"));
}

/* best_of answers are generated, and the n likeliest returned.  Their slots are taken now. */
static bool text_job_admit(TextJob *t, HttpError *error) {
    Server *s = t->server;
    pthread_mutex_lock(&s->lock);
    const size_t own = t->limits->places, room = admission_most(&s->admission),
                 most = own ? min_size(own, room) : room;
    pthread_mutex_unlock(&s->lock);
    size_t prompts;
    if (!prompts_count(t->fields.value[F_PROMPT], "prompt", PROMPTS, &prompts, error))
        return false;
    const char *field = t->fields.value[F_BEST_OF] ? "best_of" : "n";
    t->reported = (size_t)fields_number(&t->fields, F_N, 1);
    t->n = (size_t)fields_number(&t->fields, F_BEST_OF, (double)t->reported);
    if (t->n < t->reported)
        return http_error(error, 400, field, "best_of is %zu: wanted at least n, %zu", t->n,
                          t->reported);
    if (t->n > t->reported && t->stream)
        return http_error(
            error, 400, field,
            "best_of: does not go with stream, as the best are known only at the end");
    if (prompts * t->n > most)
        return http_error(error, 400, field, "%s: %zu answers at once, wanted at most %zu",
                          field, prompts * t->n, most);
    if (!worker_admit(s, t->user, t->limits, prompts * t->n, error)) return false;
    t->held = prompts * t->n;
    return true;
}

static bool make_job(TextJob *t, Prompts *p, const Chain *chain, HttpError *error) {
    if (t->fields.where == IN_STEPS && p->count != 1)
        return http_error(error, 400, "prompt", "prompt: %zu texts, wanted one", p->count);
    if (!(t->job = job_new(p->count * t->n, t->server->loaded.model->tokenizer)))
        return http_error(error, 500, NULL, "no memory for %zu answers", p->count * t->n);
    t->job->ends = p->ends, p->ends = (TokenList){0}, t->job->lora = t->lora;
    return field_stops(t, error) && field_logprobs(t, error) && read_calls(t, error) &&
           thinking_read(t, &p->lists[0], chain, error) && fill_answers(t, p, chain, error);
}

/* "chatcmpl-" and a unique number. */
static void name_it(TextJob *t) {
    static atomic_ulong number;
    uint64_t random = rng_hash((uint64_t)(clock_seconds() * 1e9), atomic_fetch_add(&number, 1),
                               (uint64_t)time(NULL));
    t->created = (long)time(NULL);
    snprintf(t->id, sizeof t->id, "%s-%016llx", t->chat ? "chatcmpl" : "cmpl",
             (unsigned long long)random);
}

/* What opening a job takes, and is freed whatever happens. */
typedef struct Opening {
    TextJob *job;
    const HttpRequest *request;
    int where;
    Prompts prompts;
    Chain chain;
    char *first; /* stages of the form */
    HttpError *error;
    bool ok;
} Opening;

static bool text_job_check(Opening *o) {
    TextJob *t = o->job;
    const Server *s = t->server;
    return fields_read(&t->fields, o->where, o->request->body, o->error) &&
           field_adapters(t, o->error) && field_stream_options(t, o->error) &&
           field_modalities(&t->fields, o->error) && field_salt(t, o->request->key, o->error) &&
           text_job_admit(t, o->error) &&
           constrain(&t->fields, s->form.calls, &o->first, o->error) &&
           fields_chain(&t->fields, o->first, s->options->chain, s->loaded.model->tokenizer,
                        &o->chain, o->error) &&
           field_think(t, &o->chain, *o->first != 0, o->error);
}

static void text_job_read(void *context) {
    Opening *o = context;
    TextJob *t = o->job;
    if (!text_job_check(o)) return;
    t->chat |= t->fields.value[F_MESSAGES] != NULL;
    o->prompts.user = t->user, o->prompts.salt = t->salt;
    o->ok = continued_check(&t->fields, t->server, &o->chain, o->error) &&
            prompts_read(&t->fields, t->server, &o->prompts, o->error) &&
            continued_read(&t->fields, t->server, &o->prompts, o->error) &&
            make_job(t, &o->prompts, &o->chain, o->error) &&
            echo_read(t, &o->prompts, o->error);
}

bool text_job_open(TextJob *t, const HttpRequest *request, int where, HttpError *error) {
    Server *server = request->server;
    Opening o = {.job = t, .request = request, .where = where, .error = error};
    o.prompts.shown.of = server->pictures.places ? &server->pictures : NULL;
    *t = (TextJob){.server = server,
                   .chat = where == IN_CHAT,
                   .began = clock_seconds(),
                   .limits = request->limits};
    if (!fault_try(text_job_read, &o, &error->fault)) http_error_fault(error, 503, NULL);
    if (o.ok) t->job->shown = o.prompts.shown, o.prompts.shown.count = 0;
    if (!o.ok && atomic_load(&server->giving_up))
        http_error(error, 503, NULL, "the server is shutting down");
    name_it(t);
    prompts_free(&o.prompts), chain_close(&o.chain), free(o.first);
    return o.ok;
}

void text_job_close(TextJob *t) {
    for (size_t i = 0; t->prompts && i < t->job->n / t->n; i++) bytes_free(&t->prompts[i]);
    for (size_t i = 0; t->scores && i < t->job->n / t->n; i++) scores_free(&t->scores[i]);
    free(t->prompts), free(t->scores);
    if (t->job) job_leave(t->job);
    if (t->held) worker_leave(t->server, t->user, t->held);
    fields_free(&t->fields), bytes_free(&t->block_text);
    *t = (TextJob){0};
}

void text_job_usage(const TextJob *t, Usage *u) {
    const Answer *first = &t->job->answers[0];
    const ServiceRequest *r = &first->request;
    *u = (Usage){.reason = "gone"};
    for (size_t i = 0; i < t->job->n; i++) {
        const Answer *a = &t->job->answers[i];
        u->out += a->count;
        if (i % t->n == 0) u->in += a->prompt, u->cached += a->over ? a->request.cached : 0;
    }
    if (!first->over) return; /* its times are the worker's */
    const char *reason = finish_reason(first);
    u->reason = reason ? reason : "error";
    u->queue = fmax(r->started - r->arrival, 0), u->first = fmax(r->first - r->arrival, 0);
}

void text_job_name_error(const TextJob *t, HttpError *error) {
    fields_name_error(&t->fields, error);
    dialect_name_error(t->dialect, t->sent, error);
}

const char *finish_reason(const Answer *a) {
    const ServiceRequest *r = &a->request;
    if (r->end == REQUEST_FAILED || r->end == REQUEST_CANCELLED) return NULL;
    if (r->end == REQUEST_LATE) return r->result.tokens ? "length" : NULL;
    switch (r->result.reason) {
    case STOP_LIMIT:
    case STOP_CONTEXT:
    case STOP_TIME: return "length";
    case STOP_CALLER:
    case STOP_DEAD_END: return NULL;
    default: return "stop";
    }
}
