/* responses.c - answers of /v1/responses, whole and as events.
 *
 *     response.created, response.in_progress     the response, still empty
 *     response.output_item.added                 a thought, a message or a call begins
 *     response.content_part.added                ... a message's text
 *     response.output_text.delta                 more of it; of a call
 *                                                function_call_arguments.delta
 *     response.output_text.done, response.content_part.done, response.output_item.done
 *     response.completed                         the whole response
 *
 * Source   OpenAI, API reference, Responses: streaming events */
#include "responses.h"

#include "text_fields.h"
#include "thinking.h"
#include "tool_calls.h"

#include <stdlib.h>
#include <string.h>

static const char item_thought[] = "reasoning", item_text[] = "message",
                  item_call[] = "function_call";

static const char *responses_hex(const TextJob *t) { return strchr(t->id, '-') + 1; }

static const char *responses_status(const Answer *a) {
    const char *reason = finish_reason(a);
    return reason && strcmp(reason, "length") == 0 ? "incomplete" : "completed";
}

/* ------------------------------------------------------------------ items */

static const char *item_prefix(const char *type) {
    return type == item_text ? "msg" : type == item_call ? "fc" : "rs";
}

static void responses_item_id(FILE *out, const char *name, const char *type, const TextJob *t,
                              size_t index) {
    fprintf(out, "\"%s\":\"%s_%s%zu\"", name, item_prefix(type), responses_hex(t), index);
}

/* A text as the part of an item. */
static void responses_text_part(FILE *out, const char *type, Text text) {
    const bool thought = type == item_thought;
    fprintf(out, "{\"type\":\"%s\",\"text\":", thought ? "reasoning_text" : "output_text");
    write_text(out, text);
    fputs(thought ? "}" : ",\"annotations\":[],\"logprobs\":[]}", out);
}

/* A thought or a message; text NULL: it begins. */
static void responses_text_item(FILE *out, const TextJob *t, const char *type, size_t index,
                                const char *status, const Text *text) {
    fputc('{', out), responses_item_id(out, "id", type, t, index);
    fprintf(out, ",\"type\":\"%s\",\"status\":\"%s\",%s\"content\":[", type, status,
            type == item_text ? "\"role\":\"assistant\"," : "\"summary\":[],");
    if (text) responses_text_part(out, type, *text);
    fputs("]}", out);
}

/* A call, its arguments as a text. */
static void responses_call_item(FILE *out, const TextJob *t, const ToolPart *call,
                                size_t call_index, size_t index, const char *status,
                                Text arguments) {
    fputc('{', out), responses_item_id(out, "id", item_call, t, index);
    fprintf(out, ",\"type\":\"%s\",\"status\":\"%s\",", item_call, status);
    tool_call_write_id(out, "call_id", t->id, 0, call_index);
    fputs(",\"name\":", out), write_text(out, call->name);
    fputs(",\"arguments\":", out), write_text(out, arguments), fputc('}', out);
}

/* As it ends: a call that was cut off is incomplete. */
static void responses_whole_call(FILE *out, const TextJob *t, const ToolPart *call,
                                 size_t call_index, size_t index) {
    responses_call_item(out, t, call, call_index, index, call->cut ? "incomplete" : "completed",
                        call->text);
}

/* All items of an answer that is over; a text between two calls is one. */
static void responses_output(FILE *out, const TextJob *t, const Answer *a) {
    Text thought;
    const Text all = thinking_answer(t, a, &thought);
    Bytes text = {0};
    ToolPlace place = {0};
    ToolPart part;
    size_t items = 0, calls = 0;
    bool more = true;
    if (thought.size) responses_text_item(out, t, item_thought, items++, "completed", &thought);
    while (more) {
        more = t->calls && tools_next(t->server->form.calls, all, true, &place, &part);
        if (!t->calls && !bytes_add(&text, all)) t->job->starved = true;
        if (more && !part.call) {
            if (!bytes_add(&text, part.text)) t->job->starved = true;
            continue;
        }
        const Text said = {text.size ? text.data : "", text.size};
        if (said.size || (!more && !items)) {
            fputs(items ? "," : "", out);
            responses_text_item(out, t, item_text, items++, responses_status(a), &said);
        }
        bytes_free(&text), text = (Bytes){0};
        if (!more) break;
        fputs(items ? "," : "", out);
        responses_whole_call(out, t, &part, calls++, items++);
    }
}

/* ------------------------------------------------------------------ the response */

