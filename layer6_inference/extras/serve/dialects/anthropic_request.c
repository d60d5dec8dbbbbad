/* anthropic_request.c - a request to /v1/messages in OpenAI's words.
 *
 *     {"system": "Be brief.", "max_tokens": 9, "stop_sequences": ["."],
 *      "messages": [{"role": "user", "content": [{"type": "text", "text": "Hi"}]}],
 *      "tools": [{"name": "weather", "input_schema": {...}}], "tool_choice": {"type": "any"}}
 *
 * A message of blocks may become several: the results of tools are messages of their own.
 *
 * Source   Anthropic, API reference, Messages */
#include "anthropic.h"

#include <string.h>

#define LENGTH(table) (sizeof(table) / sizeof *(table))

static const Alias anthropic_fields[] = {
    {"messages", ""},
    {"system", ""},
    {"tools", ""},
    {"tool_choice", ""},
    {"thinking", ""},
    {"output_config", ""},
    {"metadata", ""},
    {"model", "model"},
    {"service_tier", ""},
    {"stream", "stream"},
    {"max_tokens", "max_tokens"},
    {"stop_sequences", "stop"},
    {"top_p", "top_p"},
    {"top_k", "top_k"},
    {"temperature", "temperature"},
};

const Alias anthropic_names[] = {{"stop_sequences", "stop"},
                                 {"thinking", "thinking_budget"},
                                 {"thinking", "enable_thinking"},
                                 {"tool_choice", "parallel_tool_calls"},
                                 {"output_config", "response_format"},
                                 {"output_config", "reasoning_effort"},
                                 {0}};

static bool anthropic_wrong(HttpError *error, const char *param, const char *what) {
    return http_error(error, 400, param, "%s: %s", param, what);
}

/* ------------------------------------------------------------------ contents */

static bool anthropic_has(const JsonValue *content, const char *type) {
    for (size_t i = 0; content->kind == JSON_ARRAY && i < content->count; i++)
        if (block_is(&content->items[i], type)) return true;
    return content->kind == JSON_STRING && strcmp(type, "text") == 0;
}

static bool anthropic_check_blocks(const JsonValue *content, bool user, HttpError *error) {
    static const char *const mine[] = {"text", "tool_use", "thinking"}, *const theirs[] = {
                                                                            "text",
                                                                            "tool_result",
                                                                            "image"};
    if (content->kind == JSON_STRING) return true;
    if (content->kind != JSON_ARRAY)
        return anthropic_wrong(error, "messages", "content: wanted a text or blocks");
    for (size_t i = 0; i < content->count; i++) {
        bool known = false;
        for (size_t k = 0; k < 3; k++)
            known |= block_is(&content->items[i], user ? theirs[k] : mine[k]);
        if (!known)
            return anthropic_wrong(error, "messages",
                                   user
                                       ? "a block: wanted the type text, image or tool_result"
                                       : "a block: wanted the type text, tool_use or thinking");
    }
    return true;
}

static bool anthropic_image(const JsonValue *block, FILE *out, HttpError *error) {
    const JsonValue *source = json_get(block, "source");
    if (!source || !block_is(source, "base64"))
        return anthropic_wrong(error, "messages",
                               "an image: wanted a source of the type base64");
    return image_write(member_text(source, "media_type"), member_text(source, "data"), out,
                       error);
}

/* ------------------------------------------------------------------ messages */

static void anthropic_begin(FILE *out, bool *first, const char *role) {
    fprintf(out, "%s{\"role\":\"%s\",\"content\":", *first ? "" : ",", role);
    *first = false;
}

