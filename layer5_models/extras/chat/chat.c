/* chat.c - see chat.h. */
#include "chat.h"
#include "json.h"

#include <stdlib.h>
#include <string.h>

/* ------------------------------------------------------------------ which form */

static bool has_marks(const ChatFormKind *kind, const Tokenizer *tokenizer, char missing[64]) {
    for (Text rest = text_of(kind->marks ? kind->marks : ""); rest.size;) {
        Text mark = text_cut(&rest, ' ');
        memcpy(missing, mark.data, mark.size);
        missing[mark.size] = 0;
        if (tokenizer_find(tokenizer, missing) < 0) return false;
    }
    return true;
}

static const ChatFormKind *chat_find_named(const char *name, const Tokenizer *tokenizer,
                                           Fault *fault) {
    char missing[64], names[256] = "";
    for (const ChatFormKind *kind = chat_form_kinds; kind->name; kind++) {
        strcat(strcat(names, names[0] ? ", " : ""), kind->name);
        if (strcmp(kind->name, name) != 0) continue;
        if (has_marks(kind, tokenizer, missing)) return kind;
        fault_set(fault, "this model does not speak %s: its vocabulary has no %s", name,
                  missing);
        return NULL;
    }
    fault_set(fault, "no form of chats is named '%.40s': there are %s", name, names);
    return NULL;
}

static const ChatFormKind *find_fitting(const Tokenizer *tokenizer, Fault *fault) {
    char missing[64];
    for (const ChatFormKind *kind = chat_form_kinds; kind->name; kind++)
        if (kind->marks && has_marks(kind, tokenizer, missing)) return kind;
    fault_set(
        fault,
        "this model has no template for chats, and its vocabulary has the marks of no form "
        "that is built "
        "in: name one (llama2, zephyr, vicuna, alpaca) if you know what it was trained with");
    return NULL;
}

static bool chat_has(Text source, const char *mark) {
    return memmem(source.data, source.size, mark, strlen(mark)) != NULL;
}

static void find_thoughts(ChatForm *form, Text source) {
    form->thinks = chat_has(source, "think>");
    form->may_think = chat_has(source, "enable_thinking");
}

/* Recognized by marks in its source.  A template with another call format is not given tools: a
 * system message describes them, and tagged calls, instead. */
static void find_calls(ChatForm *form, Text source) {
    bool tells = chat_has(source, "tools") && !chat_has(source, "<function=") &&
                 !chat_has(source, "<arg_key>");
    form->calls = CALLS_TAGGED;
    if (chat_has(source, "[TOOL_CALLS]"))
        form->calls = chat_has(source, "[CALL_ID]") ? CALLS_NUMBERED
                      : chat_has(source, "[ARGS]")  ? CALLS_NAMED
                                                    : CALLS_LISTED;
    else if (chat_has(source, "<|start_header_id|>") && chat_has(source, "\"parameters\""))
        form->calls = CALLS_BARE;
    else
        tells = tells && chat_has(source, "<tool_call>");
    form->tells_tools = tells;
    if (!tells) form->calls = CALLS_TAGGED;
}

bool chat_form_open(ChatForm *form, const Gguf *gguf, const Tokenizer *tokenizer, Text source,
                    const char *name, Fault *fault) {
    const GgufPair *own = gguf_find(gguf, "tokenizer.chat_template");
    *form = (ChatForm){.name = source.data ? "a given one" : "the model's own"};
    if (!source.data && (name || !own || !gguf_string(own, &source))) {
        const ChatFormKind *kind =
            name ? chat_find_named(name, tokenizer, fault) : find_fitting(tokenizer, fault);
        if (!kind) return false;
        form->name = kind->name;
        source = text_of(kind->text);
    }
    find_calls(form, source), find_thoughts(form, source);
    form->tree = template_read(source, fault);
    return form->tree || fault_prefix(fault, "the template");
}

