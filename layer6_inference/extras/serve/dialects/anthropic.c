/* anthropic.c - answers of /v1/messages, whole and as events.
 *
 *     event: message_start          the message, still empty
 *     event: content_block_start    a text or a call begins
 *     event: content_block_delta    more of it; of a call's input as it is written
 *     event: content_block_stop
 *     event: message_delta          why it ended, and the tokens
 *     event: message_stop
 *
 * Source   Anthropic, API reference, Streaming messages */
#include "anthropic.h"

#include "text_fields.h"
#include "thinking.h"
#include "tool_calls.h"

#include <stdlib.h>
#include <string.h>

static const char *anthropic_reason(const Answer *a, bool called) {
    const char *reason = finish_reason(a);
    if (reason && strcmp(reason, "length") == 0) return "max_tokens";
    if (called) return "tool_use";
    return a->request.result.reason == STOP_STRING ? "stop_sequence" : "end_turn";
}

static void anthropic_usage(FILE *out, const TextJob *t) {
    Usage u;
    text_job_usage(t, &u);
    fprintf(out,
            "\"usage\":{\"input_tokens\":%zu,\"cache_creation_input_tokens\":0,"
            "\"cache_read_input_tokens\":%zu,\"output_tokens\":%zu}",
            u.in - u.cached, u.cached, u.out);
}

static void anthropic_head(FILE *out, const TextJob *t) {
    fprintf(out, "\"id\":\"msg_%s\",\"type\":\"message\",\"role\":\"assistant\",\"model\":",
            strchr(t->id, '-') + 1);
    write_text(out, text_of(t->model));
}

/* A call's head. */
static void anthropic_call(FILE *out, const TextJob *t, const Answer *a, const ToolPart *call,
                           size_t index) {
    fputs("{\"type\":\"tool_use\",", out);
    tool_call_write_id(out, "id", t->id, a->index, index);
    fputs(",\"name\":", out), write_text(out, call->name);
}

/* ------------------------------------------------------------------ whole */

static void anthropic_put_text(FILE *out, const char *type, Text text, size_t *blocks) {
    if (!text.size) return;
    fprintf(out, "%s{\"type\":\"%s\",\"%s\":", (*blocks)++ ? "," : "", type, type);
    write_text(out, text);
    fputs(strcmp(type, "thinking") == 0 ? ",\"signature\":\"\"}" : "}", out);
}

static void anthropic_whole(FILE *out, const TextJob *t) {
    const Answer *a = &t->job->answers[0];
    Text thought;
    const Text all = thinking_answer(t, a, &thought);
    ToolPlace place = {0};
    ToolPart part;
    size_t blocks = 0, calls = 0;
    fputc('{', out), anthropic_head(out, t), fputs(",\"content\":[", out);
    anthropic_put_text(out, "thinking", thought, &blocks);
    if (!t->calls) anthropic_put_text(out, "text", all, &blocks);
    while (t->calls && tools_next(t->server->form.calls, all, true, &place, &part)) {
        if (!part.call || part.cut) { /* half an input is no object */
            anthropic_put_text(out, "text", part.written, &blocks);
            continue;
        }
        if (blocks++) fputc(',', out);
        anthropic_call(out, t, a, &part, calls++);
        fputs(",\"input\":", out), tools_write_arguments(out, &part), fputc('}', out);
    }
    fprintf(out, "],\"stop_reason\":\"%s\",\"stop_sequence\":null,",
            anthropic_reason(a, calls > 0));
    anthropic_usage(out, t), fputc('}', out);
}

/* ------------------------------------------------------------------ events */

static void anthropic_event(FILE *out, const char *name) {
    fprintf(out, "event: %s\ndata: {\"type\":\"%s\"", name, name);
}

static void anthropic_close(FILE *out, TextJob *t) {
    if (!t->block_open) return;
    anthropic_event(out, "content_block_stop");
    fprintf(out, ",\"index\":%zu}\n\n", t->blocks++);
    t->block_open = NULL;
}

/* A thought and a text are blocks of their own. */
static void anthropic_piece_text(FILE *out, TextJob *t, const Piece *p) {
    const char *type = p->thought ? "thinking" : "text";
    if (t->block_open && strcmp(t->block_open, type) != 0) anthropic_close(out, t);
    if (!t->block_open) {
        anthropic_event(out, "content_block_start");
        fprintf(out, ",\"index\":%zu,\"content_block\":{\"type\":\"%s\",\"%s\":\"\"%s}}\n\n",
                t->blocks, type, type, p->thought ? ",\"signature\":\"\"" : "");
    }
    t->block_open = type;
    anthropic_event(out, "content_block_delta");
    fprintf(out, ",\"index\":%zu,\"delta\":{\"type\":\"%s_delta\",\"%s\":", t->blocks, type,
            type);
    write_text(out, p->text), fputs("}}\n\n", out);
}

