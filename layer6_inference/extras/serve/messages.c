/* messages.c - OpenAI's messages as chat templates expect them.  See text_job.h.
 *
 *     role developer                         system
 *     content [{"type": "text", ...}, ...]   one text, a newline between parts, PICTURE_BYTE
 *     for an image
 *     arguments "{\"city\": \"Rome\"}"       the object itself
 *
 * Invariant: every key of an accepted message was used. */
#include "image_part.h"
#include "region.h"
#include "calls/tools.h"
#include "calls/write.h"
#include "json.h"
#include "template.h"

#include <stdlib.h>
#include <string.h>

enum { MESSAGES = 2048, CALL_DEPTH = 8 };

/* Memory of the rewritten messages, until the text is rendered. */
typedef struct Rewrite {
    Region region;
    Json *arguments[128]; /* (n) parsed arguments of tool calls */
    size_t left;          /* values that further arguments may have */
    size_t n;
    Prompts *prompts; /* collects the images; NULL: none are allowed */
    bool user;        /* it is a user's message */
    HttpError *error;
} Rewrite;

static bool messages_wrong(Rewrite *r, size_t i, const char *what) {
    return http_error(r->error, 400, "messages", "messages[%zu]: %s", i, what);
}

static bool messages_no_memory(Rewrite *r) {
    return http_error(r->error, 500, "messages", "no memory for the messages");
}

/* ------------------------------------------------------------------ contents */

/* A part as text: an image's byte, or its text. */
static bool read_part(Rewrite *r, size_t i, const JsonValue *part, Text *as) {
    static const char picture[] = {(char)PICTURE_BYTE};
    const JsonValue *type = json_get(part, "type"), *text = json_get(part, "text");
    char where[32];
    if (!type || type->kind != JSON_STRING) return messages_wrong(r, i, "a part has no type");
    if (text_equal(type->text, text_of("image_url"))) {
        if (!r->prompts) return messages_wrong(r, i, "images belong to /v1/chat/completions");
        if (!r->user) return messages_wrong(r, i, "an image: only user messages may have one");
        *as = (Text){picture, 1};
        snprintf(where, sizeof where, "messages[%zu]: an image", i);
        return image_part_take(part, r->prompts, r->error) ||
               fault_prefix(&r->error->fault, where);
    }
    if (!text_equal(type->text, text_of("text")))
        return messages_wrong(r, i, "a content part: wanted the type text or image_url");
    if (!text || text->kind != JSON_STRING || part->count != 2)
        return messages_wrong(r, i, "a content part: wanted type and text");
    return *as = text->text, true;
}

static bool messages_join_parts(Rewrite *r, size_t i, const JsonValue *parts,
                                JsonValue *content) {
    Text *as = region_alloc(&r->region, (parts->count + 1) * sizeof *as);
    size_t size = 0;
    if (!as) return messages_no_memory(r);
    for (size_t k = 0; k < parts->count; k++) {
        if (!read_part(r, i, &parts->items[k], &as[k])) return false;
        size += as[k].size + 1;
    }
    char *text = region_alloc(&r->region, size + 1), *at = text;
    if (!text) return messages_no_memory(r);
    for (size_t k = 0; k < parts->count; k++) {
        if (k) *at++ = '\n';
        memcpy(at, as[k].data, as[k].size);
        at += as[k].size;
    }
    *content = (JsonValue){.kind = JSON_STRING, .text = {text, (size_t)(at - text)}};
    return true;
}

/* ------------------------------------------------------------------ tool calls */

/* A copy with the arguments parsed. */
static bool copy_call(Rewrite *r, size_t i, const JsonValue *from, JsonValue *to, int depth) {
    *to = *from;
    if (from->kind != JSON_OBJECT) return true;
    JsonValue *items = region_alloc(&r->region, (from->count + 1) * sizeof *items);
    if (!items) return messages_no_memory(r);
    to->items = items;
    for (size_t k = 0; k < from->count; k++) {
        const JsonValue *v = &from->items[k];
        items[k] = *v;
        if (v->kind == JSON_OBJECT && depth < CALL_DEPTH &&
            !copy_call(r, i, v, &items[k], depth + 1))
            return false;
        if (v->kind != JSON_STRING || !text_equal(from->keys[k], text_of("arguments")))
            continue;
        if (r->n == sizeof r->arguments / sizeof *r->arguments)
            return messages_wrong(r, i, "too many tool calls");
        Json *json = json_read_some(v->text, &r->left, NULL);
        if (!json) return messages_wrong(r, i, "the arguments of a tool call are not JSON");
        r->arguments[r->n++] = json;
        items[k] = *json_root(json);
    }
    return true;
}

