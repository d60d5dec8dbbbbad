/* tools_read.c - finding calls in a text that is still growing.  See tools.h. */
#include "tools.h"

#include "write.h"
#include "chat.h"
#include "json.h"

#include <stdlib.h>
#include <string.h>

static const char tagged_open[] = "<tool_call>", tagged_close[] = "</tool_call>",
                  list_open[] = "[TOOL_CALLS][", named_open[] = "[TOOL_CALLS]";

/* A call, as far as it is written. */
typedef struct Found {
    Text name;
    size_t begin; /* of its arguments; 0: the name is not complete */
    size_t end;   /* of its arguments; 0: they go on */
    size_t next;  /* what follows the call; 0: it goes on */
} Found;

static size_t tools_read_find(Text text, size_t from, const char *mark) {
    const char *at = from >= text.size
                         ? NULL
                         : memmem(text.data + from, text.size - from, mark, strlen(mark));
    return at ? (size_t)(at - text.data) : text.size;
}

/* Length of the text's end that may be the beginning of a mark. */
static size_t tools_read_may_begin(Text text, size_t from, const char *mark) {
    for (size_t n = min_size(strlen(mark) - 1, text.size - from); n > 0; n--)
        if (memcmp(text.data + text.size - n, mark, n) == 0) return n;
    return 0;
}

static bool tools_read_is(Text text, size_t at, const char *among) {
    return at < text.size && text.data[at] && strchr(among, text.data[at]);
}

