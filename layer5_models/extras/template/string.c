/* string.c - strings whose bytes are marked as the user's or not.  See value.h. */
#include "value.h"

#include "unicode.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

const String *string_of(Machine *machine, Text text) {
    String *string = machine_take(machine, sizeof *string);
    *string = (String){text.data, NULL, text.size, false};
    return string;
}

const String *string_slice(Machine *machine, const String *string, size_t from, size_t to) {
    String *slice = machine_take(machine, sizeof *slice);
    to = min_size(to, string->size);
    from = min_size(from, to);
    *slice = (String){string->data + from, string->user ? string->user + from : NULL, to - from,
                      string->safe};
    return slice;
}

Text string_text(const String *string) { return (Text){string->data, string->size}; }

bool string_is(const String *string, const char *text) {
    return text_equal(string_text(string), text_of(text));
}

size_t string_length(Machine *machine, const String *string) {
    size_t count = 0, taken;
    machine_work(machine, string->size / 64);
    for (size_t at = 0; at < string->size; at += taken, count++)
        utf8_decode(string->data + at, string->size - at, &taken);
    return count;
}

size_t string_offset(const String *string, size_t character) {
    size_t at = 0, taken;
    for (; character > 0 && at < string->size; at += taken, character--)
        utf8_decode(string->data + at, string->size - at, &taken);
    return at;
}

size_t string_find(Machine *machine, const String *string, const String *part, size_t from) {
    if (part->size > string->size || from > string->size - part->size) return NOWHERE;
    size_t last = string->size - part->size;
    if (part->size == 0) return from;
    for (size_t at = from; at <= last; at++) {
        const char *next = memchr(string->data + at, part->data[0], last - at + 1);
        if (!next) return NOWHERE;
        size_t to = (size_t)(next - string->data);
        if (!machine_work(machine, (to - at + part->size) / 64 + 1)) return NOWHERE;
        at = to;
        if (memcmp(next, part->data, part->size) == 0) return at;
    }
    return NOWHERE;
}

/* ------------------------------------------------------------------ in the making */

static bool build_room(Machine *machine, Builder *builder, size_t more) {
    if (more <= builder->room - builder->size) return true;
    size_t room = max_size(2 * builder->room, builder->size + more + 64);
    char *data = machine_take_much(machine, 2 * room);
    if (!data) return false;
    if (builder->size) {
        memcpy(data, builder->data, builder->size);
        memcpy(data + room, builder->user, builder->size);
    }
    builder->data = data;
    builder->user = (unsigned char *)data + room;
    builder->room = room;
    return true;
}

void build_bytes(Machine *machine, Builder *builder, const char *data,
                 const unsigned char *user, size_t size) {
    if (size == 0 || !machine_work(machine, size / 64) || !build_room(machine, builder, size))
        return;
    memcpy(builder->data + builder->size, data, size);
    if (user)
        memcpy(builder->user + builder->size, user, size);
    else
        memset(builder->user + builder->size, 0, size);
    builder->size += size;
}

void build_text(Machine *machine, Builder *builder, const char *text) {
    build_bytes(machine, builder, text, NULL, strlen(text));
}

void build_string(Machine *machine, Builder *builder, const String *string) {
    build_bytes(machine, builder, string->data, string->user, string->size);
}

void build_format(Machine *machine, Builder *builder, const char *format, ...) {
    char text[512];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    build_text(machine, builder, text);
}

const String *build_end(Machine *machine, Builder *builder) {
    String *string = machine_take(machine, sizeof *string);
    *string = (String){builder->data ? builder->data : "", builder->user, builder->size, false};
    return string;
}

Value build_value(Machine *machine, Builder *builder) {
    return value_string(build_end(machine, builder));
}
