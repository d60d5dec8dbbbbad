/* tools_stage.c - the grammar of calls, as a description of tags (grammar/tags.h).  See
 * tools.h.
 *
 * A tag has the schema of one function's arguments; its begin and end are the model's own
 * text around them. */
#include "tools.h"

#include "listing.h"
#include "write.h"
#include "chat.h"
#include "json.h"

#include <stdlib.h>
#include <string.h>

/* The text around arguments: before the name, after it, and at the end. */
static const struct {
    const char *trigger; /* marks that begin a call */
    const char *before, *behind, *end;
} spelled[] = {[CALLS_TAGGED] = {"<tool_call>", "<tool_call>\n{\"name\": \"",
                                 "\", \"arguments\": ", "}\n</tool_call>"},
               [CALLS_BARE] = {"{\"name\": \"", "{\"name\": \"", "\", \"parameters\": ", "}"},
               [CALLS_LISTED] = {"[TOOL_CALLS]", "{\"name\": \"", "\", \"arguments\": ", "}"},
               [CALLS_NAMED] = {"[TOOL_CALLS]", "[TOOL_CALLS]", "[ARGS]", ""},
               [CALLS_NUMBERED] = {"[TOOL_CALLS]", "[TOOL_CALLS]", "[CALL_ID]", ""}};

typedef struct Writer {
    FILE *out;
    ChatCalls form;
    const JsonValue *tools;
    const ToolRule *rule;
} Writer;

static void tools_stage_put_schema(const Writer *w, const JsonValue *tool) {
    const JsonValue *parameters = json_get(json_get(tool, "function"), "parameters");
    fputs("\"schema\":", w->out);
    if (parameters && parameters->kind == JSON_OBJECT)
        write_value(w->out, parameters);
    else
        fputs("{\"type\":\"object\"}", w->out);
}

/* Three texts joined, as JSON. */
static void tools_stage_put_text(FILE *out, const char *a, Text b, const char *c) {
    char text[256];
    int size = snprintf(text, sizeof text, "%s%.*s%s", a, (int)b.size, b.data, c);
    write_text(out, (Text){text, (size_t)size});
}

static void tools_stage_put_call(const Writer *w, const JsonValue *tool) {
    fputs("{\"begin\":", w->out);
    tools_stage_put_text(w->out, spelled[w->form].before,
                         json_get(json_get(tool, "function"), "name")->text,
                         spelled[w->form].behind);
    fputc(',', w->out);
    if (w->form == CALLS_NUMBERED) /* an id that the model invents, then the rest */
        fputs("\"tags\":[{\"begin\":\"\",\"regex\":\"[a-zA-Z0-9]{9}\",\"end\":\"[ARGS]\"},{"
              "\"begin\":\"\",",
              w->out);
    tools_stage_put_schema(w, tool);
    fputs(w->form == CALLS_NUMBERED ? ",\"end\":\"\"}]" : "", w->out);
    fputs(",\"end\":", w->out);
    tools_stage_put_text(w->out, spelled[w->form].end, (Text){"", 0}, "");
    fputc('}', w->out);
}

static void put_calls(const Writer *w) {
    bool first = true;
    for (size_t i = 0; i < w->tools->count; i++) {
        if (w->rule->only && w->rule->only != &w->tools->items[i]) continue;
        if (!first) fputc(',', w->out);
        first = false;
        tools_stage_put_call(w, &w->tools->items[i]);
    }
}

/* One tag around any of the calls; without a separator, around one call. */
static void put_any(const Writer *w, const char *begin, const char *separator,
                    const char *end) {
    fprintf(w->out, "{\"begin\":\"%s\",\"any\":[", begin), put_calls(w);
    if (!w->rule->once) fprintf(w->out, "],\"separator\":\"%s\"", separator);
    fprintf(w->out, "%s,\"end\":\"%s\"}", w->rule->once ? "]" : "", end);
}

/* The calls as tags of a list: as they are, or inside one tag.
 *
 *   alone   the text is calls, and nothing else */
static void put_structures(const Writer *w, bool alone) {
    fputc('[', w->out);
    if (w->form == CALLS_LISTED) {
        put_any(w, "[TOOL_CALLS][", ", ", "]");
    } else if (alone && !w->rule->only && w->tools->count > 1) {
        put_any(w, "", w->form == CALLS_TAGGED ? "\\n" : "", "");
    } else {
        put_calls(w);
    }
    if (w->form == CALLS_BARE) { /* Llama 3.1 may first say that code follows */
        fputs(",{\"begin\":\"<|python_tag|>\",\"any\":[", w->out), put_calls(w);
        fputs("],\"end\":\"\"}", w->out);
    }
    fputc(']', w->out);
}

static void put_tags(const Writer *w) {
    const ToolRule *rule = w->rule;
    /* a call that is required begins with the first token: free text before it could go on
     * until max_tokens ends it.  A bare call is bound to the start anyway. */
    const bool alone = rule->required && w->form != CALLS_BARE;
    fputs(alone ? "{\"tags\":" : "{\"triggers\":[", w->out);
    if (!alone) {
        tools_stage_put_text(w->out, spelled[w->form].trigger, (Text){"", 0}, "");
        fputs(w->form == CALLS_BARE ? ",\"<|python_tag|>\"],\"at_start\":true" : "]", w->out);
        if (rule->required) fputs(",\"at_least_one\":true", w->out);
        if (rule->once || w->form == CALLS_LISTED) fputs(",\"stop_after_first\":true", w->out);
        fputs(",\"structures\":", w->out);
    }
    put_structures(w, alone);
    fputc('}', w->out);
}

bool tools_stage(FILE *out, ChatCalls form, const JsonValue *tools, const ToolRule *rule,
                 Fault *fault) {
    char *text = NULL;
    size_t size;
    FILE *memory = open_memstream(&text, &size);
    if (!memory) return fault_set(fault, "no memory for tools");
    put_tags(&(Writer){memory, form, tools, rule});
    const bool whole = memory_close(memory, &text);
    if (whole) {
        fputs("tags:", out), list_encoded(out, (Text){text, size});
        fputc(',', out);
    }
    free(text);
    return whole || fault_set(fault, "no memory for tools");
}

bool tools_marks(ChatCalls form, const Tokenizer *tokenizer, TokenList *marks, Fault *fault) {
    static const char *const of_form[][4] = {
        [CALLS_TAGGED] = {"<tool_call>", "</tool_call>"},
        [CALLS_BARE] = {"<|python_tag|>"},
        [CALLS_LISTED] = {"[TOOL_CALLS]"},
        [CALLS_NAMED] = {"[TOOL_CALLS]", "[ARGS]"},
        [CALLS_NUMBERED] = {"[TOOL_CALLS]", "[CALL_ID]", "[ARGS]"}};
    if (!token_list_reserve(marks, 4, fault)) return false;
    for (size_t i = 0; of_form[form][i]; i++) {
        int32_t id = tokenizer_find(tokenizer, of_form[form][i]);
        if (id >= 0 && tokenizer_piece(tokenizer, id, false).size == 0)
            token_list_add(marks, id);
    }
    return true;
}
