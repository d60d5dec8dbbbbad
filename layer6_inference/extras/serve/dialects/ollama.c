/* ollama.c - Ollama's /api/chat and /api/generate.  See dialect.h.
 *
 *     {"model": "m", "messages": [...], "options": {"num_predict": 9}, "format": "json"}
 *
 *     {"model": "m", "created_at": "...", "message": {"role": "assistant", "content": "Once"},
 *      "done": false}                                            a line each, as they come
 *     {"model": "m", ..., "done": true, "done_reason": "stop", "eval_count": 9, ...}
 *
 * Source   Ollama, docs/api.md */
#include "ollama.h"
#include "text_fields.h"
#include "thinking.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

static void ollama_head(FILE *out, const char *model) {
    char at[32];
    struct tm date;
    const time_t now = time(NULL);
    gmtime_r(&now, &date);
    strftime(at, sizeof at, "%Y-%m-%dT%H:%M:%SZ", &date);
    fputs("{\"model\":", out), write_text(out, text_of(model));
    fprintf(out, ",\"created_at\":\"%s\",", at);
}

/* A call's own form is that of Ollama: {"name": ..., "arguments": {...}}. */
static void ollama_call(FILE *out, const ToolPart *call) {
    size_t size;
    char *text = tools_call(call, &size);
    fprintf(out, "{\"function\":%.*s}", text ? (int)size : 2, text ? text : "{}");
    free(text);
}

static void ollama_said(FILE *out, const TextJob *t, Text text, Text thought,
                        const char *calls) {
    const bool chat = t->dialect == &dialect_ollama_chat;
    fputs(chat ? "\"message\":{\"role\":\"assistant\",\"content\":" : "\"response\":", out);
    write_text(out, text);
    if (thought.size) fputs(",\"thinking\":", out), write_text(out, thought);
    if (chat && *calls) fprintf(out, ",\"tool_calls\":[%s]", calls);
    if (chat) fputc('}', out);
}

/* Times are nanoseconds. */
static void ollama_done(FILE *out, const TextJob *t) {
    Usage u;
    text_job_usage(t, &u);
    const double whole = clock_seconds() - t->began;
    fprintf(out,
            ",\"done\":true,\"done_reason\":\"%s\",\"total_duration\":%.0f,\"load_duration\":0,"
            "\"prompt_eval_count\":%zu,\"prompt_eval_duration\":%.0f,\"eval_count\":%zu,"
            "\"eval_duration\":%.0f}\n",
            u.reason, 1e9 * whole, u.in, 1e9 * (u.first - u.queue), u.out,
            1e9 * (whole - u.first));
}

static void ollama_whole(FILE *out, const TextJob *t) {
    const Answer *a = &t->job->answers[0];
    Text thought;
    const Text all = thinking_answer(t, a, &thought);
    Bytes content = {0};
    ToolPlace place = {0};
    ToolPart part;
    char *calls = NULL;
    size_t size, n = 0;
    FILE *list = open_memstream(&calls, &size);
    if (!t->calls) bytes_add(&content, all);
    while (list && t->calls && tools_next(t->server->form.calls, all, true, &place, &part)) {
        if (!part.call || part.cut) /* half a call is no object */
            bytes_add(&content, part.written);
        else
            fputs(n++ ? "," : "", list), ollama_call(list, &part);
    }
    if (!list || !memory_close(list, &calls)) t->job->starved = true;
    ollama_head(out, t->model);
    ollama_said(out, t, (Text){content.size ? content.data : "", content.size}, thought,
                calls ? calls : "");
    ollama_done(out, t);
    bytes_free(&content), free(calls);
}

static void ollama_line(FILE *out, const TextJob *t, Text text, Text thought,
                        const char *calls) {
    ollama_head(out, t->model), ollama_said(out, t, text, thought, calls);
    fputs(",\"done\":false}\n", out);
}

