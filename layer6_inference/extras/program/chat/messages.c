/* messages.c - the turns as a template's messages, and these as tokens.  See talk.h.
 *
 *     content, call            template with a place for tools          without
 *     "Let me look. ", {...}   content, tool_calls: [{...}]       the whole text as written
 *     a tool's result          role tool, content                 role user, in <tool_response>
 *
 * Invariant: every turn and every call becomes part of a message. */
#include "region.h"
#include "talk.h"
#include "calls/tools.h"
#include "chat.h"
#include "json.h"
#include "template.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct Messages {
    Region region;
    bool short_of; /* memory */
} Messages;

static void *messages_take(Messages *m, size_t size) {
    void *memory = region_alloc(&m->region, size);
    if (!memory) m->short_of = true;
    return memory;
}

/* Three texts joined. */
static JsonValue messages_joined(Messages *m, const char *a, const char *b, const char *c) {
    size_t sizes[] = {strlen(a), strlen(b), strlen(c)};
    char *text = messages_take(m, sizes[0] + sizes[1] + sizes[2] + 1);
    if (!text) return json_string((Text){"", 0});
    return json_string((Text){text, (size_t)(stpcpy(stpcpy(stpcpy(text, a), b), c) - text)});
}

/* An object whose keys outlive it. */
static JsonValue object(Messages *m, const Text *keys, size_t count, const JsonValue *values) {
    JsonValue *items = messages_take(m, count * sizeof *items);
    if (!items) return (JsonValue){.kind = JSON_NULL};
    memcpy(items, values, count * sizeof *items);
    return (JsonValue){.kind = JSON_OBJECT, .count = count, .items = items, .keys = keys};
}

/* Nine letters and digits, as Mistral's templates require. */
void talk_call_id(size_t turn, char id[CALL_ID]) {
    snprintf(id, CALL_ID, "call%05zu", turn % 100000);
}

static JsonValue call_id(Messages *m, size_t turn) {
    char id[CALL_ID];
    talk_call_id(turn, id);
    return messages_joined(m, id, "", "");
}

/* [{"id": ..., "type": "function", "function": {"name": ..., "arguments": {...}}}] */
static JsonValue calls(Messages *m, const JsonValue *call, size_t turn) {
    static const Text keys[] = {{"id", 2}, {"type", 4}, {"function", 8}};
    JsonValue values[] = {call_id(m, turn), json_string(text_of("function")), *call};
    JsonValue *item = messages_take(m, sizeof *item);
    if (item) *item = object(m, keys, 3, values);
    return (JsonValue){.kind = JSON_ARRAY, .count = item != NULL, .items = item};
}

/* A turn with a call or its result, for a template with tools. */
static JsonValue told_message(Messages *m, const Talk *talk, size_t i) {
    static const Text of_call[] = {{"role", 4}, {"content", 7}, {"tool_calls", 10}},
                      of_result[] = {
                          {"role", 4}, {"content", 7}, {"tool_call_id", 12}, {"name", 4}};
    const Turn *turn = &talk->turns[i];
    const JsonValue *call = talk_call(talk, i);
    JsonValue values[4] = {json_string(text_of(turn->role)),
                           json_string(text_of(turn->content))};
    if (call) return values[2] = calls(m, call, i), object(m, of_call, 3, values);
    values[2] = call_id(m, i - 1);
    values[3] = *json_get(talk_call(talk, i - 1), "name");
    return object(m, of_result, 4, values);
}

static JsonValue message(Messages *m, const Talk *talk, size_t i) {
    static const Text keys[] = {{"role", 4}, {"content", 7}};
    const Turn *turn = &talk->turns[i];
    bool result = talk_answers(talk, i);
    if ((result || turn->call) && talk->form.tells_tools) return told_message(m, talk, i);
    JsonValue values[] = {json_string(text_of(turn->role)),
                          json_string(text_of(turn->content))};
    if (turn->call) {
        JsonValue call = messages_joined(m, "<tool_call>\n", turn->call, "\n</tool_call>");
        values[1] = messages_joined(m, turn->content, call.text.data, "");
    }
    if (result) {
        values[0] = json_string(text_of("user"));
        values[1] =
            messages_joined(m, "<tool_response>\n", turn->content, "\n</tool_response>");
    }
    return object(m, keys, 2, values);
}

/* The images of the first `count` turns, which hold them. */
static bool list_shown(const Talk *talk, size_t count, Shown *shown, Fault *fault) {
    for (size_t i = 0; i < count; i++) {
        const Shown *own = talk->turns[i].shown;
        for (size_t k = 0; own && k < own->count; k++) {
            if (shown->count == SHOWN_MOST)
                return fault_set(fault, "at most %d images per conversation", SHOWN_MOST);
            shown_add(shown, own->number[k]);
        }
    }
    return true;
}

static bool render_messages(const Talk *talk, Messages *m, const JsonValue *items, size_t count,
                            bool open, TokenList *tokens, Fault *fault) {
    JsonValue list = {.kind = JSON_ARRAY, .count = count, .items = items};
    const JsonValue *tools = talk->tools ? json_root(talk->tools) : NULL;
    const Tokenizer *tokenizer = talk->loaded.model->tokenizer;
    Rendered rendered = {0};
    if (tools && !talk->form.tells_tools && !tools_tell(tools, &m->region, &list, fault))
        return false;
    const ChatTalk told = {.messages = &list,
                           .tools = talk->form.tells_tools ? tools : NULL,
                           .open = open,
                           .think = talk->think != THINK_OFF};
    Shown shown = {.of = talk->next.of};
    bool ok = list_shown(talk, count, &shown, fault) &&
              chat_render(&talk->form, tokenizer, &told, &rendered, fault) &&
              shown_encode(&shown, tokenizer, (Text){rendered.text, rendered.size},
                           rendered.user, true, tokens, fault);
    rendered_free(&rendered);
    return ok;
}

bool talk_encode(const Talk *talk, size_t count, bool open, TokenList *tokens, Fault *fault) {
    Messages m = {0};
    JsonValue *items = messages_take(&m, (count + 1) * sizeof *items);
    for (size_t i = 0; items && i < count; i++) items[i] = message(&m, talk, i);
    tokens->count = 0;
    bool ok = m.short_of ? fault_set(fault, "no memory for %zu turns", count)
                         : render_messages(talk, &m, items, count, open, tokens, fault);
    region_free(&m.region);
    return ok;
}
