/* scores.c - log-probabilities of a prompt's tokens: echo with logprobs.  See text_job.h. */
#include "text_job.h"
#include "json.h"

#include <stdlib.h>

enum { SCORE_ROWS = 32 };

typedef struct Score {
    const TokenList *tokens;
    Scores *scores;
    Answer *answer; /* to find the likeliest tokens in */
    size_t first;   /* first token that is shown */
} Score;

/* Row i - 1 holds the logits of token i. */
static void scores_score_row(const Score *s, float *logits, size_t vocab, size_t i) {
    if (i < s->first || i >= s->tokens->count) return;
    Note *note = &s->scores->notes[i - s->first];
    const size_t begin = note->begin;
    note_fill(s->answer, logits, vocab, s->tokens->ids[i], note);
    note->begin = begin;
}

static bool read_scores(Session *session, void *context, Fault *fault) {
    const Score *s = context;
    const size_t vocab = session->model->sizes.vocab;
    session_reset(session);
    for (size_t at = 0; at + 1 < s->tokens->count; at += SCORE_ROWS) {
        size_t n = min_size(SCORE_ROWS, s->tokens->count - 1 - at);
        if (!session_eval(session, s->tokens->ids + at, n, true, fault)) return false;
        for (size_t i = 0; i < n; i++)
            scores_score_row(s, session->logits + i * vocab, vocab, at + i + 1);
    }
    return true;
}

static bool score_prompt(TextJob *t, const HttpRequest *request, size_t prompt,
                         HttpError *error) {
    Answer *a = &t->job->answers[prompt * t->n];
    const Tokenizer *tokenizer = t->job->tokenizer;
    const JsonValue *given = t->fields.value[F_PROMPT];
    bool text = given->kind == JSON_STRING ||
                (given->items[0].kind == JSON_STRING && given->kind == JSON_ARRAY);
    Score score = {.tokens = &a->tokens, .scores = &t->scores[prompt], .answer = a};
    /* a begin-of-sequence token was not given, so it is not shown */
    score.first = text && a->tokens.ids[0] == tokenizer_bos(tokenizer);
    score.scores->first_is_known = score.first > 0;
    score.scores->count = a->prompt - score.first;
    score.scores->notes = calloc(score.scores->count + 1, sizeof *score.scores->notes);
    if (!score.scores->notes)
        return http_error(error, 500, "logprobs", "no memory for logprobs");
    for (size_t i = 0, begin = 0; i < score.scores->count; i++) {
        score.scores->notes[i].token = a->tokens.ids[score.first + i];
        score.scores->notes[i].begin = begin;
        begin += tokenizer_piece(tokenizer, score.scores->notes[i].token, true).size;
    }
    Task task = {.run = read_scores,
                 .context = &score,
                 .lora = &t->job->lora,
                 .is_gone = request->is_gone,
                 .client = request->client};
    return worker_run(t->server, &task, &error->fault) || http_error_fault(error, 503, NULL);
}

bool scores_read(TextJob *t, const HttpRequest *request, HttpError *error) {
    const size_t prompts = t->job->n / t->n;
    if (!t->prompts || !t->logprobs) return true;
    if (model_extras(t->server->loaded.model)->encoder)
        return http_error(error, 400, "echo",
                          "echo with logprobs: not for the input of a %s model",
                          t->server->loaded.model->recipe->arch);
    if (!(t->scores = calloc(prompts, sizeof *t->scores)))
        return http_error(error, 500, "logprobs", "no memory for logprobs");
    for (size_t i = 0; i < prompts; i++)
        if (!score_prompt(t, request, i, error)) return false;
    return true;
}

void scores_free(Scores *scores) { free(scores->notes); }

/* ------------------------------------------------------------------ echo */

static bool copy_prompt(const TextJob *t, const JsonValue *given, const TokenList *tokens,
                        Bytes *text) {
    if (given->kind == JSON_STRING) return bytes_add(text, given->text);
    for (size_t i = 0; i < tokens->count; i++)
        if (!bytes_add(text, tokenizer_piece(t->job->tokenizer, tokens->ids[i], true)))
            return false;
    return true;
}

bool echo_read(TextJob *t, const Prompts *p, HttpError *error) {
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
