/* tools_read.c - finding calls in a text that is still growing.  See tools.h. */
#include "tools.h"

#include "write.h"
#include "chat.h"
#include "json.h"

#include <stdlib.h>
#include <string.h>

static const char *tools_read_find(Text text, size_t from, const char *mark) {
    return from >= text.size ? NULL
                             : memmem(text.data + from, text.size - from, mark, strlen(mark));
}

/* Length of the text's end that may be the beginning of a mark. */
static size_t tools_read_may_begin(Text text, size_t from, const char *mark) {
    for (size_t n = min_size(strlen(mark) - 1, text.size - from); n > 0; n--)
        if (memcmp(text.data + text.size - n, mark, n) == 0) return n;
    return 0;
}

/* Where the object or array that begins at `from` ends; 0: not yet. */
static size_t json_end(Text text, size_t from) {
    size_t depth = 0;
    bool quoted = false;
    for (size_t i = from; i < text.size; i++) {
        char c = text.data[i];
        if (quoted) {
            i += c == '\\';
            quoted = c != '"';
            continue;
        }
        quoted = c == '"';
        depth += c == '{' || c == '[';
        if ((c == '}' || c == ']') && --depth == 0) return i + 1;
    }
    return 0;
}

static bool contents(ToolPart *part, Text text, ToolPlace *place, size_t end) {
    *part = (ToolPart){.text = {text.data + place->at, end - place->at}};
    bool any = end > place->at;
    place->at = end;
    return any;
}

static bool a_call(ToolPart *part, Text text, size_t begin, size_t end, ToolPlace *place,
                   size_t next) {
    *part = (ToolPart){.call = true, .text = {text.data + begin, end - begin}};
    place->at = next;
    return true;
}

/* ------------------------------------------------------------------ one form after the
 * other */

/* At a mark: the text up to the closing mark. */
static bool tagged(Text text, ToolPlace *place, ToolPart *part) {
    static const char open[] = "<tool_call>", close[] = "</tool_call>";
    const char *end = tools_read_find(text, place->at, close);
    if (!end) return false;
    size_t at = (size_t)(end - text.data);
    return a_call(part, text, place->at + sizeof open - 1, at, place, at + sizeof close - 1);
}

/* In a list: its next item; after the last one `at` moves past the list. */
static bool tools_read_listed(Text text, ToolPlace *place, ToolPart *part) {
    static const char open[] = "[TOOL_CALLS][";
    size_t at = place->inside ? place->at : place->at + sizeof open - 1;
    while (at < text.size && strchr(", \n", text.data[at]) && text.data[at]) at++;
    size_t end = at < text.size && text.data[at] == '{' ? json_end(text, at) : 0;
    if (!end) return false;
    place->inside = true;
    return a_call(part, text, at, end, place, end);
}

static bool tools_read_named(Text text, ToolPlace *place, ToolPart *part) {
    static const char open[] = "[TOOL_CALLS]", behind[] = "[ARGS]";
    const size_t name = place->at + sizeof open - 1;
    const char *mark = tools_read_find(text, name, behind),
               *number = tools_read_find(text, name, "[CALL_ID]");
    if (!mark) return false;
    const size_t begin = (size_t)(mark - text.data) + sizeof behind - 1,
                 end = json_end(text, begin);
    if (!end) return false;
    const char *name_end = number && number < mark ? number : mark;
    a_call(part, text, begin, end, place, end);
    part->name = (Text){text.data + name, (size_t)(name_end - text.data) - name};
    return true;
}

/* Bare calls: the whole answer or nothing. */
static bool bare(Text text, bool whole, ToolPlace *place, ToolPart *part) {
    static const char *const marks[] = {"{\"name\": \"", "<|python_tag|>{"};
    for (int i = 0; place->at == 0 && i < 2; i++) {
        const Text mark = text_of(marks[i]);
        if (!whole && text.size < mark.size && text_begins(mark, text)) return false;
        if (!text_begins(text, mark)) continue;
        size_t begin = strlen(marks[i]) - (i ? 1 : strlen(marks[0])),
               end = json_end(text, begin);
        if (end) return a_call(part, text, begin, end, place, end);
        if (!whole) return false;
    }
    return contents(part, text, place, text.size);
}

/* ------------------------------------------------------------------ parts of a text */

/* Skip the end of a list. */
static void leave_list(Text text, ToolPlace *place) {
    if (!place->inside || place->at >= text.size || text.data[place->at] != ']') return;
    *place = (ToolPlace){place->at + 1, false};
}

bool tools_next(ChatCalls form, Text text, bool whole, ToolPlace *place, ToolPart *part) {
    leave_list(text, place);
    if (place->at >= text.size) return false;
    if (form == CALLS_BARE) return bare(text, whole, place, part);
    const char *open = form == CALLS_TAGGED ? "<tool_call>" : "[TOOL_CALLS]",
               *mark = place->inside ? text.data + place->at
                                     : tools_read_find(text, place->at, open);
    size_t end = mark    ? (size_t)(mark - text.data)
                 : whole ? text.size
                         : text.size - tools_read_may_begin(text, place->at, open);
    if (end > place->at) return contents(part, text, place, end);
    bool found = mark && (form == CALLS_TAGGED   ? tagged(text, place, part)
                          : form == CALLS_LISTED ? tools_read_listed(text, place, part)
                                                 : tools_read_named(text, place, part));
    return found || (whole && contents(part, text, place, text.size));
}

char *tools_call(const ToolPart *part, size_t *size) {
    char *text = NULL;
    Json *json = json_read(part->text, NULL);
    const JsonValue *root = json ? json_root(json) : NULL, *arguments = root;
    FILE *out = open_memstream(&text, size);
    Text name = part->name;
    if (!name.size && root && root->kind == JSON_OBJECT) {
        const JsonValue *given = json_get(root, "name");
        arguments = json_get(root, "arguments");
        if (!arguments) arguments = json_get(root, "parameters");
        if (given && given->kind == JSON_STRING) name = given->text;
    }
    if (out) {
        fputs("{\"name\": ", out), write_text(out, name);
        fputs(", \"arguments\": ", out);
        if (arguments)
            write_value(out, arguments);
        else
            fputs("{}", out);
        fputc('}', out), fclose(out);
    }
    json_free(json);
    return text;
}
