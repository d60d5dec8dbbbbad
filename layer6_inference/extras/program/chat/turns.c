/* turns.c - the turns of a talk.  See talk.h. */
#include "talk.h"
#include "json.h"

#include <stdlib.h>
#include <string.h>

static char *copy_text(Text text) {
    char *copy = malloc(text.size + 1);
    if (copy) memcpy(copy, text.data, text.size), copy[text.size] = 0;
    return copy;
}

static void free_turn(Turn *turn) {
    if (turn->shown) shown_release(turn->shown);
    free(turn->shown);
    free(turn->role), free(turn->content), free(turn->call), json_free(turn->read);
}

/* {"name": TEXT, "arguments": OBJECT} */
static bool read_call(Turn *turn, Text call, Fault *fault) {
    if (!call.data) return true;
    turn->call = copy_text(call);
    turn->read = turn->call ? json_read(call, fault) : NULL;
    if (!turn->read)
        return turn->call ? fault_prefix(fault, "a call")
                          : fault_set(fault, "no memory for a turn");
    const JsonValue *root = json_root(turn->read), *name = json_get(root, "name"),
                    *arguments = json_get(root, "arguments");
    return (name && name->kind == JSON_STRING && arguments && arguments->kind == JSON_OBJECT &&
            root->count == 2) ||
           fault_set(fault, "a call: wanted a name, its arguments, and nothing else");
}

bool talk_add(Talk *talk, const char *role, Text content, Text call, Fault *fault) {
    if (!GROW(talk->turns, talk->room, talk->count + 1))
        return fault_set(fault, "no memory for %zu turns", talk->count + 1);
    Turn turn = {.role = copy_text(text_of(role)), .content = copy_text(content)};
    bool ok = (turn.role && turn.content) || fault_set(fault, "no memory for a turn");
    ok = ok && read_call(&turn, call, fault);
    if (ok) return talk->turns[talk->count++] = turn, true;
    free_turn(&turn);
    return false;
}

void talk_drop(Talk *talk, size_t from, size_t count) {
    for (size_t i = from; i < from + count; i++) free_turn(&talk->turns[i]);
    talk->count -= count;
    for (size_t i = from; i < talk->count; i++) talk->turns[i] = talk->turns[i + count];
}

bool talk_show(Talk *talk, const Shown *shown, Fault *fault) {
    Turn *turn = &talk->turns[talk->count - 1];
    if (!shown || !shown->count) return true;
    if (!(turn->shown = malloc(sizeof *turn->shown)))
        return fault_set(fault, "no memory for a turn");
    shown_copy(shown, turn->shown);
    return true;
}

bool talk_add_picture(Talk *talk, const char *path, Fault *fault) {
    const size_t before = talk->pictures.n_read;
    if (!talk->next.of)
        return fault_set(fault,
                         "there is nothing to look at it with: begin with --mmproj FILE");
    if (!shown_add_file(&talk->next, path, fault)) return false;
    const size_t number = talk->next.number[talk->next.count - 1];
    if (talk->sequence && talk->pictures.n_read != before &&
        pictures_in(&talk->pictures, number, talk->sequence->tokens)) {
        engine_remove(&talk->engine, talk->sequence);
        talk->sequence = NULL;
    }
    return true;
}

bool talk_say(Talk *talk, Text text, const Shown *shown, Fault *fault) {
    char *marked = NULL;
    if (shown && shown->count) {
        size_t size;
        if (!(marked = shown_mark(shown, text, true, &size, fault))) return false;
        text = (Text){marked, size};
    }
    bool ok = talk_add(talk, "user", text, (Text){0}, fault);
    free(marked);
    if (!ok || talk_show(talk, shown, fault)) return ok;
    return talk_drop(talk, talk->count - 1, 1), false;
}

size_t talk_asked(const Talk *talk) {
    for (size_t i = talk->count; i > 0; i--)
        if (strcmp(talk->turns[i - 1].role, "user") == 0) return i - 1;
    return talk->count;
}

const JsonValue *talk_call(const Talk *talk, size_t i) {
    return talk->turns[i].read ? json_root(talk->turns[i].read) : NULL;
}

bool talk_answers(const Talk *talk, size_t i) {
    return strcmp(talk->turns[i].role, "tool") == 0;
}

bool talk_waits(const Talk *talk) {
    return talk->count && talk_call(talk, talk->count - 1) != NULL;
}

size_t talk_first(const Talk *talk) {
    return talk->count && strcmp(talk->turns[0].role, "system") == 0;
}

bool talk_set_system(Talk *talk, Text text, Fault *fault) {
    if (talk_first(talk)) talk_drop(talk, 0, 1);
    if (text.size == 0) return true;
    if (!talk_add(talk, "system", text, (Text){0}, fault)) return false;
    Turn system = talk->turns[talk->count - 1];
    memmove(talk->turns + 1, talk->turns, (talk->count - 1) * sizeof *talk->turns);
    talk->turns[0] = system;
    return true;
}
