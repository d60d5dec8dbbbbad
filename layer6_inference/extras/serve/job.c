/* job.c - see job.h. */
#include "job.h"
#include "guidance.h"
#include "memory_limit.h"
#include "steps.h"
#include "service.h"
#include "timed_wait.h"

#include <stdlib.h>
#include <string.h>

Job *job_new(size_t n, const Tokenizer *tokenizer) {
    Job *job = calloc(1, sizeof *job);
    if (!job || !(job->answers = calloc(n, sizeof *job->answers))) return free(job), NULL;
    pthread_mutex_init(&job->lock, NULL), timed_init(&job->changed);
    job->n = job->left = n, job->holders = 1, job->tokenizer = tokenizer;
    for (size_t i = 0; i < n; i++) job->answers[i].job = job, job->answers[i].index = i;
    return job;
}

static void answer_free(Answer *a) {
    token_list_free(&a->tokens), token_list_free(&a->negative);
    chain_close(&a->chain), stream_close(&a->stream), take_back_close(&a->take_back);
    bytes_free(&a->text);
    memory_limit_give(a->notes_held);
    free(a->notes), free(a->keys), steps_free(a->steps);
}

void job_leave(Job *job) {
    pthread_mutex_lock(&job->lock);
    bool last = --job->holders == 0;
    pthread_mutex_unlock(&job->lock);
    if (!last) return;
    for (size_t i = 0; i < job->n; i++) answer_free(&job->answers[i]);
    stops_close(&job->stops), token_list_free(&job->marks), token_list_free(&job->ends);
    shown_release(&job->shown);
    pthread_mutex_destroy(&job->lock), pthread_cond_destroy(&job->changed);
    free(job->answers), free(job);
}

void job_wait(Job *job, double seconds) { timed_wait(&job->changed, &job->lock, seconds); }

/* ------------------------------------------------------------------ from the engine */

static void job_take_text(void *context, Text text) {
    Answer *a = context;
    pthread_mutex_lock(&a->job->lock);
    if (!bytes_add(&a->text, text)) a->job->starved = true;
    pthread_mutex_unlock(&a->job->lock);
}

void note_fill(const Answer *a, const float *logits, size_t vocab, int32_t token, Note *note) {
    size_t n = min_size(a->job->tops, vocab);
    double sum = log_sum_exp(logits, vocab);
    *note = (Note){.token = token,
                   .begin = a->chosen_bytes,
                   .logprob = (float)((double)logits[token] - sum)};
    if (!n) return;
    for (size_t i = 0; i < vocab; i++) a->keys[i] = order_key(logits[i], (int32_t)i);
    order_select(a->keys, vocab, n), order_sort(a->keys, n);
    for (size_t i = 0; i < n; i++) {
        note->top[i] = order_id(a->keys[i]);
        note->top_logprob[i] = (float)((double)order_value(a->keys[i]) - sum);
    }
}

/* Count the room of the notes. */
static bool job_hold_notes(Answer *a) {
    const size_t size = a->notes_room * sizeof *a->notes,
                 more = size > ANSWER_FREE ? size - a->notes_held : 0;
    if (!memory_limit_take(more)) return false;
    a->notes_held += more;
    return true;
}

static bool add_note(Answer *a, const Note *note) {
    if (!GROW(a->notes, a->notes_room, a->n_notes + 1) || !job_hold_notes(a)) return false;
    a->notes[a->n_notes++] = *note;
    return true;
}

static bool take_choice(void *context, const Choice *choice) {
    Answer *a = context;
    Note note;
    if (a->job->logprobs) note_fill(a, choice->raw, choice->after->vocab, choice->token, &note);
    pthread_mutex_lock(&a->job->lock);
    if (a->job->logprobs && !add_note(a, &note)) a->job->starved = true;
    a->count++, a->chosen++;
    a->chosen_bytes += answer_piece(&a->request.options, a->job->tokenizer, choice->token).size;
    pthread_mutex_unlock(&a->job->lock);
    return !atomic_load(&a->job->gone) && !a->job->starved;
}

/* The last `count` tokens were rolled back. */
static void take_less(void *context, size_t n) {
    Answer *a = context;
    const int32_t *gone = a->tokens.ids + a->tokens.count;
    pthread_mutex_lock(&a->job->lock);
    a->count -= n;
    if (a->job->logprobs) a->n_notes -= n;
    for (size_t i = 0; i < n; i++)
        a->chosen_bytes -= answer_piece(&a->request.options, a->job->tokenizer, gone[i]).size;
    pthread_mutex_unlock(&a->job->lock);
}

void answer_listen(Answer *a) {
    GenerateOptions *o = &a->request.options;
    stream_open(&a->stream, &a->job->stops, job_take_text, a);
    a->request.tokens = &a->tokens;
    o->chain = &a->chain, o->stream = &a->stream, o->context = a;
    o->on_choice = take_choice, o->want_raw = a->job->logprobs;
    a->take_back.on_taken_back = take_less, a->take_back.context = a;
    if (a->take_back.stops.count) with_take_back(o, &a->take_back);
    if (a->negative.count) with_negative(o, &a->negative);
}

void answer_publish(Answer *a) {
    Job *job = a->job;
    pthread_mutex_lock(&job->lock);
    a->shown = a->text.size, a->noted = a->n_notes, a->taken = a->chosen_bytes;
    a->released = a->stream.size - a->stream.pending_size;
    if (a->request.state == REQUEST_OVER && !a->over) {
        a->over = true;
        free(a->keys), a->keys = NULL;
        if (--job->left == 0)
            shown_release(&job->shown); /* an answer without logprobs keeps no notes */
    }
    pthread_cond_broadcast(&job->changed);
    pthread_mutex_unlock(&job->lock);
}