static size_t tools_read_skip(Text text, size_t at, const char *among) {
    while (tools_read_is(text, at, among)) at++;
    return at;
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

/* ------------------------------------------------------------------ one call */

/* *at moves past the word and the white space before it. */
static bool tools_read_word(Text text, size_t *at, const char *word) {
    const size_t from = tools_read_skip(text, *at, " \n\r\t");
    if (!text_begins((Text){text.data + from, text.size - from}, text_of(word))) return false;
    *at = from + strlen(word);
    return true;
}

/* {"name": "weather", "arguments": ... : the name, and where the arguments begin. */
static void tools_read_head(Text text, size_t at, Found *f) {
    if (!tools_read_word(text, &at, "{") || !tools_read_word(text, &at, "\"name\"") ||
        !tools_read_word(text, &at, ":") || !tools_read_word(text, &at, "\""))
        return;
    const size_t end = tools_read_find(text, at, "\"");
    f->name = (Text){text.data + at, end - at};
    at = end;
    if (!tools_read_word(text, &at, "\"") || !tools_read_word(text, &at, ",") ||
        !(tools_read_word(text, &at, "\"arguments\"") ||
          tools_read_word(text, &at, "\"parameters\"")) ||
        !tools_read_word(text, &at, ":"))
        return;
    at = tools_read_skip(text, at, " \n\r\t");
    if (at < text.size) f->begin = at;
}

/* A call that is an object. */
static Found tools_read_object(Text text, size_t at) {
    Found f = {0};
    tools_read_head(text, at, &f);
    f.next = json_end(text, at);
    if (!f.begin) return f;
    if (tools_read_is(text, f.begin, "{["))
        f.end = json_end(text, f.begin);
    else if (f.next) /* before the brace that closes the call */
        for (f.end = f.next - 1; tools_read_is(text, f.end - 1, " \n\r\t");) f.end--;
    return f;
}

/* An object, and the closing mark. */
static Found tools_read_tagged(Text text, size_t at) {
    Found f =
        tools_read_object(text, tools_read_skip(text, at + sizeof tagged_open - 1, " \n\r\t"));
    if (f.next && !tools_read_word(text, &f.next, tagged_close)) f.next = 0;
    return f;
}

/* An item of a list: an object, or nothing yet. */
static Found tools_read_listed(Text text, size_t at) {
    at = tools_read_skip(text, at, ", \n");
    return tools_read_is(text, at, "{") ? tools_read_object(text, at) : (Found){0};
}

/* The name is between marks. */
static Found tools_read_named(Text text, size_t at) {
    static const char behind[] = "[ARGS]";
    const size_t name = at + sizeof named_open - 1, mark = tools_read_find(text, name, behind),
                 number = tools_read_find(text, name, "[CALL_ID]"),
                 begin = tools_read_skip(text, mark + sizeof behind - 1, " \n\r\t");
    Found f = {.name = {text.data + name, min_size(mark, number) - name}};
    if (begin >= text.size) return f;
    f.begin = begin;
    f.end = f.next = tools_read_is(text, begin, "{[") ? json_end(text, begin) : 0;
    return f;
}

/* After the mark that says that code follows, if it is there. */
static Found tools_read_bare(Text text, size_t at) {
    tools_read_word(text, &at, "<|python_tag|>");
    return tools_read_object(text, at);
}

/* The mark that begins a call in this form; a bare call has none. */
static Text tools_read_open(ChatCalls form, bool inside) {
    return text_of(form == CALLS_BARE || inside ? ""
                   : form == CALLS_TAGGED       ? tagged_open
                   : form == CALLS_LISTED       ? list_open
                                                : named_open);
}

static Found tools_read_call(ChatCalls form, Text text, const ToolPlace *place) {
    const Text rest = {text.data + place->at, text.size - place->at};
    if (!text_begins(rest, tools_read_open(form, place->inside)))
        return (Found){0}; /* the mark itself is not complete */
    switch (form) {
    case CALLS_TAGGED: return tools_read_tagged(text, place->at);
    case CALLS_BARE: return tools_read_bare(text, place->at);
    case CALLS_LISTED:
        return tools_read_listed(text, place->at + tools_read_open(form, place->inside).size);
    default: return tools_read_named(text, place->at);
    }
}

/* ------------------------------------------------------------------ parts of a text */

/* Skip the end of a list. */
static void leave_list(Text text, ToolPlace *place) {
    if (!place->inside || place->at >= text.size || text.data[place->at] != ']') return;
    *place = (ToolPlace){place->at + 1, false};
}

/* Bare calls: the whole answer or nothing. */
static size_t tools_read_bare_mark(Text text, bool whole, size_t at) {
    static const char *const marks[] = {"{\"name\": \"", "<|python_tag|>{"};
    for (size_t i = 0; at == 0 && i < sizeof marks / sizeof *marks; i++) {
        const Text mark = text_of(marks[i]);
        if (text_begins(text, mark)) return 0;
        if (!whole && text.size < mark.size && text_begins(mark, text)) return 0;
    }
    return text.size;
}

/* Where the next call begins, or may begin; the text's size if no call can. */
static size_t tools_read_mark(ChatCalls form, Text text, bool whole, const ToolPlace *place) {
    if (form == CALLS_BARE) return tools_read_bare_mark(text, whole, place->at);
    if (place->inside) return place->at;
    const char *open = form == CALLS_TAGGED ? tagged_open : named_open;
    const size_t mark = tools_read_find(text, place->at, open);
    return mark < text.size || whole ? mark
                                     : text.size - tools_read_may_begin(text, place->at, open);
}

static bool contents(ToolPart *part, Text text, ToolPlace *place, size_t end) {
    *part = (ToolPart){.text = {text.data + place->at, end - place->at}};
    part->written = part->text;
    place->at = end;
    return true;
}

static void tools_read_part(ToolPart *part, Text text, size_t at, const Found *f) {
    const bool shows = f->end || tools_read_is(text, f->begin, "{[");
    const size_t end = f->end  ? f->end
                       : shows ? text.size
                               : f->begin,
                 written = f->next ? f->next : text.size;
    *part = (ToolPart){.call = true,
                       .cut = !f->next,
                       .name = f->name,
                       .text = {text.data + f->begin, end - f->begin},
                       .written = {text.data + at, written - at}};
}

bool tools_next(ChatCalls form, Text text, bool whole, ToolPlace *place, ToolPart *part) {
    leave_list(text, place);
    if (place->at >= text.size) return false;
    const size_t mark = tools_read_mark(form, text, whole, place);
    if (mark > place->at) return contents(part, text, place, mark);
    Found f = tools_read_call(form, text, place);
    if (!f.next && !whole) return false;
    if (!f.begin) return contents(part, text, place, f.next ? f.next : text.size);
    if (whole && !f.next && f.end) f.next = text.size; /* only the closing mark is missing */
    tools_read_part(part, text, place->at, &f);
    if (!f.next) part->text.size = (size_t)(text.data + text.size - part->text.data);
    *place = (ToolPlace){f.next ? f.next : text.size, form == CALLS_LISTED && f.next};
    return true;
}

bool tools_begun(ChatCalls form, Text text, const ToolPlace *place, ToolPart *part) {
    if (place->at >= text.size || tools_read_mark(form, text, false, place) > place->at)
        return false;
    const Found f = tools_read_call(form, text, place);
    if (!f.begin) return false;
    tools_read_part(part, text, place->at, &f);
    return true;
}

void tools_write_arguments(FILE *out, const ToolPart *part) {
    Json *json = part->cut ? NULL : json_read(part->text, NULL);
    if (json)
        write_value(out, json_root(json));
    else
        fputs("{}", out);
    json_free(json);
}

char *tools_call(const ToolPart *part, size_t *size) {
    char *text = NULL;
    FILE *out = open_memstream(&text, size);
    if (!out) return NULL;
    fputs("{\"name\": ", out), write_text(out, part->name);
    fputs(", \"arguments\": ", out), tools_write_arguments(out, part);
    fputc('}', out);
    return memory_close(out, &text) ? text : (free(text), NULL);
}