static void anthropic_piece_call(FILE *out, TextJob *t, const Answer *a, const Piece *p) {
    if (p->call_begins) {
        anthropic_close(out, t);
        anthropic_event(out, "content_block_start");
        fprintf(out, ",\"index\":%zu,\"content_block\":", t->blocks);
        anthropic_call(out, t, a, p->call, p->call_index);
        fputs(",\"input\":{}}}\n\n", out);
        t->block_open = "tool_use";
    }
    if (p->text.size) {
        anthropic_event(out, "content_block_delta");
        fprintf(out,
                ",\"index\":%zu,\"delta\":{\"type\":\"input_json_delta\",\"partial_json\":",
                t->blocks);
        write_text(out, p->text), fputs("}}\n\n", out);
    }
    if (p->call_ends) anthropic_close(out, t);
}

static void anthropic_piece(FILE *out, TextJob *t, const Answer *a, const Piece *p) {
    if (p->begins) {
        anthropic_event(out, "message_start");
        fputs(",\"message\":{", out), anthropic_head(out, t);
        fputs(",\"content\":[],\"stop_reason\":null,\"stop_sequence\":null,", out);
        anthropic_usage(out, t), fputs("}}\n\n", out);
    }
    if (p->call) anthropic_piece_call(out, t, a, p);
    if (!p->call && p->text.size) anthropic_piece_text(out, t, p);
    if (!p->ends) return;
    anthropic_close(out, t);
    anthropic_event(out, "message_delta");
    fprintf(out, ",\"delta\":{\"stop_reason\":\"%s\",\"stop_sequence\":null},",
            anthropic_reason(a, p->called));
    anthropic_usage(out, t), fputs("}\n\n", out);
    anthropic_event(out, "message_stop"), fputs("}\n\n", out);
}

static void anthropic_end(FILE *out, const TextJob *t) { (void)out, (void)t; }

static void anthropic_ping(FILE *out, const TextJob *t) {
    (void)t;
    anthropic_event(out, "ping"), fputs("}\n\n", out);
}

static void anthropic_error_members(FILE *out, const HttpError *error) {
    fprintf(out, "\"error\":{\"type\":\"%s\",\"message\":", http_error_type(error->status));
    write_text(out, text_of(error->fault.text)), fputs("}}", out);
}

static void anthropic_failure(FILE *out, const HttpError *error) {
    anthropic_event(out, "error"), fputc(',', out);
    anthropic_error_members(out, error), fputs("\n\n", out);
}

static void anthropic_error(FILE *out, const HttpError *error) {
    fputs("{\"type\":\"error\",", out), anthropic_error_members(out, error);
}

/* Its API has no default for the length. */
static bool anthropic_message_translate(const JsonValue *root, const Server *s, FILE *out,
                                        HttpError *error) {
    const JsonValue *most = json_get(root, "max_tokens");
    if (!most || most->kind == JSON_NULL)
        return http_error(error, 400, "max_tokens", "max_tokens: missing");
    return anthropic_translate(root, s, out, error);
}

const Dialect dialect_anthropic = {.stream_type = "text/event-stream",
                                   .translate = anthropic_message_translate,
                                   .names = anthropic_names,
                                   .whole = anthropic_whole,
                                   .piece = anthropic_piece,
                                   .end = anthropic_end,
                                   .ping = anthropic_ping,
                                   .failure = anthropic_failure,
                                   .error = anthropic_error};

static const Dialect anthropic_counting = {.translate = anthropic_translate};

void handle_messages(const HttpRequest *request, Reply *reply) {
    texts_handle(request, IN_CHAT, &dialect_anthropic, reply);
}

/* The prompt's tokens, without an answer. */
void handle_count_tokens(const HttpRequest *request, Reply *reply) {
    const Server *s = request->server;
    const uint64_t user = keys_salt(request->key, (Text){0});
    Prompts prompts = {.shown.of = s->pictures.places ? &request->server->pictures : NULL,
                       .user = user,
                       .salt = user};
    RequestFields fields = {0};
    HttpError error = {0};
    size_t size;
    int where = IN_CHAT;
    Json *json = fields_parse(request->body, &error);
    char *body =
        json ? texts_translate(json_root(json), s, &anthropic_counting, &where, &size, &error)
             : NULL;
    bool ok = body && fields_read(&fields, where, (Text){body, size}, &error) &&
              field_model(&fields, s, &error) && prompts_read(&fields, s, &prompts, &error);
    FILE *out = ok ? reply_begin(reply) : NULL;
    if (out) {
        fprintf(out, "{\"input_tokens\":%zu}", prompts.lists[0].count);
        reply_end(reply, out);
    }
    if (!ok && json)
        dialect_name_error(&dialect_anthropic,
                           dialect_sent(&dialect_anthropic, json_root(json)), &error);
    if (!ok) texts_refuse(&dialect_anthropic, &error, reply);
    reply_name_ignored(reply, &fields);
    prompts_free(&prompts), fields_free(&fields), free(body), json_free(json);
}