static bool anthropic_user(const JsonValue *content, bool *first, FILE *out, HttpError *error) {
    for (size_t i = 0; content->kind == JSON_ARRAY && i < content->count; i++) {
        const JsonValue *block = &content->items[i];
        if (!block_is(block, "tool_result")) continue;
        anthropic_begin(out, first, "tool");
        if (!blocks_write(json_get(block, "content"), "text", "text", out)) return false;
        fputs(",\"tool_call_id\":", out);
        write_text(out, member_text(block, "tool_use_id")), fputc('}', out);
    }
    if (!anthropic_has(content, "text") && !anthropic_has(content, "image")) return true;
    anthropic_begin(out, first, "user");
    if (anthropic_has(content, "image")) fputs("[{\"type\":\"text\",\"text\":", out);
    if (!blocks_write(content, "text", "text", out)) return false;
    if (anthropic_has(content, "image")) fputc('}', out);
    for (size_t i = 0; content->kind == JSON_ARRAY && i < content->count; i++)
        if (block_is(&content->items[i], "image") &&
            !anthropic_image(&content->items[i], out, error))
            return false;
    return fputs(anthropic_has(content, "image") ? "]}" : "}", out) >= 0;
}

static bool anthropic_assistant(const JsonValue *content, bool *first, FILE *out) {
    bool any = false;
    anthropic_begin(out, first, "assistant");
    if (!blocks_write(content, "text", "text", out)) return false;
    if (anthropic_has(content, "thinking")) {
        fputs(",\"reasoning_content\":", out);
        if (!blocks_write(content, "thinking", "thinking", out)) return false;
    }
    for (size_t i = 0; content->kind == JSON_ARRAY && i < content->count; i++) {
        const JsonValue *block = &content->items[i], *input = json_get(block, "input");
        if (!block_is(block, "tool_use")) continue;
        fputs(any ? "," : ",\"tool_calls\":[", out), any = true;
        fputs("{\"type\":\"function\",\"id\":", out), write_text(out, member_text(block, "id"));
        fputs(",\"function\":{\"name\":", out), write_text(out, member_text(block, "name"));
        fputs(",\"arguments\":", out);
        if (input) write_value(out, input);
        fputs(input ? "}}" : "{}}}", out);
    }
    return fputs(any ? "]}" : "}", out) >= 0;
}

/* A text, or blocks of text. */
static bool anthropic_is_text(const JsonValue *content) {
    bool ok = content->kind == JSON_STRING || content->kind == JSON_ARRAY;
    for (size_t i = 0; content->kind == JSON_ARRAY && i < content->count; i++)
        ok &= block_is(&content->items[i], "text");
    return ok;
}

static bool anthropic_messages(const JsonValue *root, FILE *out, HttpError *error) {
    const JsonValue *list = json_get(root, "messages"), *system = json_get(root, "system");
    bool first = true;
    if (!list || list->kind != JSON_ARRAY)
        return anthropic_wrong(error, "messages", "wanted an array");
    if (system && system->kind != JSON_NULL) {
        if (!anthropic_is_text(system))
            return anthropic_wrong(error, "system", "wanted a text, or blocks of text");
        anthropic_begin(out, &first, "system");
        if (!blocks_write(system, "text", "text", out)) return false;
        fputc('}', out);
    }
    for (size_t i = 0; i < list->count; i++) {
        const JsonValue *content = json_get(&list->items[i], "content");
        const Text role = member_text(&list->items[i], "role");
        const bool user = text_equal(role, text_of("user"));
        if (!user && !text_equal(role, text_of("assistant")))
            return anthropic_wrong(error, "messages", "role: wanted user or assistant");
        if (!content) return anthropic_wrong(error, "messages", "content is missing");
        if (!user && i + 1 == list->count)
            return anthropic_wrong(error, "messages",
                                   "the last one is the assistant's, and an answer is not "
                                   "continued here: wanted the user's");
        if (!anthropic_check_blocks(content, user, error) ||
            !(user ? anthropic_user(content, &first, out, error)
                   : anthropic_assistant(content, &first, out)))
            return false;
    }
    return true;
}

/* ------------------------------------------------------------------ tools */