/* What was asked for, as far as its clients' types need it. */
static void responses_echo(FILE *out, const TextJob *t) {
    static const char *const numbers[][2] = {{"temperature", "temperature"},
                                             {"top_p", "top_p"},
                                             {"max_output_tokens", "max_tokens"}};
    const JsonValue *root = t->fields.root, *tools = t->fields.value[F_TOOLS],
                    *choice = t->fields.value[F_TOOL_CHOICE];
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        const JsonValue *v = json_get(root, numbers[i][1]);
        fprintf(out, ",\"%s\":", numbers[i][0]);
        if (v) write_value(out, v);
        fputs(v ? "" : "null", out);
    }
    fprintf(out, ",\"parallel_tool_calls\":%s,\"tool_choice\":",
            fields_bool(&t->fields, F_PARALLEL_TOOL_CALLS, true) ? "true" : "false");
    if (choice && choice->kind == JSON_OBJECT) {
        fputs("{\"type\":\"function\",\"name\":", out);
        write_text(out, member_text(json_get(choice, "function"), "name")), fputc('}', out);
    } else {
        write_text(out, choice ? choice->text : text_of("auto"));
    }
    fputs(",\"tools\":[", out);
    for (size_t i = 0; tools && i < tools->count; i++) {
        const JsonValue *f = json_get(&tools->items[i], "function"),
                        *schema = json_get(f, "parameters");
        fputs(i ? ",{\"type\":\"function\",\"name\":" : "{\"type\":\"function\",\"name\":",
              out);
        write_text(out, member_text(f, "name")), fputs(",\"strict\":true,\"parameters\":", out);
        if (schema) write_value(out, schema);
        fputs(schema ? "}" : "null}", out);
    }
    fputs("],\"previous_response_id\":null,\"instructions\":null,\"metadata\":{}", out);
}

/* a NULL: it begins. */
static void responses_write(FILE *out, const TextJob *t, const Answer *a) {
    const char *status = a ? responses_status(a) : "in_progress";
    Usage u;
    fprintf(out,
            "{\"id\":\"resp_%s\",\"object\":\"response\",\"created_at\":%ld,\"status\":\"%s\","
            "\"error\":null,\"incomplete_details\":%s,\"model\":",
            responses_hex(t), t->created, status,
            strcmp(status, "incomplete") == 0 ? "{\"reason\":\"max_output_tokens\"}" : "null");
    write_text(out, text_of(t->model));
    fputs(",\"output\":[", out);
    if (a) responses_output(out, t, a);
    fputc(']', out), responses_echo(out, t);
    if (!a) {
        fputs(",\"usage\":null}", out);
        return;
    }
    text_job_usage(t, &u);
    fprintf(out,
            ",\"usage\":{\"input_tokens\":%zu,\"input_tokens_details\":{\"cached_tokens\":%zu},"
            "\"output_tokens\":%zu,\"output_tokens_details\":{\"reasoning_tokens\":%zu},"
            "\"total_tokens\":%zu}}",
            u.in, u.cached, u.out, thinking_tokens(t), u.in + u.out);
}

static void responses_whole(FILE *out, const TextJob *t) {
    responses_write(out, t, &t->job->answers[0]);
}

/* ------------------------------------------------------------------ events */

static void responses_event(FILE *out, TextJob *t, const char *name) {
    fprintf(out, "event: response.%s\ndata: {\"type\":\"response.%s\",\"sequence_number\":%zu",
            name, name, t->events++);
}

static void responses_state(FILE *out, TextJob *t, const char *name, const Answer *a) {
    responses_event(out, t, name);
    fputs(",\"response\":", out), responses_write(out, t, a), fputs("}\n\n", out);
}

/* An event about the open item. */
static void responses_about(FILE *out, TextJob *t, const char *name, bool part) {
    responses_event(out, t, name);
    fprintf(out, ",\"output_index\":%zu,", t->blocks);
    responses_item_id(out, "item_id", t->block_open, t, t->blocks);
    if (part) fputs(",\"content_index\":0", out);
}

static void responses_item_event(FILE *out, TextJob *t, const char *name) {
    responses_event(out, t, name);
    fprintf(out, ",\"output_index\":%zu,\"item\":", t->blocks);
}

static void responses_begin_text(FILE *out, TextJob *t, const char *type) {
    t->block_open = type, t->block_text.size = 0;
    responses_item_event(out, t, "output_item.added");
    responses_text_item(out, t, type, t->blocks, "in_progress", NULL), fputs("}\n\n", out);
    responses_about(out, t, "content_part.added", true);
    fputs(",\"part\":", out), responses_text_part(out, type, (Text){"", 0});
    fputs("}\n\n", out);
}