static bool copy_calls(Rewrite *r, size_t i, const JsonValue *from, JsonValue *to) {
    if (from->kind != JSON_ARRAY) return messages_wrong(r, i, "tool_calls: wanted an array");
    JsonValue *items = region_alloc(&r->region, (from->count + 1) * sizeof *items);
    if (!items) return messages_no_memory(r);
    *to = *from;
    to->items = items;
    for (size_t k = 0; k < from->count; k++)
        if (!copy_call(r, i, &from->items[k], &items[k], 0)) return false;
    return true;
}

/* ------------------------------------------------------------------ templates without tools */

/* For a model that reads of tools in a system message: a call becomes its text, a result a
 * user's message. */
static bool spell_message(Rewrite *r, JsonValue *message) {
    static const Text keys[] = {{"role", 4}, {"content", 7}};
    const JsonValue *calls = json_get(message, "tool_calls"),
                    *content = json_get(message, "content");
    const bool result = text_equal(json_get(message, "role")->text, text_of("tool"));
    char *text = NULL;
    size_t size;
    if (!calls && !result) return true;
    FILE *out = open_memstream(&text, &size);
    if (!out) return messages_no_memory(r);
    if (result) fputs("<tool_response>\n", out);
    if (content && content->kind == JSON_STRING)
        fwrite(content->text.data, 1, content->text.size, out);
    if (result) fputs("\n</tool_response>", out);
    for (size_t k = 0; calls && k < calls->count; k++) {
        const JsonValue *f = json_get(&calls->items[k], "function");
        fputs(k ? "\n<tool_call>\n" : "<tool_call>\n", out);
        if (f) write_value(out, f);
        fputs("\n</tool_call>", out);
    }
    if (!memory_close(out, &text)) return free(text), messages_no_memory(r);
    JsonValue *items = region_alloc(&r->region, 2 * sizeof *items);
    char *copy = region_alloc(&r->region, size + 1);
    if (copy) memcpy(copy, text, size);
    free(text);
    if (!items || !copy) return messages_no_memory(r);
    items[0] = result ? (JsonValue){.kind = JSON_STRING, .text = text_of("user")}
                      : *json_get(message, "role");
    items[1] = (JsonValue){.kind = JSON_STRING, .text = {copy, size}};
    *message = (JsonValue){.kind = JSON_OBJECT, .count = 2, .items = items, .keys = keys};
    return true;
}

/* ------------------------------------------------------------------ messages */

static bool rewrite_role(Rewrite *r, size_t i, JsonValue *role) {
    static const char *const roles[] = {"system", "user", "assistant", "tool"};
    if (role->kind != JSON_STRING) return messages_wrong(r, i, "role is not a string");
    if (text_equal(role->text, text_of("developer"))) role->text = text_of("system");
    for (size_t k = 0; k < sizeof roles / sizeof *roles; k++)
        if (text_equal(role->text, text_of(roles[k]))) return true;
    return messages_wrong(r, i, "role: wanted system, developer, user, assistant or tool");
}

static bool rewrite_value(Rewrite *r, size_t i, Text key, const JsonValue *from,
                          JsonValue *to) {
    static const char *const texts[] = {"name", "tool_call_id", "reasoning_content", "refusal"};
    *to = *from;
    if (text_equal(key, text_of("role"))) return rewrite_role(r, i, to);
    if (text_equal(key, text_of("tool_calls")) && from->kind != JSON_NULL)
        return copy_calls(r, i, from, to);
    if (text_equal(key, text_of("content")) && from->kind == JSON_ARRAY)
        return messages_join_parts(r, i, from, to);
    bool known = text_equal(key, text_of("content")) || text_equal(key, text_of("tool_calls"));
    for (size_t k = 0; k < sizeof texts / sizeof *texts; k++)
        known |= text_equal(key, text_of(texts[k]));
    if (!known) {
        char why[120];
        snprintf(why, sizeof why, "unknown key '%.*s'", (int)min_size(key.size, 60), key.data);
        return messages_wrong(r, i, why);
    }
    return from->kind == JSON_STRING || from->kind == JSON_NULL ||
           messages_wrong(r, i, "a value is not a string");
}

/* What OpenAI's answers have and nothing reads: null, or a list of no annotations. */
static bool messages_is_empty(Text key, const JsonValue *v) {
    return (v->kind == JSON_NULL && !text_equal(key, text_of("content"))) ||
           (v->kind == JSON_ARRAY && !v->count && text_equal(key, text_of("annotations")));
}