/* Its clients read a call's arguments as an object, so it comes when it is complete. */
static void ollama_piece_call(FILE *out, TextJob *t, const Piece *p) {
    const Text none = {"", 0};
    char *call = NULL;
    size_t size;
    if (!p->call_ends) return;
    if (p->call->cut) {
        ollama_line(out, t, p->call->written, none, "");
        return;
    }
    FILE *memory = open_memstream(&call, &size);
    if (memory) ollama_call(memory, p->call);
    if (!memory || !memory_close(memory, &call)) t->job->starved = true;
    ollama_line(out, t, none, none, call ? call : "");
    free(call);
}

static void ollama_piece(FILE *out, TextJob *t, const Answer *a, const Piece *p) {
    const Text none = {"", 0};
    (void)a;
    if (p->call)
        ollama_piece_call(out, t, p);
    else if (p->text.size)
        ollama_line(out, t, p->thought ? none : p->text, p->thought ? p->text : none, "");
}

static void ollama_end(FILE *out, const TextJob *t) {
    ollama_head(out, t->model), ollama_said(out, t, (Text){"", 0}, (Text){"", 0}, "");
    ollama_done(out, t);
}

static void ollama_ping(FILE *out, const TextJob *t) {
    ollama_line(out, t, (Text){"", 0}, (Text){"", 0}, "");
}

static void ollama_error(FILE *out, const HttpError *error) {
    fputs("{\"error\":", out), write_text(out, text_of(error->fault.text));
    fputs("}\n", out);
}

static const Dialect ollama_loading = {.translate = ollama_load_translate};

/* A model without a text to answer is to be loaded; it is. */
static bool ollama_load(const JsonValue *root, const Server *s, const char *rest,
                        Reply *reply) {
    RequestFields fields = {0};
    HttpError error = {0};
    size_t size;
    int where = IN_CHAT;
    char *body = texts_translate(root, s, &ollama_loading, &where, &size, &error);
    const bool ok = body && fields_read(&fields, where, (Text){body, size}, &error) &&
                    field_model(&fields, s, &error);
    FILE *out = ok ? reply_begin(reply) : NULL;
    if (out) {
        ollama_head(out, s->name);
        fprintf(out, "%s,\"done\":true,\"done_reason\":\"load\"}\n", rest);
        reply_end(reply, out);
    }
    if (!ok) texts_refuse(&dialect_ollama_chat, &error, reply);
    reply_name_ignored(reply, &fields);
    fields_free(&fields), free(body);
    return true;
}

static bool ollama_load_chat(const JsonValue *root, const Server *s, Reply *reply) {
    const JsonValue *messages = json_get(root, "messages");
    return json_get(root, "model") && (!messages || messages->count == 0) &&
           (!messages || messages->kind == JSON_ARRAY) &&
           ollama_load(root, s, "\"message\":{\"role\":\"assistant\",\"content\":\"\"}", reply);
}

static bool ollama_load_generate(const JsonValue *root, const Server *s, Reply *reply) {
    const JsonValue *prompt = json_get(root, "prompt");
    return json_get(root, "model") && !member_text(root, "suffix").size &&
           (!prompt || (prompt->kind == JSON_STRING && prompt->text.size == 0)) &&
           ollama_load(root, s, "\"response\":\"\"", reply);
}

#define OLLAMA                                                                           \
    .stream_type = "application/x-ndjson", .whole = ollama_whole, .piece = ollama_piece, \
    .end = ollama_end, .ping = ollama_ping, .failure = ollama_error, .error = ollama_error

const Dialect dialect_ollama_chat = {OLLAMA, .translate = ollama_chat_translate,
                                     .names = ollama_chat_names, .instead = ollama_load_chat};
static const Dialect ollama_generate = {
    OLLAMA, .translate = ollama_generate_translate, .names = ollama_generate_names,
    .where = ollama_generate_where, .instead = ollama_load_generate};

void handle_ollama_chat(const HttpRequest *request, Reply *reply) {
    texts_handle(request, IN_CHAT, &dialect_ollama_chat, reply);
}

void handle_ollama_generate(const HttpRequest *request, Reply *reply) {
    texts_handle(request, IN_CHAT, &ollama_generate, reply);
}
