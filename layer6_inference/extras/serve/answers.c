/* answers.c - see answers.h. */
#include "answers.h"

#include "logprobs.h"
#include "thinking.h"
#include "tool_calls.h"
#include "json.h"
#include "service.h"

#include <stdlib.h>
#include <string.h>

static size_t answers_end_of(const Answer *a, size_t i) {
    return i + 1 < a->noted ? a->notes[i + 1].begin : a->taken;
}

size_t notes_ready(const Answer *a) {
    bool cut = a->over && a->request.result.reason == STOP_STRING;
    size_t n = 0;
    if (a->over && !cut) return a->noted;
    while (n < a->noted &&
           (cut ? a->notes[n].begin < a->released : answers_end_of(a, n) <= a->released))
        n++;
    return n;
}

void answer_refuse(const TextJob *t, const Answer *a, HttpError *error) {
    const ServiceRequest *r = &a->request;
    if (t->job->starved)
        http_error(error, 503, NULL, "no memory for the answer");
    else if (r->end == REQUEST_FAILED && r->dead_end)
        fields_dead_end(&t->fields, &r->fault, error);
    else if (r->end == REQUEST_FAILED)
        error->fault = r->fault,
        http_error_fault(error, worker_is_broken(t->server) ? 503 : 500, NULL);
    else if (r->end == REQUEST_LATE)
        http_error(error, 503, NULL, "the request timed out before it ran");
    else
        http_error(error, 503, NULL, "the server stopped before this answer was complete");
    text_job_name_error(t, error);
}

/* ------------------------------------------------------------------ usage and ids */

static void write_head(FILE *out, const TextJob *t, const char *object) {
    fprintf(out, "{\"id\":\"%s\",\"object\":\"%s\",\"created\":%ld,\"model\":", t->id, object,
            t->created);
    write_text(out, text_of(t->model));
    fprintf(out, ",\"system_fingerprint\":\"strata-%s-%s\"", strata_version(), kernels_isa());
}

static void answers_write_usage(FILE *out, const TextJob *t) {
    Usage u;
    text_job_usage(t, &u);
    fprintf(out,
            "\"usage\":{\"prompt_tokens\":%zu,\"completion_tokens\":%zu,\"total_tokens\":%zu,"
            "\"prompt_tokens_details\":{\"cached_tokens\":%zu}",
            u.in, u.out, u.in + u.out, u.cached);
    if (t->thinking)
        fprintf(out, ",\"completion_tokens_details\":{\"reasoning_tokens\":%zu}",
                thinking_tokens(t));
    fputc('}', out);
}

static void write_reason(FILE *out, const char *reason) {
    fprintf(out, reason ? ",\"finish_reason\":\"%s\"}" : ",\"finish_reason\":null}", reason);
}

/* ------------------------------------------------------------------ chunks of a stream */

static void write_call_delta(FILE *out, const TextJob *t, const Answer *a, const Piece *p) {
    fprintf(out, "\"tool_calls\":[{\"index\":%zu,", p->call_index);
    if (p->call_begins) {
        tool_call_write_id(out, "id", t->id, a->index, p->call_index);
        fputs(",\"type\":\"function\",\"function\":{\"name\":", out);
        write_text(out, p->call->name), fputc(',', out);
    } else {
        fputs("\"function\":{", out);
    }
    fputs("\"arguments\":", out), write_text(out, p->text), fputs("}}]", out);
}

static void write_delta(FILE *out, const TextJob *t, const Answer *a, const Piece *p) {
    fputs("{", out);
    if (p->begins) fputs("\"role\":\"assistant\",\"content\":\"\"", out);
    if (p->call) {
        write_call_delta(out, t, a, p);
    } else if (p->text.size || p->note_end > p->note) {
        fputs(p->thought ? "\"reasoning_content\":" : "\"content\":", out);
        write_text(out, p->text);
    }
    fputs("}", out);
}

static const char *reason_of(const Answer *a, bool called) {
    const char *reason = finish_reason(a);
    return called && reason && strcmp(reason, "stop") == 0 ? "tool_calls" : reason;
}

