/* saved.c - a conversation in a file, as JSON: what API clients send, and strata template
 * reads.  See talk.h. */
#include "input.h"
#include "listing.h"
#include "talk.h"
#include "calls/write.h"
#include "json.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static void saved_put_call(FILE *out, const JsonValue *call, size_t turn) {
    char id[CALL_ID];
    talk_call_id(turn, id);
    fprintf(out,
            ", \"tool_calls\": [{\"id\": \"%s\", \"type\": \"function\", \"function\": ", id);
    write_value(out, call);
    fprintf(out, "}]");
}

static void put_turn(FILE *out, const Talk *talk, size_t i) {
    char id[CALL_ID];
    fprintf(out, "{\"role\": ");
    list_json(out, text_of(talk->turns[i].role));
    fprintf(out, ", \"content\": ");
    list_json(out, text_of(talk->turns[i].content));
    if (talk_call(talk, i)) saved_put_call(out, talk_call(talk, i), i);
    if (talk_answers(talk, i)) {
        talk_call_id(i - 1, id);
        fprintf(out, ", \"tool_call_id\": \"%s\", \"name\": ", id);
        list_json(out, json_get(talk_call(talk, i - 1), "name")->text);
    }
    fprintf(out, "}");
}

bool talk_save(const Talk *talk, const char *path, Fault *fault) {
    FileOut out;
    for (size_t i = 0; i < talk->count; i++) {
        Text content = text_of(talk->turns[i].content);
        if (talk->turns[i].shown)
            return fault_set(fault, "turn %zu shows a picture: what is saved are texts", i + 1);
        if (utf8_whole(content) < content.size)
            return fault_set(
                fault,
                "turn %zu is no UTF-8, and JSON holds nothing else: /undo goes back before it",
                i + 1);
    }
    if (!table_begin(&out, path, fault)) return false;
    fprintf(out.stream, "{\"messages\": [");
    for (size_t i = 0; i < talk->count; i++) {
        fprintf(out.stream, i ? ",\n  " : "\n  ");
        put_turn(out.stream, talk, i);
    }
    fprintf(out.stream, "\n]}\n");
    return file_end(&out, fault);
}

static bool is_text(const JsonValue *value, Text text) {
    return value && value->kind == JSON_STRING && text_equal(value->text, text);
}

/* The keys of a turn besides role and content, as talk_save writes them.
 *
 *   keys   written: their number
 *   call   written: the turn's call; free it */
static bool saved_read_tools(const Talk *talk, const JsonValue *message, size_t *keys,
                             char **call) {
    char id[CALL_ID];
    size_t i = talk->count, size;
    const JsonValue *calls = json_get(message, "tool_calls");
    talk_call_id(i - talk_waits(talk), id);
    *keys = 0, *call = NULL;
    if (talk_waits(talk))
        return *keys = 2, is_text(json_get(message, "tool_call_id"), text_of(id)) &&
                              is_text(json_get(message, "name"),
                                      json_get(talk_call(talk, i - 1), "name")->text);
    if (!calls || !is_text(json_get(message, "role"), text_of("assistant"))) return true;
    const JsonValue *one = calls->kind == JSON_ARRAY && calls->count == 1 ? calls->items : NULL;
    FILE *out = open_memstream(call, &size);
    if (out && one && json_get(one, "function")) write_value(out, json_get(one, "function"));
    if (out) fclose(out);
    *keys = 1;
    return out && one && one->count == 3 && is_text(json_get(one, "id"), text_of(id)) &&
           is_text(json_get(one, "type"), text_of("function"));
}

static bool saved_wrong(size_t number, const char *what, Fault *fault) {
    return fault_set(fault, "message %zu%s", number + 1, what);
}

static bool check_message(const Talk *talk, const JsonValue *message, const char *wanted,
                          char **call, Fault *fault) {
    const JsonValue *role = json_get(message, "role"), *content = json_get(message, "content");
    size_t i = talk->count, keys;
    if (!role || role->kind != JSON_STRING || !content || content->kind != JSON_STRING)
        return saved_wrong(i, ": wanted a role and a content, both texts", fault);
    if (memchr(content->text.data, 0, content->text.size))
        return saved_wrong(i, ": its content has a zero byte: wanted text", fault);
    if (!text_equal(role->text, text_of(wanted)))
        return fault_set(fault, "message %zu is of '%.*s': wanted %s, turns alternate", i + 1,
                         (int)min_size(role->text.size, 40), role->text.data, wanted);
    if (!saved_read_tools(talk, message, &keys, call))
        return saved_wrong(i, ": its call, or what it answers, is not as /save writes it",
                           fault);
    return message->count == 2 + keys ||
           fault_set(fault, "message %zu has %zu keys: wanted role and content, each once",
                     i + 1, message->count);
}

static bool add_message(Talk *talk, const JsonValue *message, Fault *fault) {
    const JsonValue *role = json_get(message, "role");
    bool system = talk->count == 0 && is_text(role, text_of("system"));
    const char *wanted = system                                 ? "system"
                         : talk_waits(talk)                     ? "tool"
                         : (talk->count - talk_first(talk)) % 2 ? "assistant"
                                                                : "user";
    char *call = NULL;
    bool ok = check_message(talk, message, wanted, &call, fault);
    ok = ok && talk_add(talk, wanted, json_get(message, "content")->text,
                        call ? text_of(call) : (Text){0}, fault);
    free(call);
    return ok;
}

/* Replace the turns by those of a file; on failure nothing changes. */
static bool take_messages(Talk *talk, const JsonValue *root, Fault *fault) {
    Talk loaded = {0};
    const JsonValue *messages = json_get(root, "messages");
    bool ok = (messages && messages->kind == JSON_ARRAY && root->count == 1) ||
              fault_set(fault, "wanted an object with the array \"messages\" alone");
    for (size_t i = 0; ok && i < messages->count; i++)
        ok = add_message(&loaded, &messages->items[i], fault);
    if (ok && (loaded.count - talk_first(&loaded)) % 2)
        ok = fault_set(fault, "the last message is a user's: it has no answer");
    Talk *gone = ok ? talk : &loaded;
    talk_drop(gone, 0, gone->count);
    free(gone->turns);
    if (ok) talk->turns = loaded.turns, talk->count = loaded.count, talk->room = loaded.room;
    return ok;
}

bool talk_load(Talk *talk, const char *path, Fault *fault) {
    size_t size;
    FILE *file = fopen(path, "rb");
    if (!file) return fault_set(fault, "%.200s cannot be opened: %s", path, strerror(errno));
    char *bytes = read_all(file, path, &size, fault);
    fclose(file);
    Json *json = bytes ? json_read((Text){bytes, size}, fault) : NULL;
    bool ok = json && take_messages(talk, json_root(json), fault);
    json_free(json), free(bytes);
    return ok || !bytes ? ok : fault_prefix(fault, path);
}
