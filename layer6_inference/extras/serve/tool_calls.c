/* tool_calls.c - see tool_calls.h. */
#include "tool_calls.h"

#include "calls/write.h"
#include "chat.h"
#include "json.h"

#include <stdlib.h>
#include <string.h>

/* ------------------------------------------------------------------ the request */

/* {"type": "function", "function": {"name": ...}} */
static bool tool_calls_read_one(const JsonValue *choice, const JsonValue *tools, ToolRule *rule,
                                HttpError *error) {
    const JsonValue *f = json_get(choice, "function"), *name = f ? json_get(f, "name") : NULL;
    *rule = (ToolRule){.required = true};
    if (name && name->kind == JSON_STRING) rule->only = tools_find(tools, name->text);
    return rule->only ||
           http_error(error, 400, "tool_choice", "tool_choice: names no function in tools");
}

static bool read_choice(const JsonValue *choice, const JsonValue *tools, bool *any,
                        ToolRule *rule, HttpError *error) {
    if (choice->kind == JSON_OBJECT && *any)
        return tool_calls_read_one(choice, tools, rule, error);
    Text word = json_text(choice);
    rule->required = text_equal(word, text_of("required"));
    if (text_equal(word, text_of("none"))) return *any = false, true;
    if (!rule->required && !text_equal(word, text_of("auto")))
        return http_error(error, 400, "tool_choice",
                          "tool_choice: wanted none, auto, required or a function in tools");
    return *any || http_error(error, 400, "tool_choice", "tool_choice: needs tools");
}

static bool read_tools(const RequestFields *fields, bool *any, ToolRule *rule,
                       HttpError *error) {
    const JsonValue *choice = fields->value[F_TOOL_CHOICE], *tools = fields->value[F_TOOLS];
    *any = tools && tools->count;
    *rule = (ToolRule){0};
    if (*any && !tools_check(tools, &error->fault))
        return http_error_fault(error, 400, "tools");
    if (!*any && fields->value[F_PARALLEL_TOOL_CALLS])
        return http_error(error, 400, "parallel_tool_calls",
                          "parallel_tool_calls: needs tools");
    if (choice && !read_choice(choice, tools, any, rule, error)) return false;
    rule->once = !fields_bool(fields, F_PARALLEL_TOOL_CALLS, true);
    return true;
}

bool tool_calls_read(const RequestFields *fields, bool *any, HttpError *error) {
    ToolRule rule;
    return read_tools(fields, any, &rule, error);
}

bool tool_calls_constrain(const RequestFields *fields, ChatCalls form, FILE *out,
                          HttpError *error) {
    ToolRule rule;
    bool any;
    if (!read_tools(fields, &any, &rule, error)) return false;
    if (!any) return true;
    if (fields->value[F_RESPONSE_FORMAT])
        return http_error(error, 400, "response_format",
                          "response_format: does not go with tools");
    return tools_stage(out, form, fields->value[F_TOOLS], &rule, &error->fault) ||
           http_error_fault(error, 500, "tools");
}

/* ------------------------------------------------------------------ the answer */

/* Nine letters and digits, as Mistral's templates require. */
void tool_call_write_id(FILE *out, const char *name, const char *id, size_t answer,
                        size_t index) {
    static const char letters[] = "abcdefghijklmnopqrstuvwxyz0123456789";
    uint64_t number = strtoull(strchr(id, '-') + 1, NULL, 16);
    fprintf(out, "\"%s\":\"", name);
    for (uint64_t i = 0; i < 9; i++)
        fputc(letters[rng_hash(number, (answer << 16) + index, i) % 36], out);
    fputs("\"", out);
}

void tool_call_write(FILE *out, const ToolPart *call, const char *id, size_t answer,
                     size_t index) {
    fputc('{', out), tool_call_write_id(out, "id", id, answer, index);
    fputs(",\"type\":\"function\",\"function\":{\"name\":", out);
    write_text(out, call->name), fputs(",\"arguments\":", out);
    write_text(out, call->text), fputs("}}", out);
}
