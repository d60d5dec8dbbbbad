/* responses_request.c - a request to /v1/responses as one for a chat.
 *
 *     {"instructions": "Be brief.", "input": "Hi", "max_output_tokens": 9}
 *     {"input": [{"role": "user", "content": [{"type": "input_text", "text": "Hi"}]},
 *                {"type": "function_call", "call_id": "a", "name": "time", "arguments": "{}"},
 *                {"type": "function_call_output", "call_id": "a", "output": "noon"}],
 *      "tools": [{"type": "function", "name": "time", "parameters": {...}}],
 *      "text": {"format": {"type": "json_schema", "name": "x", "schema": {...}}}}
 *
 * What a model did in one turn are several items: a thought, a text, calls.  They become one
 * message again.  Nothing is stored here, so a request brings the whole conversation.
 *
 * Source   OpenAI, API reference, Responses */
#include "responses.h"

#include <string.h>

/* Fields that are others in a chat, or have no effect ("").  The core knows or refuses the
 * rest. */
static const Alias responses_fields[] = {
    {"input", ""},
    {"instructions", ""},
    {"tools", ""},
    {"tool_choice", ""},
    {"text", ""},
    {"reasoning", ""},
    {"include", ""},
    {"previous_response_id", ""},
    {"background", ""},
    {"truncation", ""},
    {"conversation", ""},
    {"stream_options", ""},
    {"parallel_tool_calls", ""},
    {"max_output_tokens", "max_tokens"},
};

const Alias responses_names[] = {{"max_output_tokens", "max_tokens"},
                                 {"input", "messages"},
                                 {"text", "response_format"},
                                 {"reasoning", "reasoning_effort"},
                                 {0}};

static bool responses_wrong(HttpError *error, const char *param, const char *what) {
    return http_error(error, 400, param, "%s: %s", param, what);
}

static bool is_given(const JsonValue *v) { return v && v->kind != JSON_NULL; }

/* ------------------------------------------------------------------ items of the input */

/* A part of a message: a text, or a picture in its URL. */
static bool responses_part(const JsonValue *part, FILE *out, HttpError *error) {
    static const Alias texts[] = {
        {"input_text", "text"}, {"output_text", "text"}, {"refusal", "refusal"}};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        if (!block_is(part, texts[i].name)) continue;
        fputs("{\"type\":\"text\",\"text\":", out);
        write_text(out, member_text(part, texts[i].openai));
        return fputc('}', out) >= 0;
    }
    if (!block_is(part, "input_image"))
        return responses_wrong(error, "input",
                               "a part: wanted the type input_text, input_image or "
                               "output_text");
    const Text detail = member_text(part, "detail");
    fputs("{\"type\":\"image_url\",\"image_url\":{\"url\":", out);
    write_text(out, member_text(part, "image_url"));
    if (detail.size) fputs(",\"detail\":", out), write_text(out, detail);
    return fputs("}}", out) >= 0;
}

static bool responses_content(const JsonValue *content, FILE *out, HttpError *error) {
    if (content && content->kind == JSON_STRING) return write_text(out, content->text), true;
    if (!content || content->kind != JSON_ARRAY)
        return responses_wrong(error, "input", "content: wanted a text or a list of parts");
    fputc('[', out);
    for (size_t i = 0; i < content->count; i++) {
        if (i) fputc(',', out);
        if (!responses_part(&content->items[i], out, error)) return false;
    }
    return fputc(']', out) >= 0;
}

/* The parts of a model's turn, in their order; TURN_NONE: the item belongs to another. */
enum { TURN_NONE, TURN_THOUGHT, TURN_TEXT, TURN_CALL };

static bool responses_is_message(const JsonValue *item) {
    return block_is(item, "message") || (!json_get(item, "type") && json_get(item, "role"));
}

static int responses_turn(const JsonValue *item) {
    if (block_is(item, "reasoning")) return TURN_THOUGHT;
    if (block_is(item, "function_call")) return TURN_CALL;
    return responses_is_message(item) &&
                   text_equal(member_text(item, "role"), text_of("assistant"))
               ? TURN_TEXT
               : TURN_NONE;
}

static void responses_call(const JsonValue *item, FILE *out) {
    fputs("{\"type\":\"function\",\"id\":", out);
    write_text(out, member_text(item, "call_id"));
    fputs(",\"function\":{\"name\":", out), write_text(out, member_text(item, "name"));
    fputs(",\"arguments\":", out), write_text(out, member_text(item, "arguments"));
    fputs("}}", out);
}

/* Its content, or where that is empty its summary. */
static bool responses_thought(const JsonValue *item, FILE *out) {
    const JsonValue *content = json_get(item, "content");
    fputs(",\"reasoning_content\":", out);
    return content && content->count
               ? blocks_write(content, "reasoning_text", "text", out)
               : blocks_write(json_get(item, "summary"), "summary_text", "text", out);
}