void chat_form_close(ChatForm *form) {
    template_free(form->tree);
    *form = (ChatForm){0};
}

/* ------------------------------------------------------------------ its variables */

static JsonValue json_bool(bool truth) {
    return (JsonValue){.kind = truth ? JSON_TRUE : JSON_FALSE};
}

/* The name of a BOS or EOS token; "" for none. */
static Text token_name(const Tokenizer *tokenizer, int32_t id) {
    return id < 0 ? (Text){"", 0} : tokenizer_piece(tokenizer, id, true);
}

static bool render(const ChatForm *form, const JsonValue *variables, Rendered *rendered,
                   Fault *fault) {
    time_t seconds = time(NULL);
    struct tm now;
    if (!localtime_r(&seconds, &now)) now = (struct tm){0};
    return template_render(form->tree, variables, &now, rendered, fault) ||
           fault_prefix(fault, "the template");
}

/* A text's BOS must not occur twice. */
bool chat_encode_rendered(const Tokenizer *tokenizer, const Rendered *rendered,
                          TokenList *tokens, Fault *fault) {
    size_t from = tokens->count;
    if (!token_list_reserve(tokens, 1, fault)) return false;
    tokenizer_begin(tokenizer, tokens);
    size_t first = tokens->count;
    if (!tokenizer_encode_marked(tokenizer, (Text){rendered->text, rendered->size},
                                 rendered->user, tokens, fault))
        return false;
    if (first > from && tokens->count > first && tokens->ids[first] == tokens->ids[from]) {
        memmove(tokens->ids + from, tokens->ids + first,
                (tokens->count - first) * sizeof *tokens->ids);
        tokens->count -= first - from;
    }
    return true;
}

bool chat_render(const ChatForm *form, const Tokenizer *tokenizer, const ChatTalk *talk,
                 Rendered *rendered, Fault *fault) {
    static const Text keys[] = {{"messages", 8},        {"add_generation_prompt", 21},
                                {"tools", 5},           {"documents", 9},
                                {"bos_token", 9},       {"eos_token", 9},
                                {"enable_thinking", 15}};
    JsonValue values[] = {*talk->messages,
                          json_bool(talk->open),
                          talk->tools ? *talk->tools : (JsonValue){.kind = JSON_NULL},
                          {.kind = JSON_NULL},
                          json_string(token_name(tokenizer, tokenizer_bos(tokenizer))),
                          json_string(token_name(tokenizer, tokenizer_eos(tokenizer))),
                          json_bool(talk->think)};
    JsonValue variables = {.kind = JSON_OBJECT,
                           .count = sizeof values / sizeof *values,
                           .items = values,
                           .keys = keys};
    return render(form, &variables, rendered, fault);
}

bool chat_render_turns(const ChatForm *form, const Tokenizer *tokenizer, const ChatTurn *turns,
                       size_t count, bool open, bool think, Rendered *rendered, Fault *fault) {
    static const Text turn_keys[] = {{"role", 4}, {"content", 7}};
    JsonValue *messages = calloc(count + 1, sizeof *messages),
              *parts = calloc(2 * count + 1, sizeof *parts);
    bool ok = messages && parts;
    *rendered = (Rendered){0};
    for (size_t i = 0; i < count && ok; i++) {
        parts[2 * i] = json_string(turns[i].role);
        parts[2 * i + 1] = json_string(turns[i].content);
        messages[i] = (JsonValue){
            .kind = JSON_OBJECT, .count = 2, .items = parts + 2 * i, .keys = turn_keys};
    }
    const JsonValue list = {.kind = JSON_ARRAY, .count = count, .items = messages};
    const ChatTalk talk = {.messages = &list, .open = open, .think = think};
    ok = ok ? chat_render(form, tokenizer, &talk, rendered, fault)
            : fault_set(fault, "no memory for %zu turns", count);
    free(messages), free(parts);
    return ok;
}
