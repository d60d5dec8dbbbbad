/* tools.c - see tools.h. */
#include "tools.h"

#include "write.h"
#include "json.h"

#include <stdlib.h>
#include <string.h>

enum { TOOLS = 128, TOOL_NAME = 64 };

/* ------------------------------------------------------------------ what there is */

static const JsonValue *function_of(const JsonValue *tool) {
    return json_get(tool, "function");
}

static Text tools_name_of(const JsonValue *tool) {
    return json_get(function_of(tool), "name")->text;
}

static bool tools_is_name(const JsonValue *v) {
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
        return fault_set(fault,
                         "tools[%zu]: wanted the type \"function\", and under \"function\" "
                         "what it is called and takes",
                         i);
    if (!tools_is_name(json_get(f, "name")))
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
        if (tools_find(tools, tools_name_of(&tools->items[i])) != &tools->items[i])
            return fault_set(fault, "tools: two have one name");
    }
    return true;
}

const JsonValue *tools_find(const JsonValue *tools, Text name) {
    for (size_t i = 0; i < tools->count; i++)
        if (text_equal(tools_name_of(&tools->items[i]), name)) return &tools->items[i];
    return NULL;
}

/* ------------------------------------------------------------------ what a model is told */

static void write_told(FILE *out, const JsonValue *tools, const JsonValue *system) {
    fprintf(out, "You may call these functions:\n<tools>\n");
    for (size_t i = 0; i < tools->count; i++)
        write_value(out, &tools->items[i]), fputc('\n', out);
    fputs(
        "</tools>\nA call is written as:\n<tool_call>\n{\"name\": NAME, \"arguments\": {...}}\n"
        "</tool_call>",
        out);
    if (system) fputs("\n\n", out), fwrite(system->text.data, 1, system->text.size, out);
}

/* The text of the first message, when it is a system's. */
static const JsonValue *system_of(const JsonValue *messages) {
    const JsonValue *first = &messages->items[0], *content = json_get(first, "content");
    bool system = text_equal(json_get(first, "role")->text, text_of("system"));
    return system && content && content->kind == JSON_STRING ? content : NULL;
}

bool tools_tell(const JsonValue *tools, Region *region, JsonValue *messages, Fault *fault) {
    static const Text keys[] = {{"role", 4}, {"content", 7}};
    const JsonValue *system = system_of(messages);
    const size_t skip = system != NULL;
    JsonValue *items = region_alloc(region, (messages->count + 1) * sizeof *items),
              *values = region_alloc(region, 2 * sizeof *values);
    char *told = NULL;
    size_t size;
    FILE *out = open_memstream(&told, &size);
    if (out) write_told(out, tools, system), fclose(out);
    char *copy = out ? region_alloc(region, size + 1) : NULL;
    if (copy) memcpy(copy, told, size);
    free(told);
    if (!copy || !items || !values) return fault_set(fault, "no memory for the messages");
    values[0] = json_string(text_of("system"));
    values[1] = json_string((Text){copy, size});
    items[0] = (JsonValue){.kind = JSON_OBJECT, .count = 2, .items = values, .keys = keys};
    for (size_t i = skip; i < messages->count; i++) items[i + 1 - skip] = messages->items[i];
    *messages =
        (JsonValue){.kind = JSON_ARRAY, .count = messages->count + 1 - skip, .items = items};
    return true;
}