/* The event `output_text.delta`, or `reasoning_text.done`, and so on. */
static void responses_text_event(FILE *out, TextJob *t, const char *what, const char *member,
                                 Text text) {
    const bool thought = t->block_open == item_thought;
    char name[40];
    snprintf(name, sizeof name, "%s.%s", thought ? "reasoning_text" : "output_text", what);
    responses_about(out, t, name, true);
    fprintf(out, ",\"%s\":", member), write_text(out, text);
    fputs(thought ? "}\n\n" : ",\"logprobs\":[]}\n\n", out);
}

static void responses_close(FILE *out, TextJob *t, const char *status) {
    if (!t->block_open) return;
    const Text text = {t->block_text.size ? t->block_text.data : "", t->block_text.size};
    responses_text_event(out, t, "done", "text", text);
    responses_about(out, t, "content_part.done", true);
    fputs(",\"part\":", out), responses_text_part(out, t->block_open, text);
    fputs("}\n\n", out);
    responses_item_event(out, t, "output_item.done");
    responses_text_item(out, t, t->block_open, t->blocks++, status, &text);
    fputs("}\n\n", out);
    t->block_open = NULL;
}

static void responses_piece_text(FILE *out, TextJob *t, const Piece *p) {
    const char *type = p->thought ? item_thought : item_text;
    if (t->block_open && t->block_open != type) responses_close(out, t, "completed");
    if (!t->block_open) responses_begin_text(out, t, type);
    responses_text_event(out, t, "delta", "delta", p->text);
    if (!bytes_add(&t->block_text, p->text)) t->job->starved = true;
}

static void responses_begin_call(FILE *out, TextJob *t, const Piece *p) {
    responses_close(out, t, "completed");
    t->block_open = item_call;
    responses_item_event(out, t, "output_item.added");
    responses_call_item(out, t, p->call, p->call_index, t->blocks, "in_progress",
                        (Text){"", 0});
    fputs("}\n\n", out);
}

static void responses_end_call(FILE *out, TextJob *t, const Piece *p) {
    responses_about(out, t, "function_call_arguments.done", false);
    fputs(",\"name\":", out), write_text(out, p->call->name);
    fputs(",\"arguments\":", out), write_text(out, p->call->text);
    fputs("}\n\n", out), responses_item_event(out, t, "output_item.done");
    responses_whole_call(out, t, p->call, p->call_index, t->blocks++);
    fputs("}\n\n", out), t->block_open = NULL;
}

static void responses_piece_call(FILE *out, TextJob *t, const Piece *p) {
    if (p->call_begins) responses_begin_call(out, t, p);
    if (p->text.size) {
        responses_about(out, t, "function_call_arguments.delta", false);
        fputs(",\"delta\":", out), write_text(out, p->text), fputs("}\n\n", out);
    }
    if (p->call_ends) responses_end_call(out, t, p);
}

static void responses_piece(FILE *out, TextJob *t, const Answer *a, const Piece *p) {
    if (p->begins)
        responses_state(out, t, "created", NULL), responses_state(out, t, "in_progress", NULL);
    if (p->call) responses_piece_call(out, t, p);
    if (!p->call && p->text.size) responses_piece_text(out, t, p);
    if (!p->ends) return;
    if (!t->block_open && !t->blocks) responses_begin_text(out, t, item_text);
    responses_close(out, t, responses_status(a));
    responses_state(out, t, responses_status(a), a);
}

static void responses_end(FILE *out, const TextJob *t) { (void)out, (void)t; }

static void responses_failure(FILE *out, const HttpError *error) {
    fprintf(out, "event: error\ndata: {\"type\":\"error\",\"code\":\"%s\",\"message\":",
            http_error_type(error->status));
    write_text(out, text_of(error->fault.text));
    fputs(",\"param\":null}\n\n", out);
}

static const Dialect responses = {.stream_type = "text/event-stream",
                                  .translate = responses_translate,
                                  .names = responses_names,
                                  .whole = responses_whole,
                                  .piece = responses_piece,
                                  .end = responses_end,
                                  .ping = openai_ping,
                                  .failure = responses_failure,
                                  .error = openai_error};

void handle_responses(const HttpRequest *request, Reply *reply) {
    texts_handle(request, IN_CHAT, &responses, reply);
}
