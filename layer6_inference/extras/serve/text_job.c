/* text_job.c - see text_job.h. */
#include "text_job.h"

#include "constrain.h"
#include "continued.h"
#include "steps.h"
#include "text_fields.h"
#include "tool_calls.h"
#include "json.h"
#include "long_text.h"
#include "service.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

/* ------------------------------------------------------------------ answers */

static size_t most_tokens(const TextJob *t) {
    double most = fields_number(&t->fields, F_MAX_COMPLETION_TOKENS, -1);
    if (t->fields.where == IN_STEPS) return 1;
    if (most < 0) most = fields_number(&t->fields, F_MAX_TOKENS, t->chat ? -1 : 16);
    return most < 0 ? SIZE_MAX : (size_t)most;
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
    const ServeOptions *o = s->options;
    Text negative = fields_text(&t->fields, F_NEGATIVE, "");
    double seconds = fields_number(&t->fields, F_SECONDS, o->seconds);
    if (!check_prompt(s, prompt, error) || !text_job_copy_tokens(prompt, &a->tokens, error))
        return false;
    if (negative.size &&
        !loaded_tokenize(&s->loaded, negative, false, &a->negative, &error->fault))
        return http_error_fault(error, 400, "negative");
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
    a->request.options.limits.max_tokens = most_tokens(t);
    if (!check_lengths(t, error) || !text_job_read_shift(t, &a->request.options, error))
        return false;
    a->request.user = t->user;
    a->request.priority = (int)fields_number(&t->fields, F_PRIORITY, 0);
    if (seconds > 0) a->request.deadline = t->began + seconds;
    return true;
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

/* best_of answers are generated, and the n likeliest returned. */
static bool text_job_read_numbers(TextJob *t, size_t prompts, HttpError *error) {
    const size_t most = admission_most(&t->server->admission);
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
    return prompts * t->n <= most ||
           http_error(error, 400, field, "%s: %zu answers at once, wanted at most %zu", field,
                      prompts * t->n, most);
}

static bool make_job(TextJob *t, const Prompts *p, const Chain *chain, HttpError *error) {
    if (!text_job_read_numbers(t, p->count, error)) return false;
    if (t->fields.where == IN_STEPS && p->count != 1)
        return http_error(error, 400, "prompt", "prompt: %zu texts, wanted one", p->count);
    if (!(t->job = job_new(p->count * t->n, t->server->loaded.model->tokenizer)))
        return http_error(error, 500, NULL, "no memory for %zu answers", p->count * t->n);
    return field_stops(t, error) && field_logprobs(t, error) && read_calls(t, error) &&
           fill_answers(t, p, chain, error);
}

/* ------------------------------------------------------------------ echo */

static bool copy_prompt(const TextJob *t, const JsonValue *given, const TokenList *tokens,
                        Bytes *text) {
    if (given->kind == JSON_STRING) return bytes_add(text, given->text);
    for (size_t i = 0; i < tokens->count; i++)
        if (!bytes_add(text, tokenizer_piece(t->job->tokenizer, tokens->ids[i], true)))
            return false;
    return true;
}

static bool read_echo(TextJob *t, const Prompts *p, HttpError *error) {
    const JsonValue *v = t->fields.value[F_PROMPT];
    bool many = v && v->kind == JSON_ARRAY && v->items[0].kind != JSON_NUMBER, ok = true;
    if (!fields_bool(&t->fields, F_ECHO, false)) return true;
    ok = (t->prompts = calloc(p->count, sizeof *t->prompts)) != NULL;
    for (size_t i = 0; ok && i < p->count; i++)
        ok = copy_prompt(t, many ? &v->items[i] : v, &p->lists[i], &t->prompts[i]);
    return ok || http_error(error, 500, "echo", "no memory for a prompt");
}

Text echoed(const TextJob *t, const Answer *a) {
    const Bytes *text = t->prompts ? &t->prompts[a->index / t->n] : NULL;
    return text && text->size ? (Text){text->data, text->size} : (Text){"", 0};
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

bool text_job_open(TextJob *t, const HttpRequest *request, int where, HttpError *error) {
    Server *server = request->server;
    const Tokenizer *tokenizer = server->loaded.model->tokenizer;
    Prompts prompts = {.shown.of = server->pictures.places ? &server->pictures : NULL};
    Chain chain = {0};
    char *first = NULL;
    *t = (TextJob){.server = server, .chat = where == IN_CHAT, .began = clock_seconds()};
    bool ok =
        fields_read(&t->fields, where, request->body, error) && field_model(t, error) &&
        field_stream_options(t, error) && field_modalities(&t->fields, error) &&
        field_salt(t, request->key, error) &&
        constrain(&t->fields, server->form.calls, &first, error) &&
        fields_chain(&t->fields, first, server->options->chain, tokenizer, &chain, error) &&
        field_think(t, &chain, *first != 0, error);
    t->chat |= ok && t->fields.value[F_MESSAGES];
    prompts.user = t->user, prompts.salt = t->salt;
    ok = ok && continued_check(&t->fields, server, &chain, error) &&
         prompts_read(&t->fields, server, &prompts, error) &&
         continued_read(&t->fields, server, &prompts, error) &&
         make_job(t, &prompts, &chain, error) && read_echo(t, &prompts, error);
    if (ok) t->job->shown = prompts.shown, prompts.shown.count = 0;
    if (!ok && atomic_load(&server->giving_up))
        http_error(error, 503, NULL, "the server is shutting down");
    name_it(t);
    prompts_free(&prompts), chain_close(&chain), free(first);
    return ok;
}

void text_job_close(TextJob *t) {
    for (size_t i = 0; t->prompts && i < t->job->n / t->n; i++) bytes_free(&t->prompts[i]);
    for (size_t i = 0; t->scores && i < t->job->n / t->n; i++) scores_free(&t->scores[i]);
    free(t->prompts), free(t->scores);
    if (t->job) job_leave(t->job);
    fields_free(&t->fields);
    *t = (TextJob){0};
}

const char *finish_reason(const Answer *a) {
    const ServiceRequest *r = &a->request;
    if (r->end == REQUEST_FAILED || r->end == REQUEST_CANCELLED) return NULL;
    if (r->end == REQUEST_LATE) return r->result.tokens ? "length" : NULL;
    switch (r->result.reason) {
    case STOP_LIMIT:
    case STOP_CONTEXT:
    case STOP_TIME: return "length";
    case STOP_CALLER: return NULL;
    default: return "stop";
    }
}
