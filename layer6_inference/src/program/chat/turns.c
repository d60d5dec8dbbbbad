/* turns.c - the turns of a talk, in memory and in a file.  See talk.h. */
#include "input.h"
#include "listing.h"
#include "talk.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static char *copy_text(Text text) {
    char *copy = malloc(text.size + 1);
    if (copy) memcpy(copy, text.data, text.size), copy[text.size] = 0;
    return copy;
}

bool talk_add(Talk *talk, const char *role, Text content, Fault *fault) {
    if (talk->count == talk->room) {
        size_t room = talk->room ? 2 * talk->room : 16;
        Turn *grown = realloc(talk->turns, room * sizeof *grown);
        if (!grown) return fault_set(fault, "no memory for %zu turns", room);
        talk->turns = grown;
        talk->room = room;
    }
    Turn turn = {copy_text(text_of(role)), copy_text(content)};
    if (turn.role && turn.content) return talk->turns[talk->count++] = turn, true;
    free(turn.role), free(turn.content);
    return fault_set(fault, "no memory for a turn");
}

void talk_drop(Talk *talk, size_t from, size_t count) {
    for (size_t i = from; i < from + count; i++)
        free(talk->turns[i].role), free(talk->turns[i].content);
    talk->count -= count;
    for (size_t i = from; i < talk->count; i++) talk->turns[i] = talk->turns[i + count];
}

size_t talk_first(const Talk *talk) {
    return talk->count && strcmp(talk->turns[0].role, "system") == 0;
}

bool talk_set_system(Talk *talk, Text text, Fault *fault) {
    if (talk_first(talk)) talk_drop(talk, 0, 1);
    if (text.size == 0) return true;
    if (!talk_add(talk, "system", text, fault)) return false;
    Turn system = talk->turns[talk->count - 1];
    memmove(talk->turns + 1, talk->turns, (talk->count - 1) * sizeof *talk->turns);
    talk->turns[0] = system;
    return true;
}

/* ------------------------------------------------------------------ in a file */

static bool is_utf8(Text text) {
    const unsigned char *bytes = (const unsigned char *)text.data;
    int length = 1;
    for (size_t at = 0; at < text.size && length > 0; at += (size_t)length)
        length = utf8_character(bytes + at, text.size - at);
    return length > 0;
}

bool talk_save(const Talk *talk, const char *path, Fault *fault) {
    FileOut out;
    for (size_t i = 0; i < talk->count; i++)
        if (!is_utf8(text_of(talk->turns[i].content)))
            return fault_set(fault,
                             "turn %zu is no UTF-8, and JSON holds nothing else: /undo "
                             "goes back before it",
                             i + 1);
    if (!table_begin(&out, path, fault)) return false;
    fprintf(out.stream, "{\"messages\": [");
    for (size_t i = 0; i < talk->count; i++) {
        fprintf(out.stream, i ? ",\n  {\"role\": " : "\n  {\"role\": ");
        list_json(out.stream, text_of(talk->turns[i].role));
        fprintf(out.stream, ", \"content\": ");
        list_json(out.stream, text_of(talk->turns[i].content));
        fprintf(out.stream, "}");
    }
    fprintf(out.stream, "\n]}\n");
    return file_end(&out, fault);
}

static bool add_message(Talk *talk, const JsonValue *message, size_t number, Fault *fault) {
    const JsonValue *role = json_get(message, "role"), *content = json_get(message, "content");
    bool texts = role && role->kind == JSON_STRING && content && content->kind == JSON_STRING;
    bool system = texts && text_equal(role->text, text_of("system"));
    const char *wanted = (number - talk_first(talk)) % 2 ? "assistant" : "user";
    if (!texts)
        return fault_set(fault, "message %zu: wanted a role and a content, both texts",
                         number + 1);
    if (message->count != 2)
        return fault_set(fault, "message %zu has %zu keys: wanted role and content, each once",
                         number + 1, message->count);
    if (memchr(content->text.data, 0, content->text.size))
        return fault_set(fault, "message %zu: its content has a zero byte: wanted text",
                         number + 1);
    if (system && number == 0) return talk_add(talk, "system", content->text, fault);
    if (!text_equal(role->text, text_of(wanted)))
        return fault_set(fault, "message %zu is of '%.*s': wanted %s, turns alternate",
                         number + 1, (int)min_size(role->text.size, 40), role->text.data,
                         wanted);
    return talk_add(talk, wanted, content->text, fault);
}

/* The turns of a file in place of those that are there; when it is none, these stay. */
static bool take_messages(Talk *talk, const JsonValue *root, Fault *fault) {
    Talk loaded = {0};
    const JsonValue *messages = json_get(root, "messages");
    bool ok = (messages && messages->kind == JSON_ARRAY && root->count == 1) ||
              fault_set(fault, "wanted an object with the array \"messages\" alone");
    for (size_t i = 0; ok && i < messages->count; i++)
        ok = add_message(&loaded, &messages->items[i], i, fault);
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
