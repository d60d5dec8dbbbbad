/* llama_completion.c - /completion and /infill as llama.cpp's server has them.
 *
 *     {"input_extra": [{"filename": "a.h", "text": "int f(void);"}], "input_prefix": "int g(",
 *      "prompt": "void) {", "input_suffix": "}"}
 *         --> {"prompt": "a.h\nint f(void);\n\nint g(void) {", "suffix": "}",
 *              "n_predict": -1}
 *
 *     {"content": " return f(); ", "stop": true, "stop_type": "eos", "tokens_predicted": 5, ..}
 *
 * Other files stand before the prefix as plain text, as not every family has tokens for them.
 *
 * Source   llama.cpp, tools/server/README.md */
#include "dialect.h"

#include "text_fields.h"

#include <stdlib.h>
#include <string.h>

/* ------------------------------------------------------------------ requests */

/* The members that the core knows, or refuses. */
static bool llama_members(const JsonValue *root, const Alias *known, size_t n, FILE *out,
                          HttpError *error) {
    static const char *const unseen[] = {"n", "best_of", "echo", "logprobs", NULL};
    bool first = false;
    if (!members_refuse(root, unseen, error)) return false;
    alias_pass(root, known, n, out);
    if (!json_get(root, "n_predict") && !json_get(root, "max_tokens"))
        member_begin(out, &first, "n_predict"), fputs("-1", out);
    return true;
}

static bool llama_translate(const JsonValue *root, const Server *s, FILE *out,
                            HttpError *error) {
    static const Alias known[] = {{"prompt", ""}};
    const JsonValue *prompt = json_get(root, "prompt");
    (void)s;
    if (!prompt) return http_error(error, 400, "prompt", "prompt: missing");
    fputs("\"prompt\":", out), write_value(out, prompt);
    return llama_members(root, known, 1, out, error);
}

/* [{"filename": ..., "text": ...}, ...] */
static bool infill_add_extra(const JsonValue *extra, Bytes *text, HttpError *error) {
    bool ok = true;
    if (extra && extra->kind != JSON_NULL && extra->kind != JSON_ARRAY)
        return http_error(error, 400, "input_extra", "input_extra: wanted a list of files");
    for (size_t i = 0; ok && extra && i < extra->count; i++) {
        const JsonValue *file = &extra->items[i], *content = json_get(file, "text");
        if (!content || content->kind != JSON_STRING)
            return http_error(error, 400, "input_extra",
                              "input_extra: wanted objects with filename and text");
        ok = bytes_add(text, member_text(file, "filename")) && bytes_add(text, text_of("\n")) &&
             bytes_add(text, content->text) && bytes_add(text, text_of("\n\n"));
    }
    return ok || http_error(error, 503, "input_extra", "no memory for a prompt");
}

static bool infill_translate(const JsonValue *root, const Server *s, FILE *out,
                             HttpError *error) {
    static const Alias known[] = {
        {"input_prefix", ""}, {"input_suffix", ""}, {"input_extra", ""}, {"prompt", ""}};
    Bytes before = {0};
    (void)s;
    for (size_t i = 0; i < 2; i++) {
        const JsonValue *v = json_get(root, known[i].name);
        if (!v || v->kind != JSON_STRING)
            return http_error(error, 400, known[i].name, "%s: wanted a text", known[i].name);
    }
    bool ok = infill_add_extra(json_get(root, "input_extra"), &before, error);
    if (ok && !(bytes_add(&before, member_text(root, "input_prefix")) &&
                bytes_add(&before, member_text(root, "prompt"))))
        ok = http_error(error, 503, "input_prefix", "no memory for a prompt");
    fputs("\"prompt\":", out),
        write_text(out, (Text){before.size ? before.data : "", before.size});
    fputs(",\"suffix\":", out), write_text(out, member_text(root, "input_suffix"));
    bytes_free(&before);
    return ok && llama_members(root, known, sizeof known / sizeof *known, out, error);
}

/* ------------------------------------------------------------------ answers */

static const char *llama_stop_type(const Answer *a) {
    const char *reason = finish_reason(a);
    if (reason && strcmp(reason, "length") == 0) return "limit";
    return a->request.result.reason == STOP_STRING ? "word" : "eos";
}

static void llama_content(FILE *out, const Answer *a, Text text) {
    fprintf(out, "{\"index\":%zu,\"content\":", a->index), write_text(out, text);
}

/* Its end; times are milliseconds. */
static void llama_end_of(FILE *out, const TextJob *t, const Answer *a) {
    Usage u;
    text_job_usage(t, &u);
    const double read = 1e3 * (u.first - u.queue),
                 wrote = 1e3 * (clock_seconds() - t->began - u.first);
    fprintf(out,
            ",\"stop\":true,\"stop_type\":\"%s\",\"tokens_predicted\":%zu,"
            "\"tokens_evaluated\":%zu,\"tokens_cached\":%zu,\"truncated\":false,\"timings\":{"
            "\"prompt_n\":%zu,\"prompt_ms\":%.3f,\"predicted_n\":%zu,\"predicted_ms\":%.3f},"
            "\"model\":",
            llama_stop_type(a), u.out, u.in, u.cached, u.in - u.cached, read, u.out, wrote);
    write_text(out, text_of(t->model)), fputc('}', out);
}

static void llama_whole(FILE *out, const TextJob *t) {
    for (size_t i = 0; i < t->job->n; i++) {
        const Answer *a = &t->job->answers[i];
        fputs(t->job->n == 1 ? "" : i ? "," : "[", out);
        llama_content(out, a, (Text){a->shown ? a->text.data : "", a->shown});
        llama_end_of(out, t, a);
    }
    if (t->job->n > 1) fputc(']', out);
}

static void llama_piece(FILE *out, TextJob *t, const Answer *a, const Piece *p) {
    if (!p->text.size && !p->ends) return;
    fputs("data: ", out), llama_content(out, a, p->text);
    if (p->ends)
        llama_end_of(out, t, a);
    else
        fputs(",\"stop\":false}", out);
    fputs("\n\n", out);
}

static void llama_end(FILE *out, const TextJob *t) { (void)out, (void)t; }

static void llama_failure(FILE *out, const HttpError *error) {
    fputs("data: ", out), openai_error(out, error), fputs("\n\n", out);
}

#define LLAMA                                                                       \
    .stream_type = "text/event-stream", .whole = llama_whole, .piece = llama_piece, \
    .end = llama_end, .ping = openai_ping, .failure = llama_failure, .error = openai_error

static const Alias infill_names[] = {
    {"input_suffix", "suffix"}, {"input_prefix", "prompt"}, {0}};

static const Dialect llama = {LLAMA, .translate = llama_translate},
                     infill = {LLAMA, .translate = infill_translate, .names = infill_names};

void handle_llama_completion(const HttpRequest *request, Reply *reply) {
    texts_handle(request, IN_COMPLETION, &llama, reply);
}

void handle_infill(const HttpRequest *request, Reply *reply) {
    texts_handle(request, IN_COMPLETION, &infill, reply);
}