static bool anthropic_tools(const JsonValue *tools, bool *first, FILE *out, HttpError *error) {
    if (!tools || tools->kind == JSON_NULL) return true;
    if (tools->kind != JSON_ARRAY) return anthropic_wrong(error, "tools", "wanted an array");
    member_begin(out, first, "tools"), fputc('[', out);
    for (size_t i = 0; i < tools->count; i++) {
        const JsonValue *tool = &tools->items[i], *schema = json_get(tool, "input_schema");
        if (!schema)
            return anthropic_wrong(error, "tools",
                                   "only tools with an input_schema: no others run here");
        fprintf(out, "%s{\"type\":\"function\",\"function\":{\"name\":", i ? "," : "");
        write_text(out, member_text(tool, "name")), fputs(",\"description\":", out);
        write_text(out, member_text(tool, "description")), fputs(",\"parameters\":", out);
        write_value(out, schema), fputs("}}", out);
    }
    return fputc(']', out) >= 0;
}

static bool anthropic_choice(const JsonValue *choice, bool *first, FILE *out,
                             HttpError *error) {
    static const Alias words[] = {{"auto", "auto"}, {"any", "required"}, {"none", "none"}};
    const JsonValue *alone = choice ? json_get(choice, "disable_parallel_tool_use") : NULL;
    if (!choice || choice->kind == JSON_NULL) return true;
    if (alone && alone->kind == JSON_TRUE)
        member_begin(out, first, "parallel_tool_calls"), fputs("false", out);
    member_begin(out, first, "tool_choice");
    for (size_t i = 0; i < LENGTH(words); i++)
        if (block_is(choice, words[i].name)) return fprintf(out, "\"%s\"", words[i].openai) > 0;
    if (!block_is(choice, "tool"))
        return anthropic_wrong(error, "tool_choice", "wanted the type auto, any, tool or none");
    fputs("{\"type\":\"function\",\"function\":{\"name\":", out);
    write_text(out, member_text(choice, "name"));
    return fputs("}}", out) >= 0;
}

static bool anthropic_thinking(const JsonValue *thinking, const ChatForm *form, bool *first,
                               FILE *out, HttpError *error) {
    const JsonValue *budget = thinking ? json_get(thinking, "budget_tokens") : NULL;
    if (!thinking || thinking->kind == JSON_NULL) return true;
    if (block_is(thinking, "disabled") && form->may_think)
        member_begin(out, first, "enable_thinking"), fputs("false", out);
    if (block_is(thinking, "disabled")) return true;
    if (!block_is(thinking, "enabled") || !budget)
        return anthropic_wrong(error, "thinking",
                               "wanted the type disabled, or enabled with budget_tokens");
    member_begin(out, first, "thinking_budget"), write_value(out, budget);
    return true;
}

/* {"format": {"type": "json_schema", "schema": {...}}, "effort": "low"} */
static bool anthropic_output(const JsonValue *config, bool *first, FILE *out,
                             HttpError *error) {
    static const Alias members[] = {{"format", ""}, {"effort", "reasoning_effort"}};
    if (!config || config->kind == JSON_NULL) return true;
    if (config->kind != JSON_OBJECT)
        return anthropic_wrong(error, "output_config", "wanted an object");
    const JsonValue *format = json_get(config, "format"),
                    *schema = format ? json_get(format, "schema") : NULL;
    if (!alias_write(config, members, LENGTH(members), first, out, error)) return false;
    if (!format || format->kind == JSON_NULL) return true;
    if (!block_is(format, "json_schema") || !schema || format->count != 2)
        return anthropic_wrong(error, "output_config",
                               "format: wanted the type json_schema and a schema");
    member_begin(out, first, "response_format");
    fputs("{\"type\":\"json_schema\",\"json_schema\":{\"schema\":", out);
    return write_value(out, schema), fputs("}}", out) >= 0;
}

bool anthropic_translate(const JsonValue *root, const Server *s, FILE *out, HttpError *error) {
    bool first = false;
    fputs("\"messages\":[", out);
    return anthropic_messages(root, out, error) && fputc(']', out) >= 0 &&
           alias_write(root, anthropic_fields, LENGTH(anthropic_fields), &first, out, error) &&
           anthropic_tools(json_get(root, "tools"), &first, out, error) &&
           anthropic_choice(json_get(root, "tool_choice"), &first, out, error) &&
           anthropic_thinking(json_get(root, "thinking"), &s->form, &first, out, error) &&
           anthropic_output(json_get(root, "output_config"), &first, out, error);
}
