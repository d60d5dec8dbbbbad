/* to_json.c - a value as JSON, as Python's json.dumps writes it.  See print.h. */
#include "print.h"

#include "unicode.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

static void build_escaped(Machine *machine, Builder *builder, uint32_t c) {
    static const char letters[] = "\"\\\n\r\t\f\b", written[] = "\"\\nrtfb";
    const char *place = c && c < 128 ? strchr(letters, (int)c) : NULL;
    if (place)
        build_format(machine, builder, "\\%c", written[place - letters]);
    else if (c < 0x10000)
        build_format(machine, builder, "\\u%04" PRIx32, c);
    else
        build_format(machine, builder, "\\u%04" PRIx32 "\\u%04" PRIx32,
                     0xD800 + ((c - 0x10000) >> 10), 0xDC00 + ((c - 0x10000) & 0x3FF));
}

static void build_json_string(Machine *machine, Builder *builder, const String *s,
                              const JsonStyle *style) {
    build_text(machine, builder, "\"");
    for (size_t at = 0, taken; at < s->size; at += taken) {
        uint32_t c = utf8_decode(s->data + at, s->size - at, &taken);
        if (c < 0x20 || c == '"' || c == '\\' || (style->ascii && c > 0x7E))
            build_escaped(machine, builder, c);
        else
            build_bytes(machine, builder, s->data + at, s->user ? s->user + at : NULL, taken);
    }
    build_text(machine, builder, "\"");
}

static void new_line(Machine *machine, Builder *builder, const JsonStyle *style, int level) {
    if (!style->indent) return;
    build_text(machine, builder, "\n");
    for (int i = 0; i < level && !machine->failed; i++)
        build_string(machine, builder, style->indent);
}

static void build_array(Machine *machine, Builder *builder, const List *list,
                        const JsonStyle *style, int level) {
    build_text(machine, builder, "[");
    for (size_t i = 0; i < list->count && !machine->failed; i++) {
        if (i) build_string(machine, builder, style->comma);
        new_line(machine, builder, style, level + 1);
        build_json(machine, builder, list->items[i], style, level + 1);
    }
    if (list->count) new_line(machine, builder, style, level);
    build_text(machine, builder, "]");
}

static void build_key(Machine *machine, Builder *builder, Value key, const JsonStyle *style) {
    Builder text = {0};
    if (key.kind == IS_STRING) {
        build_json_string(machine, builder, key.string, style);
    } else if (is_number(key) || key.kind == IS_NONE) {
        build_json(machine, &text, key, style, 0);
        build_json_string(machine, builder, build_end(machine, &text), style);
    } else {
        machine_raise(machine, "TypeError",
                      "keys must be str, int, float, bool or None, not %s", type_name(key));
    }
}

/* The next key in order after `before`; -1: none. */
static int64_t next_key(Machine *machine, const Dict *dict, int64_t before) {
    int64_t best = -1;
    for (size_t i = 0; i < dict->count && !machine->failed; i++) {
        bool later = before < 0 || value_less(machine, dict->keys[before], dict->keys[i], "<");
        if (later && (best < 0 || value_less(machine, dict->keys[i], dict->keys[best], "<")))
            best = (int64_t)i;
    }
    return best;
}

static void build_object(Machine *machine, Builder *builder, const Dict *dict,
                         const JsonStyle *style, int level) {
    int64_t at = -1;
    build_text(machine, builder, "{");
    for (size_t i = 0; i < dict->count && !machine->failed; i++) {
        at = style->sort ? next_key(machine, dict, at) : (int64_t)i;
        if (at < 0) break;
        if (i) build_string(machine, builder, style->comma);
        new_line(machine, builder, style, level + 1);
        build_key(machine, builder, dict->keys[at], style);
        build_string(machine, builder, style->colon);
        build_json(machine, builder, dict->values[at], style, level + 1);
    }
    if (dict->count) new_line(machine, builder, style, level);
    build_text(machine, builder, "}");
}

static void to_json_build_number(Machine *machine, Builder *builder, Value v) {
    if (v.kind == IS_FLOAT && isnan(v.real))
        build_text(machine, builder, "NaN");
    else if (v.kind == IS_FLOAT && isinf(v.real))
        build_text(machine, builder, v.real < 0 ? "-Infinity" : "Infinity");
    else
        build_repr(machine, builder, v);
}

void build_json(Machine *machine, Builder *builder, Value v, const JsonStyle *style,
                int level) {
    if (!machine_enter(machine) || !machine_work(machine, 1)) v = value_none();
    switch (v.kind) {
    case IS_NONE: build_text(machine, builder, "null"); break;
    case IS_BOOL: build_text(machine, builder, v.truth ? "true" : "false"); break;
    case IS_INT:
    case IS_BIG:
    case IS_FLOAT: to_json_build_number(machine, builder, v); break;
    case IS_STRING: build_json_string(machine, builder, v.string, style); break;
    case IS_LIST:
    case IS_TUPLE: build_array(machine, builder, v.list, style, level); break;
    case IS_DICT: build_object(machine, builder, v.dict, style, level); break;
    default:
        machine_raise(machine, "TypeError", "Object of type %s is not JSON serializable",
                      type_name(v));
        break;
    }
    machine_leave(machine);
}