/* The model's turn from item i on, as one message; returns the item after it, 0: refused. */
static size_t responses_assistant(const JsonValue *list, size_t i, FILE *out,
                                  HttpError *error) {
    bool text = false, calls = false;
    int before = TURN_NONE;
    fputs("{\"role\":\"assistant\"", out);
    for (; i < list->count; i++) {
        const JsonValue *item = &list->items[i];
        const int turn = responses_turn(item);
        if (turn < before || (turn == before && turn != TURN_CALL) || !turn) break;
        before = turn;
        if (turn == TURN_THOUGHT && !responses_thought(item, out)) return 0;
        if (turn == TURN_TEXT) fputs(",\"content\":", out), text = true;
        if (turn == TURN_TEXT && !responses_content(json_get(item, "content"), out, error))
            return 0;
        if (turn != TURN_CALL) continue;
        fputs(calls ? "," : ",\"tool_calls\":[", out), calls = true;
        responses_call(item, out);
    }
    fputs(calls ? "]" : "", out);
    fputs(text ? "}" : ",\"content\":\"\"}", out);
    return i;
}

/* A message, or a call's result. */
static bool responses_item(const JsonValue *item, FILE *out, HttpError *error) {
    if (block_is(item, "function_call_output")) {
        fputs("{\"role\":\"tool\",\"tool_call_id\":", out);
        write_text(out, member_text(item, "call_id")), fputs(",\"content\":", out);
        return responses_content(json_get(item, "output"), out, error) && fputc('}', out) >= 0;
    }
    if (!responses_is_message(item))
        return responses_wrong(error, "input",
                               "an item: wanted the type message, function_call, "
                               "function_call_output or reasoning");
    fputs("{\"role\":", out), write_text(out, member_text(item, "role"));
    fputs(",\"content\":", out);
    return responses_content(json_get(item, "content"), out, error) && fputc('}', out) >= 0;
}

static bool responses_messages(const JsonValue *root, FILE *out, HttpError *error) {
    const JsonValue *input = json_get(root, "input"), *first = json_get(root, "instructions");
    fputs("\"messages\":[", out);
    if (is_given(first) && first->kind != JSON_STRING)
        return responses_wrong(error, "instructions", "wanted a text");
    if (is_given(first)) {
        fputs("{\"role\":\"system\",\"content\":", out), write_text(out, first->text);
        fputs("},", out);
    }
    if (input && input->kind == JSON_STRING) {
        fputs("{\"role\":\"user\",\"content\":", out), write_text(out, input->text);
        return fputs("}]", out) >= 0;
    }
    if (!input || input->kind != JSON_ARRAY || !input->count)
        return responses_wrong(error, "input", "wanted a text or a list of items");
    for (size_t i = 0; i < input->count;) {
        if (i) fputc(',', out);
        if (responses_turn(&input->items[i])) {
            if (!(i = responses_assistant(input, i, out, error))) return false;
        } else if (!responses_item(&input->items[i++], out, error)) {
            return false;
        }
    }
    return fputc(']', out) >= 0;
}

/* ------------------------------------------------------------------ tools and the form */

static bool responses_tools(const JsonValue *tools, FILE *out, HttpError *error) {
    static const char *const members[] = {"name", "description", "parameters", "strict"};
    if (!is_given(tools)) return true;
    if (tools->kind != JSON_ARRAY) return responses_wrong(error, "tools", "wanted an array");
    fputs(",\"tools\":[", out);
    for (size_t i = 0; i < tools->count; i++) {
        const JsonValue *tool = &tools->items[i], *v;
        bool first = true;
        if (!block_is(tool, "function"))
            return responses_wrong(error, "tools",
                                   "wanted the type function: no others run here");
        fputs(i ? ",{\"type\":\"function\",\"function\":{"
                : "{\"type\":\"function\",\"function\":{",
              out);
        for (size_t k = 0; k < sizeof members / sizeof *members; k++)
            if (is_given(v = json_get(tool, members[k])))
                member_begin(out, &first, members[k]), write_value(out, v);
        fputs("}}", out);
    }
    return fputc(']', out) >= 0;
}

/* Can a choice be followed without tools? */
static bool calls_nothing(const JsonValue *choice) {
    return choice->kind == JSON_STRING && (text_equal(choice->text, text_of("auto")) ||
                                           text_equal(choice->text, text_of("none")));
}