static bool rewrite_message(Rewrite *r, size_t i, const JsonValue *from, JsonValue *to) {
    if (from->kind != JSON_OBJECT) return messages_wrong(r, i, "not an object");
    const JsonValue *role = json_get(from, "role");
    if (!role || role->kind == JSON_NULL) return messages_wrong(r, i, "role is missing");
    r->user = role->kind == JSON_STRING && text_equal(role->text, text_of("user"));
    const JsonValue *content = json_get(from, "content");
    if ((!content || content->kind == JSON_NULL) && !json_get(from, "tool_calls"))
        return messages_wrong(r, i, "content is missing");
    JsonValue *items = region_alloc(&r->region, from->count * sizeof *items);
    Text *keys = region_alloc(&r->region, from->count * sizeof *keys);
    if (!items || !keys) return messages_no_memory(r);
    *to = (JsonValue){.kind = JSON_OBJECT, .items = items, .keys = keys};
    for (size_t k = 0; k < from->count; k++) {
        if (messages_is_empty(from->keys[k], &from->items[k])) continue;
        if (!rewrite_value(r, i, from->keys[k], &from->items[k], &items[to->count]))
            return false;
        if (from->items[k].kind == JSON_NULL) /* next to tool_calls; templates want a text */
            items[to->count] = (JsonValue){.kind = JSON_STRING, .text = {"", 0}};
        keys[to->count++] = from->keys[k];
    }
    return true;
}

static bool rewrite_all(Rewrite *r, const JsonValue *from, bool spell, JsonValue *to) {
    if (!from || from->count == 0)
        return http_error(r->error, 400, "messages", "messages: wanted at least one");
    if (from->count > MESSAGES)
        return http_error(r->error, 400, "messages", "messages: %zu, wanted at most %d",
                          from->count, MESSAGES);
    JsonValue *items = region_alloc(&r->region, from->count * sizeof *items);
    if (!items) return messages_no_memory(r);
    *to = (JsonValue){.kind = JSON_ARRAY, .count = from->count, .items = items};
    for (size_t i = 0; i < from->count; i++)
        if (!rewrite_message(r, i, &from->items[i], &items[i]) ||
            (spell && !spell_message(r, &items[i])))
            return false;
    return true;
}

/* There are no levels: none and minimal turn thinking off, all others leave it on. */
static bool messages_effort(const RequestFields *fields, bool *think, HttpError *error) {
    static const char *const levels[] = {"none", "minimal", "low", "medium", "high", "xhigh"};
    const Text effort = fields_text(fields, F_REASONING_EFFORT, "");
    size_t i = 0;
    *think = fields_bool(fields, F_ENABLE_THINKING, true);
    if (!fields->value[F_REASONING_EFFORT]) return true;
    while (i < 6 && !text_equal(effort, text_of(levels[i]))) i++;
    if (fields->value[F_ENABLE_THINKING] && *think != (i > 1))
        return http_error(error, 400, "reasoning_effort",
                          "reasoning_effort: contradicts enable_thinking");
    *think = i > 1;
    return i < 6 || http_error(error, 400, "reasoning_effort",
                               "reasoning_effort: wanted none, minimal, low, medium, high or "
                               "xhigh");
}

/* With tool_choice none the model does not see the tools. */
static const JsonValue *tools_told(const RequestFields *fields) {
    const JsonValue *choice = fields->value[F_TOOL_CHOICE], *tools = fields->value[F_TOOLS];
    bool none =
        choice && choice->kind == JSON_STRING && text_equal(choice->text, text_of("none"));
    return none || !tools || !tools->count ? NULL : tools;
}

bool messages_render(const RequestFields *fields, const Server *server, bool open,
                     Prompts *prompts, Rendered *rendered, HttpError *error) {
    Rewrite r = {.region.limit = (size_t)1 << 28,
                 .left = FIELDS_VALUES,
                 .prompts = prompts,
                 .error = error};
    JsonValue messages;
    bool think;
    if (!server->form.tree) {
        error->fault = server->no_form;
        return http_error_fault(error, 400, "messages");
    }
    if (fields->value[F_ENABLE_THINKING] && !server->form.may_think)
        return http_error(error, 400, "enable_thinking",
                          "enable_thinking: this model's template does not use it");
    if (!messages_effort(fields, &think, error)) return false;
    const JsonValue *tools = tools_told(fields);
    const bool spell = tools && !server->form.tells_tools;
    bool ok = rewrite_all(&r, fields->value[F_MESSAGES], spell, &messages) &&
              (!spell || tools_tell(tools, &r.region, &messages, &error->fault) ||
               http_error_fault(error, 500, "messages"));
    const ChatTalk talk = {
        .messages = &messages, .tools = spell ? NULL : tools, .open = open, .think = think};
    ok = ok && (chat_render(&server->form, server->loaded.model->tokenizer, &talk, rendered,
                            &error->fault) ||
                http_error_fault(error, 400, "messages"));
    for (size_t i = 0; i < r.n; i++) json_free(r.arguments[i]);
    region_free(&r.region);
    return ok;
}