void chunk_write(FILE *out, const TextJob *t, const Answer *a, const Piece *p) {
    write_head(out, t, t->chat ? "chat.completion.chunk" : "text_completion");
    fprintf(out, ",\"choices\":[{\"index\":%zu,", a->index);
    if (t->chat) {
        fputs("\"delta\":", out);
        write_delta(out, t, a, p);
    } else {
        fputs("\"text\":", out);
        write_text(out, p->begins ? echoed(t, a) : p->text);
    }
    fputs(",\"logprobs\":", out);
    if (t->logprobs && (p->note_end > p->note || (p->begins && t->scores)))
        logprobs_write(out, t, a, p->begins, p->note, p->note_end);
    else
        fputs("null", out);
    write_reason(out, p->ends ? reason_of(a, p->called) : NULL);
    fputs(t->usage ? "],\"usage\":null}" : "]}", out);
}

void chunk_write_usage(FILE *out, const TextJob *t) {
    write_head(out, t, t->chat ? "chat.completion.chunk" : "text_completion");
    fputs(",\"choices\":[],", out);
    answers_write_usage(out, t);
    fputs("}", out);
}

/* ------------------------------------------------------------------ whole answers */

/* Writes content and tool calls separately.  Returns whether a call is complete. */
static bool write_called(FILE *out, const TextJob *t, const Answer *a, Text text) {
    Bytes content = {0};
    char *calls = NULL;
    size_t size, n = 0;
    bool called = false;
    ToolPart part;
    FILE *list = open_memstream(&calls, &size);
    ToolPlace place = {0};
    while (list && tools_next(t->server->form.calls, text, true, &place, &part)) {
        if (!part.call) {
            if (!bytes_add(&content, part.text)) t->job->starved = true;
            continue;
        }
        if (n) fputc(',', list);
        tool_call_write(list, &part, t->id, a->index, n++);
        called |= !part.cut;
    }
    if (!list || !memory_close(list, &calls)) t->job->starved = true, n = 0;
    if (content.size || !n)
        write_text(out, (Text){content.size ? content.data : "", content.size});
    else
        fputs("null", out);
    if (n) fprintf(out, ",\"tool_calls\":[%s]", calls);
    bytes_free(&content), free(calls);
    return called;
}

static void write_choice(FILE *out, const TextJob *t, const Answer *a, size_t index) {
    Text thought, text = thinking_answer(t, a, &thought);
    bool called = false;
    fprintf(out, "{\"index\":%zu,", index);
    if (t->chat) {
        fputs("\"message\":{\"role\":\"assistant\",\"content\":", out);
        if (t->calls)
            called = write_called(out, t, a, text);
        else
            write_text(out, text);
        if (thought.size) fputs(",\"reasoning_content\":", out), write_text(out, thought);
        fputs(",\"refusal\":null}", out);
    } else {
        Bytes all = {0};
        if (!bytes_add(&all, echoed(t, a)) || !bytes_add(&all, text)) t->job->starved = true;
        fputs("\"text\":", out);
        write_text(out, (Text){all.data ? all.data : "", all.size});
        bytes_free(&all);
    }
    fputs(",\"logprobs\":", out);
    if (t->logprobs)
        logprobs_write(out, t, a, true, 0, notes_ready(a));
    else
        fputs("null", out);
    write_reason(out, reason_of(a, called));
}

static double mean_logprob(const Answer *a) {
    double sum = 0;
    for (size_t i = 0; i < a->n_notes; i++) sum += a->notes[i].logprob;
    return a->n_notes ? sum / (double)a->n_notes : 0;
}

/* The prompt's answer at this rank of best_of. */
static const Answer *answer_at(const TextJob *t, size_t prompt, size_t place) {
    const Answer *all = &t->job->answers[prompt * t->n];
    for (size_t i = 0; t->reported < t->n && i < t->n; i++) {
        size_t better = 0;
        for (size_t k = 0; k < t->n; k++)
            better += all[k].mean > all[i].mean || (k < i && all[k].mean == all[i].mean);
        if (better == place) return &all[i];
    }
    return &all[place];
}

void answers_write(FILE *out, const TextJob *t) {
    const size_t prompts = t->job->n / t->n;
    for (size_t i = 0; i < t->job->n; i++)
        t->job->answers[i].mean = mean_logprob(&t->job->answers[i]);
    write_head(out, t, t->chat ? "chat.completion" : "text_completion");
    fputs(",\"choices\":[", out);
    for (size_t i = 0; i < prompts * t->reported; i++) {
        if (i) fputc(',', out);
        write_choice(out, t, answer_at(t, i / t->reported, i % t->reported), i);
    }
    fputs("],", out);
    answers_write_usage(out, t);
    fputs("}", out);
}