static void responses_choice(const JsonValue *root, FILE *out) {
    const JsonValue *choice = json_get(root, "tool_choice"),
                    *many = json_get(root, "parallel_tool_calls"),
                    *tools = json_get(root, "tools");
    const bool without = !tools || !tools->count; /* "auto" and true are sent all the same */
    if (is_given(many) && !(without && json_is_flag(many)))
        fputs(",\"parallel_tool_calls\":", out), write_value(out, many);
    if (!is_given(choice) || (without && calls_nothing(choice))) return;
    fputs(",\"tool_choice\":", out);
    if (!block_is(choice, "function")) {
        write_value(out, choice);
        return;
    }
    fputs("{\"type\":\"function\",\"function\":{\"name\":", out);
    write_text(out, member_text(choice, "name")), fputs("}}", out);
}

/* {"format": {"type": "json_schema", "name": ..., "schema": ...}, "verbosity": ...} */
static bool responses_form(const JsonValue *text, FILE *out, HttpError *error) {
    static const char *const members[] = {"name", "description", "schema", "strict"};
    const JsonValue *format = is_given(text) ? json_get(text, "format") : NULL, *v;
    bool first = true;
    if (is_given(text) && text->kind != JSON_OBJECT)
        return responses_wrong(error, "text", "wanted an object with a format");
    for (size_t i = 0; is_given(text) && i < text->count && !fields_are_lenient(); i++)
        if (is_given(&text->items[i]) && !text_equal(text->keys[i], text_of("format")))
            return responses_wrong(error, "text", "wanted a format only");
    if (!is_given(format)) return true;
    fputs(",\"response_format\":{\"type\":", out);
    write_text(out, member_text(format, "type"));
    if (block_is(format, "json_schema")) {
        fputs(",\"json_schema\":{", out);
        for (size_t k = 0; k < sizeof members / sizeof *members; k++)
            if (is_given(v = json_get(format, members[k])))
                member_begin(out, &first, members[k]), write_value(out, v);
        fputc('}', out);
    }
    return fputc('}', out) >= 0;
}

static bool responses_reasoning(const JsonValue *reasoning, FILE *out, HttpError *error) {
    if (!is_given(reasoning)) return true;
    if (reasoning->kind != JSON_OBJECT)
        return responses_wrong(error, "reasoning", "wanted an object with an effort");
    for (size_t i = 0; i < reasoning->count; i++) {
        const Text name = reasoning->keys[i];
        const JsonValue *v = &reasoning->items[i];
        const bool summary = text_equal(name, text_of("summary")) ||
                             text_equal(name, text_of("generate_summary"));
        if (!is_given(v) || summary) continue; /* the thought itself is in the answer */
        if (text_equal(name, text_of("effort")))
            fputs(",\"reasoning_effort\":", out), write_value(out, v);
        else if (!fields_are_lenient())
            return responses_wrong(error, "reasoning", "wanted effort and summary only");
    }
    return true;
}

/* ------------------------------------------------------------------ the rest */

/* What needs a store, or work after the answer. */
static bool responses_check(const JsonValue *root, HttpError *error) {
    const JsonValue *before = json_get(root, "previous_response_id"),
                    *talk = json_get(root, "conversation"),
                    *later = json_get(root, "background"), *cut = json_get(root, "truncation"),
                    *include = json_get(root, "include");
    if (is_given(before) || is_given(talk))
        return responses_wrong(error,
                               is_given(before) ? "previous_response_id" : "conversation",
                               "nothing is stored here: send the earlier items in `input`");
    if (is_given(later) && later->kind != JSON_FALSE)
        return responses_wrong(error, "background", "wanted false: nothing is stored here");
    if (is_given(cut) && !text_equal(member_text(root, "truncation"), text_of("disabled")))
        return responses_wrong(error, "truncation", "wanted disabled");
    if (is_given(include) && include->kind != JSON_ARRAY)
        return responses_wrong(error, "include", "wanted a list");
    for (size_t i = 0; is_given(include) && i < include->count; i++)
        if (include->items[i].kind != JSON_STRING ||
            !text_equal(include->items[i].text, text_of("reasoning.encrypted_content")))
            return responses_wrong(error, "include",
                                   "wanted reasoning.encrypted_content, or nothing");
    return true;
}

bool responses_translate(const JsonValue *root, const Server *s, FILE *out, HttpError *error) {
    (void)s;
    static const char *const unseen[] = {"n", "logprobs", "messages", NULL};
    if (!members_refuse(root, unseen, error) || !responses_check(root, error) ||
        !responses_messages(root, out, error))
        return false;
    alias_pass(root, responses_fields, sizeof responses_fields / sizeof *responses_fields, out);
    responses_choice(root, out);
    return responses_reasoning(json_get(root, "reasoning"), out, error) &&
           responses_tools(json_get(root, "tools"), out, error) &&
           responses_form(json_get(root, "text"), out, error);
}
