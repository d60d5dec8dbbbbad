/* tools.c - see tools.h. */
#include "tools.h"

#include "listing.h"
#include "write.h"

#include <stdlib.h>
#include <string.h>

enum { TOOLS = 128, TOOL_NAME = 64 };

static const char open_mark[] = "<tool_call>", close_mark[] = "</tool_call>";

/* ------------------------------------------------------------------ what is asked */

static const JsonValue *function_of(const JsonValue *tool) {
    return json_get(tool, "function");
}

static Text name_of(const JsonValue *tool) { return json_get(function_of(tool), "name")->text; }

static bool is_name(const JsonValue *v) {
    static const char letters[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-";
    bool ok = v && v->kind == JSON_STRING && v->text.size && v->text.size <= TOOL_NAME;
    for (size_t i = 0; ok && i < v->text.size; i++)
        ok = v->text.data[i] && strchr(letters, v->text.data[i]);
    return ok;
}

static bool check_tool(const JsonValue *tool, size_t i, Refusal *refusal) {
    const JsonValue *type = json_get(tool, "type"), *f = function_of(tool),
                    *parameters = f ? json_get(f, "parameters") : NULL;
    if (!type || type->kind != JSON_STRING || !text_equal(type->text, text_of("function")) ||
        !f)
        return refuse(refusal, 400, "tools", "tools[%zu]: wanted the type function, and it", i);
    if (!is_name(json_get(f, "name")))
        return refuse(refusal, 400, "tools",
                      "tools[%zu]: wanted a name of 1 to %d letters, digits, _ and -", i,
                      TOOL_NAME);
    return !parameters || parameters->kind == JSON_OBJECT || parameters->kind == JSON_NULL ||
           refuse(refusal, 400, "tools", "tools[%zu]: its parameters are no schema", i);
}

static bool check_tools(const JsonValue *tools, Refusal *refusal) {
    if (tools->count > TOOLS)
        return refuse(refusal, 400, "tools", "tools: %zu of them, more than %d", tools->count,
                      TOOLS);
    for (size_t i = 0; i < tools->count; i++) {
        if (!check_tool(&tools->items[i], i, refusal)) return false;
        for (size_t k = 0; k < i; k++)
            if (text_equal(name_of(&tools->items[k]), name_of(&tools->items[i])))
                return refuse(refusal, 400, "tools", "tools: two have one name");
    }
    return true;
}

/* {"type": "function", "function": {"name": ...}} */
static bool read_one(const JsonValue *choice, const JsonValue *tools, Text *one,
                     Refusal *refusal) {
    const JsonValue *f = function_of(choice), *name = f ? json_get(f, "name") : NULL;
    for (size_t i = 0; name && name->kind == JSON_STRING && i < tools->count; i++)
        if (text_equal(name_of(&tools->items[i]), name->text)) return *one = name->text, true;
    return refuse(refusal, 400, "tool_choice", "tool_choice: it names no function of tools");
}

bool tools_read(const Ask *ask, ToolChoice *choice, Text *one, Refusal *refusal) {
    static const char *const names[] = {"none", "auto", "required"};
    const JsonValue *v = ask->value[F_TOOL_CHOICE], *tools = ask->value[F_TOOLS];
    bool any = tools && tools->count;
    *choice = any ? TOOLS_AUTO : TOOLS_NONE;
    if (any && !check_tools(tools, refusal)) return false;
    if (!any && ask->value[F_PARALLEL_TOOL_CALLS])
        return refuse(refusal, 400, "parallel_tool_calls",
                      "parallel_tool_calls: only with tools");
    if (!v) return true;
    if (v->kind == JSON_OBJECT && any) {
        *choice = TOOLS_ONE;
        return read_one(v, tools, one, refusal);
    }
    for (int i = 0; i < 3; i++) {
        if (v->kind != JSON_STRING || !text_equal(v->text, text_of(names[i]))) continue;
        if (!any && i > 0)
            return refuse(refusal, 400, "tool_choice", "tool_choice: only with tools");
        *choice = (ToolChoice)i;
        return true;
    }
    return refuse(refusal, 400, "tool_choice",
                  "tool_choice: wanted none, auto, required, or a function of tools");
}

/* ------------------------------------------------------------------ what a call obeys */

static void put_structure(FILE *out, const JsonValue *tool) {
    const JsonValue *parameters = json_get(function_of(tool), "parameters");
    Text name = name_of(tool);
    fprintf(out,
            "{\"begin\":\"%s\\n{\\\"name\\\": \\\"%.*s\\\", \\\"arguments\\\": \",\"schema\":",
            open_mark, (int)name.size, name.data);
    if (parameters && parameters->kind == JSON_OBJECT)
        write_value(out, parameters);
    else
        fputs("{\"type\":\"object\"}", out);
    fprintf(out, ",\"end\":\"}\\n%s\"}", close_mark);
}

static void put_tags(FILE *out, const Ask *ask, ToolChoice choice, Text one) {
    const JsonValue *tools = ask->value[F_TOOLS];
    bool alone = choice == TOOLS_ONE || (choice == TOOLS_REQUIRED && tools->count == 1);
    bool first = true;
    fputs(alone ? "{\"tags\":[" : "{\"triggers\":[\"<tool_call>\"],\"structures\":[", out);
    for (size_t i = 0; i < tools->count; i++) {
        if (choice == TOOLS_ONE && !text_equal(name_of(&tools->items[i]), one)) continue;
        if (!first) fputc(',', out);
        first = false;
        put_structure(out, &tools->items[i]);
    }
    fputc(']', out);
    if (!alone && choice == TOOLS_REQUIRED) fputs(",\"at_least_one\":true", out);
    if (!alone && !ask_bool(ask, F_PARALLEL_TOOL_CALLS, true))
        fputs(",\"stop_after_first\":true", out);
    fputc('}', out);
}

bool tools_constrain(const Ask *ask, FILE *out, Refusal *refusal) {
    ToolChoice choice;
    Text one = {0};
    char *text = NULL;
    size_t size;
    if (!tools_read(ask, &choice, &one, refusal)) return false;
    if (choice == TOOLS_NONE) return true;
    if (ask->value[F_RESPONSE_FORMAT])
        return refuse(refusal, 400, "response_format",
                      "response_format: a text cannot obey it and hold calls of tools, too");
    FILE *memory = open_memstream(&text, &size);
    if (!memory) return refuse(refusal, 500, "tools", "no memory for tools");
    put_tags(memory, ask, choice, one);
    fclose(memory);
    fputs("tags:", out);
    list_encoded(out, (Text){text, size});
    fputc(',', out);
    free(text);
    return true;
}

void tools_tell(FILE *out, const JsonValue *tools) {
    fprintf(out, "You may call these functions:\n<tools>\n");
    for (size_t i = 0; i < tools->count; i++)
        write_value(out, &tools->items[i]), fputc('\n', out);
    fprintf(out,
            "</tools>\nA call is written as:\n%s\n{\"name\": NAME, \"arguments\": {...}}\n%s",
            open_mark, close_mark);
}

/* ------------------------------------------------------------------ calls in a text */

static const char *find(Text text, size_t from, const char *mark) {
    return from >= text.size ? NULL
                             : memmem(text.data + from, text.size - from, mark, strlen(mark));
}

/* How long the end of the text is that may become a mark. */
static size_t may_begin(Text text, size_t from) {
    size_t most = min_size(sizeof open_mark - 2, text.size - from);
    for (size_t n = most; n > 0; n--)
        if (memcmp(text.data + text.size - n, open_mark, n) == 0) return n;
    return 0;
}

bool tools_next(Text text, size_t from, bool whole, ToolPart *part) {
    if (from >= text.size) return false;
    const char *open = find(text, from, open_mark);
    size_t at =
        open ? (size_t)(open - text.data) : text.size - (whole ? 0 : may_begin(text, from));
    if (at > from) {
        *part = (ToolPart){false, {text.data + from, at - from}, at};
        return true;
    }
    const char *close = open ? find(text, at, close_mark) : NULL;
    if (close) {
        const char *begin = open + sizeof open_mark - 1;
        *part = (ToolPart){true,
                           {begin, (size_t)(close - begin)},
                           (size_t)(close - text.data) + sizeof close_mark - 1};
        return true;
    }
    if (!whole) return false;
    *part = (ToolPart){false, {text.data + from, text.size - from}, text.size};
    return true;
}

void tools_write_call(FILE *out, Text call, const char *id, size_t answer, size_t index,
                      bool delta) {
    Json *json = json_read(call, NULL);
    const JsonValue *root = json ? json_root(json) : NULL, *name = NULL, *arguments = NULL;
    char *text = NULL;
    size_t size = 0;
    if (root && root->kind == JSON_OBJECT)
        name = json_get(root, "name"), arguments = json_get(root, "arguments");
    FILE *memory = open_memstream(&text, &size);
    if (memory) {
        if (arguments) write_value(memory, arguments);
        fclose(memory);
    }
    fputc('{', out);
    if (delta) fprintf(out, "\"index\":%zu,", index);
    fprintf(out, "\"id\":\"call_%s_%zu_%zu\",\"type\":\"function\",\"function\":{\"name\":",
            strchr(id, '-') + 1, answer, index);
    write_text(out, name ? name->text : text_of(""));
    fputs(",\"arguments\":", out);
    write_text(out, (Text){text ? text : "", size});
    fputs("}}", out);
    free(text), json_free(json);
}
