/* tools.c - see tools.h. */
#include "tools.h"

#include "listing.h"
#include "write.h"

#include <stdlib.h>
#include <string.h>

enum { TOOLS = 128, TOOL_NAME = 64 };

static const char open_mark[] = "<tool_call>", close_mark[] = "</tool_call>";

/* ------------------------------------------------------------------ what there is */

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

static bool check_tool(const JsonValue *tool, size_t i, Fault *fault) {
    const JsonValue *type = json_get(tool, "type"), *f = function_of(tool),
                    *parameters = f ? json_get(f, "parameters") : NULL;
    if (!type || type->kind != JSON_STRING || !text_equal(type->text, text_of("function")) ||
        !f)
        return fault_set(fault, "tools[%zu]: wanted the type function, and it", i);
    if (!is_name(json_get(f, "name")))
        return fault_set(fault, "tools[%zu]: wanted a name of 1 to %d letters, digits, _ and -",
                         i, TOOL_NAME);
    return !parameters || parameters->kind == JSON_OBJECT || parameters->kind == JSON_NULL ||
           fault_set(fault, "tools[%zu]: its parameters are no schema", i);
}

bool tools_check(const JsonValue *tools, Fault *fault) {
    if (tools->count > TOOLS)
        return fault_set(fault, "tools: %zu of them, more than %d", tools->count, TOOLS);
    for (size_t i = 0; i < tools->count; i++) {
        if (!check_tool(&tools->items[i], i, fault)) return false;
        if (tools_find(tools, name_of(&tools->items[i])) != &tools->items[i])
            return fault_set(fault, "tools: two have one name");
    }
    return true;
}

const JsonValue *tools_find(const JsonValue *tools, Text name) {
    for (size_t i = 0; i < tools->count; i++)
        if (text_equal(name_of(&tools->items[i]), name)) return &tools->items[i];
    return NULL;
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

static void put_tags(FILE *out, const JsonValue *tools, const ToolRule *rule) {
    bool alone = rule->required && (rule->only || tools->count == 1), first = true;
    fputs(alone ? "{\"tags\":[" : "{\"triggers\":[\"<tool_call>\"],\"structures\":[", out);
    for (size_t i = 0; i < tools->count; i++) {
        if (rule->only && rule->only != &tools->items[i]) continue;
        if (!first) fputc(',', out);
        first = false;
        put_structure(out, &tools->items[i]);
    }
    fputc(']', out);
    if (!alone && rule->required) fputs(",\"at_least_one\":true", out);
    if (!alone && rule->once) fputs(",\"stop_after_first\":true", out);
    fputc('}', out);
}

bool tools_stage(FILE *out, const JsonValue *tools, const ToolRule *rule, Fault *fault) {
    char *text = NULL;
    size_t size;
    FILE *memory = open_memstream(&text, &size);
    if (!memory) return fault_set(fault, "no memory for tools");
    put_tags(memory, tools, rule);
    fclose(memory);
    fputs("tags:", out);
    list_encoded(out, (Text){text, size});
    fputc(',', out);
    free(text);
    return true;
}

/* ------------------------------------------------------------------ what a model is told */

static void write_told(FILE *out, const JsonValue *tools, const JsonValue *system) {
    fprintf(out, "You may call these functions:\n<tools>\n");
    for (size_t i = 0; i < tools->count; i++)
        write_value(out, &tools->items[i]), fputc('\n', out);
    fprintf(out,
            "</tools>\nA call is written as:\n%s\n{\"name\": NAME, \"arguments\": {...}}\n%s",
            open_mark, close_mark);
    if (system) fputs("\n\n", out), fwrite(system->text.data, 1, system->text.size, out);
}

/* The text of the first message, when it is a system's. */
static const JsonValue *system_of(const JsonValue *messages) {
    const JsonValue *first = &messages->items[0], *content = json_get(first, "content");
    bool system = text_equal(json_get(first, "role")->text, text_of("system"));
    return system && content && content->kind == JSON_STRING ? content : NULL;
}

bool tools_tell(const JsonValue *tools, Pieces *pieces, JsonValue *messages, Fault *fault) {
    static const Text keys[] = {{"role", 4}, {"content", 7}};
    const JsonValue *system = system_of(messages);
    const size_t skip = system != NULL;
    JsonValue *items = pieces_take(pieces, (messages->count + 1) * sizeof *items),
              *values = pieces_take(pieces, 2 * sizeof *values);
    char *told = NULL;
    size_t size;
    FILE *out = open_memstream(&told, &size);
    if (out) write_told(out, tools, system), fclose(out);
    char *copy = out ? pieces_take(pieces, size + 1) : NULL;
    if (copy) memcpy(copy, told, size);
    free(told);
    if (!copy || !items || !values) return fault_set(fault, "no memory for the messages");
    values[0] = (JsonValue){.kind = JSON_STRING, .text = text_of("system")};
    values[1] = (JsonValue){.kind = JSON_STRING, .text = {copy, size}};
    items[0] = (JsonValue){.kind = JSON_OBJECT, .count = 2, .items = values, .keys = keys};
    for (size_t i = skip; i < messages->count; i++) items[i + 1 - skip] = messages->items[i];
    *messages =
        (JsonValue){.kind = JSON_ARRAY, .count = messages->count + 1 - skip, .items = items};
    return true;
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
